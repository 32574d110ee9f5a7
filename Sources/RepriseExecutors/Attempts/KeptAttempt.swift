// `KeptAttempt`: an attempt that waits for a kept place, and then runs in the pool there.

import Platform
import Reprise
import Synchronization

/// An attempt in a kept place.
///
/// It is begun, and at first followed, through the pool of the place. When that connection has
/// broken, or if an earlier engine has begun the attempt, its files are read instead.
final class KeptAttempt: RunnerHandle {
  private enum Stage {
    /// It waits for a place; after an unanswered begin, for an answer of this place.
    case waiting(KeptPlace?)
    case beginning(KeptPlace)
    /// It is in the place; the handle is that of its pool, until it was used once.
    case begun(KeptPlace, (any RunnerHandle)?)
    /// It never ran and never will, or its end was reported.
    case over
  }

  private struct State {
    var stage: Stage
    var grace: Duration?
    var reason: String?
    /// The place that it waits for; if this one cannot be had, there is no other.
    var expected: KeptPlace?
  }

  /// The time until a pool that did not answer is asked again.
  private static let pause = Duration.milliseconds(200)

  private let token: AttemptToken
  private let spec: AttemptSpec?
  private let run: RunID
  private let places: KeptPlaces
  private let lease = LeaseWatch()
  private let state: Mutex<State>
  private let wake = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// Creates an attempt that waits for a place.
  init(_ token: AttemptToken, _ spec: AttemptSpec, run: RunID, places: KeptPlaces) {
    self.token = token
    self.spec = spec
    self.run = run
    self.places = places
    state = Mutex(State(stage: .waiting(nil)))
  }

  /// Creates an attempt that an earlier engine has begun in a place.
  init(_ token: AttemptToken, in place: KeptPlace, run: RunID, places: KeptPlaces) {
    self.token = token
    spec = nil
    self.run = run
    self.places = places
    state = Mutex(State(stage: .begun(place, nil)))
  }

  func news(from mark: OutputMark) -> AsyncThrowingStream<MarkedNews, any Error> {
    let reader = KeptNews(self, from: mark)
    return AsyncThrowingStream { try await reader.next() }
  }

  func stop(grace: Duration) async throws(RunnerFailure) {
    let stage = state.withLock { state -> Stage in
      state.grace = min(grace, state.grace ?? grace)
      if case .waiting(nil) = state.stage { state.stage = .over }
      return state.stage
    }
    wake.continuation.yield()
    switch stage {
    case .waiting, .beginning, .over: break
    case .begun(let place, let handle): try await stop(in: place, handle, grace)
    }
  }

  private func stop(
    in place: KeptPlace, _ handle: (any RunnerHandle)?, _ grace: Duration
  ) async throws(RunnerFailure) {
    do throws(RunnerFailure) {
      if let handle { return try await handle.stop(grace: grace) }
    } catch {}
    try await files(in: place).stop(grace: grace)
  }

  func isGone() async throws(RunnerFailure) -> Bool {
    switch state.withLock({ $0.stage }) {
    case .waiting, .beginning: return false
    case .over:
      places.forget(token)
      return true
    case .begun(let place, _):
      let isGone = try await files(in: place).isGone()
      if isGone { places.forget(token) }
      return isGone
    }
  }

  func abandon() async throws(RunnerFailure) {
    if case .begun(let place, _) = state.withLock({ $0.stage }) {
      try await files(in: place).abandon()
    }
    state.withLock { $0.stage = .over }
    places.forget(token)
  }

  /// What is known of the attempt.
  func sight() async throws(RunnerFailure) -> AttemptSight {
    switch state.withLock({ ($0.stage, $0.reason) }) {
    case (.waiting, let reason), (.beginning, let reason): return .queued(reason ?? "")
    case (.over, _): return .gone
    case (.begun(let place, _), _): return try await files(in: place).sight()
    }
  }

  /// Whether it is certain that the attempt was never begun, and never will be.
  ///
  /// One that was begun and is gone is lost, or has a result.
  func isAbsent() async throws(RunnerFailure) -> Bool {
    guard case .begun(let place, nil) = state.withLock({ $0.stage }) else { return false }
    let files = files(in: place)
    if files.folder.claim != nil || files.folder.result != nil { return false }
    return try await files.sight() == .gone
  }

  // MARK: For its news

  /// The news while the attempt is not in its place; nil when it is.
  fileprivate func nextBefore() async throws -> AttemptNews? {
    while true {
      let (stage, grace) = state.withLock { ($0.stage, $0.grace) }
      switch stage {
      case .over: return .ended(.stopped)
      case .begun: return nil
      case .beginning: throw RunnerFailure.cannotAsk("its news are read twice")
      case .waiting(let unanswered):
        if let unanswered, unanswered.isOver {
          // Whether or not it began there, nothing of it is left.
          if files(in: unanswered).folder.claim?.host != nil {
            state.withLock { $0.stage = .begun(unanswered, nil) }
            return nil
          }
          state.withLock { $0.stage = grace == nil ? .waiting(nil) : .over }
          continue
        }
        if let news = try await enter(unanswered ?? expectedPlace()) { return news }
      }
    }
  }

  private func expectedPlace() -> KeptPlace {
    if let known = state.withLock({ $0.expected }), !(known.isOver && known.wasReady) {
      return known
    }
    let place = places.place(for: run)
    state.withLock { $0.expected = place }
    return place
  }

  /// Begins in a place, if it is there.
  ///
  /// - Returns: News; nil to look at the state again.
  private func enter(_ place: KeptPlace) async throws -> AttemptNews? {
    place.listen(token) { [wake] in wake.continuation.yield() }
    switch place.status {
    case .ready:
      place.unlisten(token)
      return await begin(in: place)
    case .over(let reason):
      guard !place.wasReady else { return nil }
      return end(.failed(.notStarted(reason)))
    case .waiting(let reason):
      let isNew = state.withLock { state in
        defer { state.reason = reason }
        return state.reason != reason
      }
      if isNew { return .queued(reason) }
      for await _ in wake.stream { return nil }
      throw CancellationError()
    }
  }

  private func begin(in place: KeptPlace) async -> AttemptNews? {
    guard var spec else { return end(.failed(.notStarted("its command is not known any more"))) }
    let isWanted = state.withLock { state in
      if case .over = state.stage { return false }
      state.stage = .beginning(place)
      return true
    }
    guard isWanted else { return nil }
    let files = files(in: place)
    spec.temporaryFolder = spec.temporaryFolder ?? files.folder.path + "/tmp"
    do throws(Errno) {
      try makeFolderTree(place.poolPath)
      try files.folder.make()
      if files.folder.claim == nil { try files.folder.write(spec) }
    } catch {
      return end(.failed(.notStarted("cannot write to \(place.poolPath): \(error)")))
    }
    do throws(RunnerFailure) {
      let handle = try await place.pool.begin(token, sending: nil)
      let grace = state.withLock { state in
        state.stage = .begun(place, handle)
        return state.grace
      }
      if let grace { Task { try? await stop(in: place, handle, grace) } }
      return nil
    } catch {
      if case .refused(let text) = error { return end(.failed(.notStarted(text))) }
      // The question may have arrived: the same place is asked again, which changes nothing then.
      let grace = state.withLock { state in
        state.stage =
          files.folder.claim?.host == nil ? .waiting(place) : .begun(place, nil)
        return state.grace
      }
      // The claim of the engine keeps it from beginning after all.
      if let grace {
        try? await files.stop(grace: grace)
        if files.folder.claim.map({ $0.host == nil }) == true { return end(.stopped) }
      }
      try? await places.clock.sleep(for: Self.pause)
      return .queued(error.description)
    }
  }

  private func end(_ result: AttemptResult) -> AttemptNews {
    state.withLock { $0.stage = .over }
    return .ended(result)
  }

  /// Returns the news of an attempt that is in its place.
  fileprivate func newsInPlace(from mark: OutputMark) -> AsyncThrowingStream<MarkedNews, any Error>
  {
    let (place, handle) = state.withLock { state -> (KeptPlace?, (any RunnerHandle)?) in
      guard case .begun(let place, let handle) = state.stage else { return (nil, nil) }
      return (place, handle)
    }
    guard let place else { return AsyncThrowingStream { nil } }
    if let handle, mark.offset == 0, isFirstReader() { return handle.news(from: mark) }
    return files(in: place).news(from: mark)
  }

  private let readerCount = Mutex(0)

  private func isFirstReader() -> Bool {
    readerCount.withLock { count in
      count += 1
      return count == 1
    }
  }

  /// Notes that the end was reported, after which nothing of the attempt is left.
  fileprivate func ended() { state.withLock { $0.stage = .over } }

  private func files(in place: KeptPlace) -> FolderHandle {
    FolderHandle(
      folder: AttemptFolder(of: token, in: place.poolPath), token: token,
      site: KeptPlaceSite(place: place, isThisMachine: places.site.isThisMachine),
      clock: places.clock, lease: lease)
  }
}

/// Reads the news of an attempt: from the wait for a place to the end in it.
private actor KeptNews {
  private let attempt: KeptAttempt
  private var mark: OutputMark
  private var news: AsyncThrowingStream<MarkedNews, any Error>.Iterator?
  private var hasEnded = false

  init(_ attempt: KeptAttempt, from mark: OutputMark) {
    self.attempt = attempt
    self.mark = mark
  }

  func next() async throws -> MarkedNews? {
    if hasEnded { return nil }
    if news == nil, let before = try await attempt.nextBefore() {
      if case .ended = before { hasEnded = true }
      return MarkedNews(before, next: mark)
    }
    var news = self.news ?? attempt.newsInPlace(from: mark).makeAsyncIterator()
    self.news = news
    let item = try await news.next(isolation: self)
    if case .ended? = item?.news {
      hasEnded = true
      attempt.ended()
    }
    return item
  }
}

/// What a place knows of an attempt, apart from its files.
private struct KeptPlaceSite: AttemptSite {
  let place: KeptPlace
  let isThisMachine: Bool

  var name: String { "the place" }

  func submit(
    _ spec: AttemptSpec, _ token: AttemptToken, _ folder: AttemptFolder
  ) async throws(RunnerFailure) {
    throw .refused("a place submits nothing")
  }

  func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight {
    switch place.status {
    case .over: return .absent
    case .waiting(let reason): throw .cannotAsk(reason)
    case .ready: break
    }
    switch try await place.pool.look([token])[token] {
    case .gone, .ended: return .absent
    case .queued, .running: return .present
    case .unknown(let text): throw .cannotAsk(text)
    case nil: throw .cannotAsk("no answer")
    }
  }

  func withdraw(_ token: AttemptToken) async throws(RunnerFailure) {}
}
