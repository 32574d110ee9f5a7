// `KeptRunner`: a runner whose attempts share a place that is kept for their run.

package import Reprise

/// A runner with one place for all steps of a run, such as an allocation or a container, or with some.
///
/// A place is requested when steps wait, and given back at the end of the run at the latest. Attempts wait
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
  ///   - limits: How many places there are, and for how much.
  ///   - clock: The source of time.
  package init(
    _ site: any KeptSite, named name: String, attempts root: String, orphanAfter: Duration,
    limits: KeptLimits = KeptLimits(), clock: any RunClock
  ) {
    places = KeptPlaces(site, name, root, orphanAfter, limits, clock)
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
