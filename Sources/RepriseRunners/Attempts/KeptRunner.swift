// `KeptRunner`: a runner whose attempts share a place that is kept for their run.

import Platform
package import Reprise
import Synchronization

/// A runner with one place for all steps of a run, such as an allocation or a container.
///
/// The place is requested for the first step, and given back at the end of the run. Attempts wait
/// for it as for a scheduler. When the engine dies, place and attempts go on; the next engine of the
/// run adopts both. A place that no engine wants and in which nothing runs gives itself back.
package struct KeptRunner: Runner {
  /// Attempts and their place go on without the engine.
  package var survivesEngine: Bool { true }

  private let places: KeptPlaces

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - site: How places are kept.
  ///   - name: The name of the runner with its settings, which tells its places from others.
  ///   - root: The folder of all attempts.
  ///   - orphanAfter: How long a place without steps waits for an engine.
  ///   - clock: The source of time.
  package init(
    _ site: any KeptSite, named name: String, attempts root: String, orphanAfter: Duration,
    clock: any RunClock
  ) {
    places = KeptPlaces(site, name, root, orphanAfter, clock)
  }

  package func begin(
    _ spec: AttemptSpec, token: AttemptToken
  ) async throws(RunnerFailure) -> any RunnerHandle {
    try places.attempt(token, spec)
  }

  package func find(
    _ token: AttemptToken
  ) async throws(RunnerFailure) -> (any RunnerHandle)? {
    guard let attempt = try places.found(token) else { return nil }
    if try await attempt.isAbsent() {
      places.forget(token)
      return nil
    }
    return attempt
  }

  /// Takes the claim of an attempt in its place that no host has, so that it never begins.
  package func revoke(_ token: AttemptToken) async throws(RunnerFailure) -> (any RunnerHandle)? {
    guard let attempt = try places.found(token) else { return nil }
    guard try attempt.revoke() else { return attempt }
    places.forget(token)
    return nil
  }

  package func look(
    _ tokens: [AttemptToken]
  ) async throws(RunnerFailure) -> [AttemptToken: AttemptSight] {
    var sights: [AttemptToken: AttemptSight] = [:]
    for token in tokens { sights[token] = try await places.found(token)?.sight() ?? .gone }
    return sights
  }

  package func reasonForLoss(of token: AttemptToken) async -> AttemptEnd? {
    guard let place = places.recordedPlace(of: token) else { return nil }
    return await places.site.holders.reasonForLoss(of: place)
  }

  package func reasonForEnd(of token: AttemptToken) async -> AttemptEnd? {
    guard let place = places.recordedPlace(of: token) else { return nil }
    return await places.site.holders.reasonForEnd(of: place)
  }

  package func release(_ run: RunID) async -> String? { await places.release(run) }
}

/// The places of a runner, and the attempts in them.
final class KeptPlaces: Sendable {
  private struct State {
    /// All places of a run that this engine has requested or found; the last one is in use.
    var places: [RunID: [KeptPlace]] = [:]
    var attempts: [AttemptToken: KeptAttempt] = [:]
  }

  let site: any KeptSite
  let clock: any RunClock
  private let name: String
  private let root: String
  private let orphanAfter: Duration
  private let state = Mutex(State())

  init(
    _ site: any KeptSite, _ name: String, _ root: String, _ orphanAfter: Duration,
    _ clock: any RunClock
  ) {
    self.site = site
    self.name = name
    self.root = root
    self.orphanAfter = orphanAfter
    self.clock = clock
  }

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
      throw .cannotAsk("the folder \(root) is not there")
    }
    guard let place = recordedPlace(of: token) else { return nil }
    return state.withLock { state in
      let attempt = KeptAttempt(
        token, in: adopted(place, of: run, &state), run: run, places: self)
      state.attempts[token] = attempt
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

  func forget(_ token: AttemptToken) { state.withLock { $0.attempts[token] = nil } }

  /// Returns the place for the next attempt of a run; requests one if there is none.
  func place(for run: RunID) -> KeptPlace {
    let known = state.withLock { $0.places[run]?.last { !$0.isOver } }
    if let known { return known }
    let recorded = recordedPlaces(of: run)
    return state.withLock { state in
      if let place = state.places[run]?.last(where: { !$0.isOver }) { return place }
      let known = Set(state.places[run, default: []].map(\.token))
      // What an earlier engine has left is used, as long as it is there.
      for token in recorded where !known.contains(token) {
        let folder = AttemptFolder(of: token, in: root)
        if folder.result == nil { return adopted(token, of: run, &state) }
      }
      let token = AttemptToken(run: run, step: name, generation: 0, attempt: 0)
      let place = newPlace(token, isAdopted: false)
      state.places[run, default: []].append(place)
      return place
    }
  }

  /// Gives back the places of a run.
  func release(_ run: RunID) async -> String? {
    let places = state.withLock { $0.places.removeValue(forKey: run) ?? [] }
    await withTaskGroup { group in
      for place in places where !place.isOver { group.addTask { await place.release() } }
    }
    return await site.holders.release(run)
  }

  private func adopted(
    _ token: AttemptToken, of run: RunID, _ state: inout State
  ) -> KeptPlace {
    if let known = state.places[run]?.first(where: { $0.token == token }) { return known }
    let place = newPlace(token, isAdopted: true)
    // Before the one in use, which may be newer.
    state.places[run, default: []].insert(place, at: 0)
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
