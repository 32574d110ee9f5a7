// `KeptAttempt`: an attempt that waits for a kept place, and then runs in the pool there.

import ChildProcesses
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
    /// The place that it waits for, or is in, as far as that is known.
    var expected: KeptPlace?
    /// What is known of a pool that did not begin it.
    var trouble: Trouble?
    /// Gives up the question that is being asked.
    var interrupt: (@Sendable () -> Void)?
  }

  /// A pool that does not begin an attempt.
  private struct Trouble {
    let since: Timestamp
    var pause = GrowingDelay(from: .seconds(1))
    var count = 0
    var reported: Set<String> = []
    /// The pause until it is asked again; nil if it has begun or passed.
    var next: Duration?
    var isDue = false
  }

  /// The longest pause until a pool that did not answer is asked again.
  private static let pauseMax = Duration.seconds(60)
  /// The number of times that a place on this machine is asked: what it refuses does not heal.
  private static let tryCountMax = 5

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
    let (stage, interrupt) = state.withLock { state in
      state.grace = min(grace, state.grace ?? grace)
      if case .waiting(nil) = state.stage { state.stage = .over }
      return (state.stage, state.interrupt)
    }
    interrupt?()
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

  /// The number of the job that holds its place.
  var job: String? { state.withLock { $0.expected }?.job }

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

  /// Makes sure that an attempt of an earlier engine never begins, unless a host has it.
  ///
  /// - Returns: Whether it never will.
  func revoke() throws(RunnerFailure) -> Bool {
    guard case .begun(let place, nil) = state.withLock({ $0.stage }) else { return false }
    return try takeClaim(in: place)
  }

  // MARK: For its news

  /// The news while the attempt is not in its place; nil when it is.
  func nextBefore() async throws -> AttemptNews? {
    while true {
      let (stage, grace) = state.withLock { ($0.stage, $0.grace) }
      switch stage {
      case .over: return .ended(.stopped)
      case .begun: return nil
      case .beginning: throw RunnerFailure.cannotAsk("its news are read twice")
      case .waiting(let unanswered):
        if let unanswered, grace != nil || unanswered.isOver {
          // Whether or not it began there: if a host has its claim, its files are read from now on.
          let isOurs = try takeClaim(in: unanswered)
          let grace = state.withLock { state in
            state.stage =
              !isOurs ? .begun(unanswered, nil) : state.grace == nil ? .waiting(nil) : .over
            return state.grace
          }
          if !isOurs, let grace { try? await stop(in: unanswered, nil, grace) }
          continue
        }
        if let news = try await enter(unanswered) { return news }
      }
    }
  }

  /// Called when the attempt may have a place, or the reason for its wait has changed.
  func placementChanged() { wake.continuation.yield() }

  /// Begins in a place, if it may.
  ///
  /// - Parameter unanswered: The place that was asked to begin it, and has not answered.
  /// - Returns: News; nil to look at the state again.
  /// - Throws: `CancellationError` if the wait for a place is cancelled.
  private func enter(_ unanswered: KeptPlace?) async throws -> AttemptNews? {
    let placement =
      unanswered.map(KeptPlaces.Placement.admitted)
      ?? places.placement(of: token, for: spec?.timeLimit, in: run)
    switch placement {
    case .admitted(let place):
      state.withLock { $0.expected = place }
      if await isPausing(for: place) { return nil }
      return await begin(in: place)
    case .refused(let reason):
      return end(.failed(.notStarted(reason)))
    case .waiting(let place, let reason):
      let isNew = state.withLock { state in
        defer { (state.reason, state.expected) = (reason, place) }
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
      let handle = try await answer(of: place).get()
      let grace = state.withLock { state in
        state.interrupt = nil
        state.stage = .begun(place, handle)
        return state.grace
      }
      if let grace { Task { try? await stop(in: place, handle, grace) } }
      return nil
    } catch {
      return await notBegun(error, in: place)
    }
  }

  /// Asks the pool to begin the attempt, unless it is stopped.
  private func answer(of place: KeptPlace) async -> Result<any RunnerHandle, RunnerFailure> {
    guard places.site.connects else {
      let files = files(in: place)
      files.folder.markSubmitted(as: "")
      return .success(files)
    }
    let beginning = Task { [token] () -> Result<any RunnerHandle, RunnerFailure> in
      do throws(RunnerFailure) {
        return .success(try await place.pool.begin(token, sending: nil))
      } catch {
        return .failure(error)
      }
    }
    let isStopped = state.withLock { state in
      state.interrupt = { beginning.cancel() }
      return state.grace != nil
    }
    if isStopped { beginning.cancel() }
    return await beginning.value
  }

  /// Decides what follows when the pool of a place has not begun the attempt.
  private func notBegun(_ failure: RunnerFailure, in place: KeptPlace) async -> AttemptNews? {
    let text = failure.description
    if case .refused = failure { return end(.failed(.notStarted(text))) }
    let now = places.clock.now
    let trouble = state.withLock { state in
      var trouble = state.trouble ?? Trouble(since: now)
      trouble.count += 1
      let limit = spec?.timeLimit.map { max($0 - (now - trouble.since), .zero) }
      let pause = trouble.pause.next(upTo: Self.pauseMax)
      trouble.next = min(pause, limit ?? pause)
      let isNew = trouble.reported.insert(text).inserted
      state.trouble = trouble
      state.interrupt = nil
      state.stage =
        !failure.isNeverBegun ? .waiting(place) : state.grace == nil ? .waiting(nil) : .over
      let isOver = limit == .zero
      return (since: trouble.since, count: trouble.count, isOver: isOver, isNew: isNew)
    }
    let isHopeless = places.site.isThisMachine && trouble.count >= Self.tryCountMax
    if isHopeless || trouble.isOver {
      // If a host has begun it after all, its files are read from now on.
      let isOurs = (try? takeClaim(in: place)) ?? failure.isNeverBegun
      if isOurs {
        let time = durationText(now - trouble.since)
        return end(.failed(.notStarted("gave up after \(time): \(text)")))
      }
    }
    return trouble.isNew ? .queued(text) : nil
  }

  /// Waits until the pool may be asked again, the place is over, or the attempt must stop.
  ///
  /// - Returns: Whether it has waited.
  private func isPausing(for place: KeptPlace) async -> Bool {
    let pause = state.withLock { state in
      defer { state.trouble?.next = nil }
      state.trouble?.isDue = false
      return state.trouble?.next
    }
    guard let pause else { return false }
    place.listen(token) { [wake] in wake.continuation.yield() }
    defer { place.unlisten(token) }
    let timer = Task { [self] in
      guard (try? await places.clock.sleep(for: pause)) != nil else { return }
      state.withLock { $0.trouble?.isDue = true }
      wake.continuation.yield()
    }
    defer { timer.cancel() }
    for await _ in wake.stream {
      let mayGoOn = state.withLock { $0.grace != nil || $0.trouble?.isDue == true }
      if mayGoOn || place.isOver { break }
    }
    return true
  }

  /// Takes the claim in a place, so that no host there begins the attempt.
  ///
  /// - Returns: Whether it is the engine's; otherwise a host has it.
  private func takeClaim(in place: KeptPlace) throws(RunnerFailure) -> Bool {
    let folder = files(in: place).folder
    guard folder.exists else { return true }
    do throws(Errno) {
      return try folder.claimForEngine()
    } catch {
      throw .cannotAsk("cannot write to \(folder.path): \(error)")
    }
  }

  private func end(_ result: AttemptResult) -> AttemptNews {
    state.withLock { $0.stage = .over }
    places.vacate(token)
    return .ended(result)
  }

  /// Returns the news of an attempt that is in its place.
  func newsInPlace(from mark: OutputMark) -> AsyncThrowingStream<MarkedNews, any Error> {
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
  func ended() {
    state.withLock { $0.stage = .over }
    places.vacate(token)
  }

  private func files(in place: KeptPlace) -> FolderHandle {
    FolderHandle(
      folder: AttemptFolder(of: token, in: place.poolPath), token: token,
      site: KeptPlaceSite(place: place, isThisMachine: places.site.isThisMachine),
      clock: places.clock, lease: lease)
  }
}
