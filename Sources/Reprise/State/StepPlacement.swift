// Where an attempt of a step runs, for steps with a runner, and what it waits for before.

/// Where the current or last attempt of a step runs.
public struct StepPlacement: Sendable, Equatable {
  /// The runner and the token.
  public internal(set) var place: RunnerPlace
  /// The reason that it waits there, which may be empty; nil once it has started.
  public internal(set) var queuedBecause: String?
  /// The machine that it runs on; nil until it has started, or if the runner does not say.
  public internal(set) var host: String?
  /// The reason that nothing can be said about it for now; nil while it is in sight.
  public internal(set) var outOfSightBecause: String?
  /// What the attempt has used there; nil until it ends, or if the runner does not say.
  public internal(set) var use: ResourceUse?
  /// The time at which it was given to the runner.
  public internal(set) var queuedAt: Timestamp
}

extension StepPlacement {
  /// Creates what is known once an attempt waits on a runner; for the same attempt, some is known
  /// already.
  init(_ place: RunnerPlace, because text: String, at time: Timestamp, after known: Self?) {
    if let known, known.place.token == place.token {
      self = known
    } else {
      self = StepPlacement(place: place, queuedAt: time)
    }
    self.place = place
    queuedBecause = text
  }

  /// The runner with the machine, for displays.
  package var title: String {
    guard let host else { return place.title }
    return "\(place.runner) \(host)" + (place.job.map { " (job \($0))" } ?? "")
  }
}

/// What a step waits for before its next attempt: a place of a pool, or several.
public struct PoolWait: Sendable, Equatable {
  /// The name of the pool.
  public internal(set) var pool: String
  /// What it waits for, such as `waits for pool "db" (2 of 2 in use)`.
  public internal(set) var text: String
  /// The time since which it waits.
  public internal(set) var since: Timestamp
}
