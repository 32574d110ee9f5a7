// `SubmissionTimes`: decides whether a list of a scheduler can show the job of an attempt yet.

import Reprise
import Synchronization

/// When the jobs of a runner were submitted.
///
/// A scheduler may not know a job for a moment that was just submitted: neither its list nor its command that
/// removes jobs does then. So a list says that there is no job only if it was asked for later than that.
final class SubmissionTimes: Sendable {
  private struct State {
    var inFlight: Set<AttemptToken> = []
    var endedAt: [AttemptToken: Timestamp] = [:]
    var sweptAt: Timestamp
  }

  /// How long after its submission a scheduler may not know a job yet.
  static let doubt = Duration.seconds(2)
  /// No list that counts is older than this.
  private static let memory = Duration.seconds(60)

  /// When this began to take note: what an earlier engine has submitted is older.
  private let startedAt: Timestamp
  private let state: Mutex<State>

  init(since startedAt: Timestamp) {
    self.startedAt = startedAt
    state = Mutex(State(sweptAt: startedAt))
  }

  /// Notes that an attempt is being submitted.
  func begin(_ token: AttemptToken) { state.withLock { _ = $0.inFlight.insert(token) } }

  /// Notes that the command that submits has ended, with any answer or none.
  func end(_ token: AttemptToken, at now: Timestamp) {
    state.withLock { state in
      state.inFlight.remove(token)
      state.endedAt[token] = now
      guard now - state.sweptAt > Self.memory else { return }
      state.sweptAt = now
      state.endedAt = state.endedAt.filter { now - $0.value <= Self.memory }
    }
  }

  /// The time after which lists show the job of an attempt, if it has one; nil while it is being submitted.
  func listed(_ token: AttemptToken) -> Timestamp? {
    state.withLock { state in
      guard !state.inFlight.contains(token) else { return nil }
      return (state.endedAt[token] ?? startedAt).advanced(by: Self.doubt)
    }
  }

  /// Whether a list that was asked for at a time shows the job of an attempt, if it has one.
  func isListed(_ token: AttemptToken, at time: Timestamp) -> Bool {
    listed(token).map { time > $0 } ?? false
  }
}
