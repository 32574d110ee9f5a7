// `KeptPlaces`: the places of a runner, and the attempts that wait for them or are in them.

import Platform
import Reprise
import Synchronization

/// The places of a runner, and the attempts in them.
final class KeptPlaces: Sendable {
  /// Where an attempt is.
  enum Placement {
    /// It may begin in this place.
    case admitted(KeptPlace)
    /// It waits, for this reason, for a place that may be known.
    case waiting(KeptPlace?, String)
    /// No place can be had, for this reason.
    case refused(String)
  }

  private struct OfRun {
    var roster: PlaceRoster
    /// All places that this engine has requested or found, and has not given back.
    var places: [AttemptToken: KeptPlace] = [:]
    /// Why attempts will get no place.
    var refusals: [AttemptToken: String] = [:]
    /// Whether what an earlier engine has left was looked for.
    var isSearched = false
    var givingBack: [Task<Void, Never>] = []
    var timer: Task<Void, Never>?

    /// Notes that a place cannot be had: without another one, nothing that waits will get one.
    mutating func refuse(_ reason: String) {
      guard roster.isEmpty else { return roster.stopRequesting() }
      for attempt in roster.dismissWaiting() { refusals[attempt] = reason }
    }
  }

  private struct State {
    var runs: [RunID: OfRun] = [:]
    var attempts: [AttemptToken: KeptAttempt] = [:]
  }

  let site: any KeptSite
  let clock: any RunClock
  private let name: String
  private let root: String
  private let orphanAfter: Duration
  private let limits: KeptLimits
  private let state = Mutex(State())

  init(
    _ site: any KeptSite, _ name: String, _ root: String, _ orphanAfter: Duration,
    _ limits: KeptLimits, _ clock: any RunClock
  ) {
    self.site = site
    self.name = name
    self.root = root
    self.orphanAfter = orphanAfter
    self.limits = limits
    self.clock = clock
  }

  // MARK: Attempts

  /// Returns an attempt that waits for its place, or is in it.
  func attempt(_ token: AttemptToken, _ spec: AttemptSpec) throws(RunnerFailure) -> KeptAttempt {
    guard let run = token.run else { throw .refused("\(token) is not the token of a run") }
    return state.withLock { state in
      if let known = state.attempts[token] { return known }
      let attempt = KeptAttempt(token, spec, run: run, places: self)
      state.attempts[token] = attempt
      return attempt
    }
  }

  /// Returns an attempt that this engine or an earlier one has begun; nil if there is none.
  func found(_ token: AttemptToken) throws(RunnerFailure) -> KeptAttempt? {
    if let known = state.withLock({ $0.attempts[token] }) { return known }
    guard let run = token.run else { return nil }
    guard mayAccess(root, .existence) else {
      // The whole folder may be out of reach, on a file system that is not mounted.
      throw .cannotAsk("the folder \(root) is not there: mount its file system, or create it")
    }
    guard let recorded = recordedPlace(of: token) else { return nil }
    let place = adopted(recorded, of: run)
    return state.withLock { state in
      if let known = state.attempts[token] { return known }
      let attempt = KeptAttempt(token, in: place, run: run, places: self)
      state.attempts[token] = attempt
      state.runs[run]?.roster.put(token, in: recorded)
      return attempt
    }
  }

  /// The place in which an attempt was begun, or was to begin; nil if there is none.
  func recordedPlace(of token: AttemptToken) -> AttemptToken? {
    guard let run = token.run else { return nil }
    return recordedPlaces(of: run).last { place in
      let pool = KeptPlace.poolPath(in: AttemptFolder(of: place, in: root).path)
      return AttemptFolder(of: token, in: pool).exists
    }
  }

  /// Forgets an attempt that is over, so that another one may have its slot.
  func forget(_ token: AttemptToken) {
    state.withLock { $0.attempts[token] = nil }
    vacate(token)
  }

  /// Gives back the slot of an attempt, or its turn.
  func vacate(_ token: AttemptToken) {
    guard let run = token.run else { return }
    let now = clock.now
    state.withLock { $0.runs[run]?.roster.forget(token, at: now) }
    settle(run)
  }

  // MARK: Placement

  /// Says where an attempt is; it waits from then on, and is called when that has changed.
  func placement(of token: AttemptToken, for timeLimit: Duration?, in run: RunID) -> Placement {
    search(run)
    let now = clock.now
    state.withLock { state in
      guard state.runs[run]?.refusals[token] == nil else { return }
      if let place = state.runs[run]?.roster.place(of: token),
        state.runs[run]?.places[place]?.isOver == true
      {
        state.runs[run]?.roster.forget(token, at: now)
      }
      state.runs[run]?.roster.wait(token, for: timeLimit)
    }
    settle(run)
    return state.withLock { state in
      guard let known = state.runs[run] else { return .waiting(nil, "") }
      if let refusal = known.refusals[token] {
        state.runs[run]?.refusals[token] = nil
        return .refused(refusal)
      }
      if let place = known.roster.place(of: token).flatMap({ known.places[$0] }) {
        return .admitted(place)
      }
      guard let place = known.roster.awaited.flatMap({ known.places[$0] }) else {
        return .waiting(nil, "all slots of \(site.name) are taken")
      }
      guard case .waiting(let reason) = place.status else { return .waiting(place, "") }
      return .waiting(place, reason)
    }
  }

  /// Finds what an earlier engine has left, which is used as long as it is there.
  private func search(_ run: RunID) {
    let isSearched = state.withLock { state in
      defer { state.runs[run, default: OfRun(roster: PlaceRoster(limits))].isSearched = true }
      return state.runs[run]?.isSearched == true
    }
    guard !isSearched else { return }
    for token in recordedPlaces(of: run) where AttemptFolder(of: token, in: root).result == nil {
      _ = adopted(token, of: run)
    }
  }

  /// Does what must be done after a change.
  private func settle(_ run: RunID) {
    let now = clock.now
    let (changed, requested) = state.withLock { state -> ([KeptAttempt], [KeptPlace]) in
      guard var known = state.runs[run] else { return ([], []) }
      for place in known.places.values where place.isOver {
        known.roster.remove(place.token)
        known.places[place.token] = nil
        if case .over(let reason) = place.status, !place.wasReady { known.refuse(reason) }
      }
      for place in known.places.values {
        if let since = place.readySince { known.roster.ready(place.token, since: since) }
      }
      var changed = Set(known.refusals.keys)
      var requested: [KeptPlace] = []
      for action in known.roster.settle(at: now) {
        switch action {
        case .admit(let attempt, to: _): changed.insert(attempt)
        case .request:
          let token = AttemptToken(run: run, step: name, generation: 0, attempt: 0)
          let place = newPlace(token, isAdopted: false)
          known.roster.add(token, at: now)
          known.places[token] = place
          requested.append(place)
        case .giveBack(let token):
          guard let place = known.places.removeValue(forKey: token) else { continue }
          known.givingBack.append(Task { await place.release() })
        }
      }
      known.timer?.cancel()
      known.timer = known.roster.nextGivingBack.map { time in
        Task { [weak self, clock] in
          guard (try? await clock.sleep(for: max(time - clock.now, .zero))) != nil else { return }
          self?.settle(run)
        }
      }
      state.runs[run] = known
      return (changed.compactMap { state.attempts[$0] }, requested)
    }
    for place in requested { listen(to: place, of: run) }
    for attempt in changed { attempt.placementChanged() }
  }

  private func listen(to place: KeptPlace, of run: RunID) {
    place.listen(place.token) { [weak self] in
      self?.settle(run)
      self?.placesChanged(run)
    }
    settle(run)
  }

  /// Has attempts that wait look at the reason again.
  private func placesChanged(_ run: RunID) {
    let waiting = state.withLock { state in
      (state.runs[run]?.roster.waiting ?? []).compactMap { state.attempts[$0] }
    }
    for attempt in waiting { attempt.placementChanged() }
  }

  // MARK: Places

  /// Gives back the places of a run.
  func release(_ run: RunID) async -> String? {
    let known = state.withLock { $0.runs.removeValue(forKey: run) }
    known?.timer?.cancel()
    await withTaskGroup { group in
      for place in (known?.places ?? [:]).values where !place.isOver {
        group.addTask { await place.release() }
      }
      for task in known?.givingBack ?? [] { group.addTask { await task.value } }
    }
    return await site.holders.release(run)
  }

  /// Returns a place that an earlier engine has requested.
  private func adopted(_ token: AttemptToken, of run: RunID) -> KeptPlace {
    let now = clock.now
    let (place, isNew) = state.withLock { state -> (KeptPlace, Bool) in
      var known = state.runs[run] ?? OfRun(roster: PlaceRoster(limits))
      if let place = known.places[token] { return (place, false) }
      let place = newPlace(token, isAdopted: true)
      known.places[token] = place
      known.roster.add(token, at: now)
      state.runs[run] = known
      return (place, true)
    }
    if isNew { listen(to: place, of: run) }
    return place
  }

  private func newPlace(_ token: AttemptToken, isAdopted: Bool) -> KeptPlace {
    KeptPlace(
      token, isAdopted: isAdopted, in: root, site: site, orphanAfter: orphanAfter, clock: clock)
  }

  /// The places of a run whose folders are there; no generation of a step is 0.
  private func recordedPlaces(of run: RunID) -> [AttemptToken] {
    let prefix = "\(run).\(name).0.0."
    return FolderReader.names(in: root).filter { $0.hasPrefix(prefix) }.compactMap {
      AttemptToken($0)
    }
  }
}
