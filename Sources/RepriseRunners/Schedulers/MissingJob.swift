// `MissingJob`: decides whether a job that a scheduler does not list is gone.

import Reprise

/// What the accounts of a scheduler say of a job that is not listed.
enum JobAccount: Sendable, Equatable {
  /// There are no accounts, or they do not know it.
  case unknown
  /// They should be there, and do not answer.
  case silent
  /// It waits or runs, in this state.
  case active(String)
  case ended
}

/// A job that lists do not show, though they were asked for late enough after its submission.
///
/// A single list may be wrong, such as one of a controller that has just been started again. So a job is
/// gone only when a second list agrees, and the accounts, if there are any, do not say that it waits or runs.
struct MissingJob: Equatable, Sendable {
  /// Whether the job is gone.
  enum Verdict: Equatable, Sendable {
    case gone
    /// It may be there, for this reason.
    case doubtful(String)
  }

  /// How much later than the first list the second one must be.
  static let doubt = Duration.seconds(2)
  /// How long accounts are waited for.
  private static let accountTimeMax = Duration.seconds(20)

  private let since: Timestamp
  private var lastAt: Timestamp
  private(set) var account: JobAccount?

  /// Creates the value for the first list without the job, which was asked for at a time.
  init(since time: Timestamp) { (since, lastAt) = (time, time) }

  /// Notes another list without the job.
  mutating func note(listAskedAt time: Timestamp) { lastAt = max(lastAt, time) }

  /// Notes what the accounts say.
  mutating func note(_ account: JobAccount) { self.account = account }

  /// Whether a second list agrees, so that the accounts decide.
  var isConfirmed: Bool { lastAt - since >= Self.doubt }

  /// Whether the accounts must be asked.
  var needsAccount: Bool {
    guard isConfirmed else { return false }
    switch account {
    case nil, .silent, .active: return true
    case .unknown, .ended: return false
    }
  }

  /// Whether the job is gone.
  ///
  /// - Parameter scheduler: The name of the scheduler.
  /// - Returns: Whether it is, or why that is not certain.
  func verdict(of scheduler: String) -> Verdict {
    guard isConfirmed, let account else { return .doubtful("\(scheduler) does not list the job") }
    switch account {
    case .unknown, .ended: return .gone
    case .active(let state):
      return .doubtful("\(scheduler) does not list the job, which is \(state) by its accounts")
    case .silent:
      // Where they never answer, lists must do.
      return lastAt - since >= Self.accountTimeMax
        ? .gone : .doubtful("\(scheduler) does not list the job, and its accounts do not answer")
    }
  }
}
