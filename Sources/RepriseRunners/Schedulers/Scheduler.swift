// `Scheduler`: a batch system, by its commands.

public import Reprise

/// A batch system, as its commands show it: which jobs there are, and how they are removed.
protocol Scheduler: Sendable {
  /// Its name in messages, such as `Slurm`.
  var name: String { get }

  /// Lists the jobs of this user.
  ///
  /// - Parameter limit: The time after which the command is killed.
  /// - Returns: The jobs by what ``key(of:)`` returns; several may have the same one.
  /// - Throws: ``RunnerFailure/cannotAsk(_:)``, or what prevents that the command starts.
  func jobs(within limit: Duration) async throws(RunnerFailure) -> [String: [SchedulerJob]]

  /// Returns what the jobs of an attempt are listed by: their name, or a number; nil if none is known.
  func key(of token: AttemptToken) -> String?

  /// Says what the accounts of the scheduler know of jobs that are not listed.
  ///
  /// - Parameters:
  ///   - tokens: The attempts whose jobs are asked for.
  ///   - limit: The time after which a command is killed.
  /// - Returns: What they know; jobs that they do not know may be missing.
  func accounts(
    of tokens: [AttemptToken], within limit: Duration
  ) async -> [AttemptToken: JobAccount]

  /// Removes jobs.
  ///
  /// - Parameters:
  ///   - jobs: Their numbers.
  ///   - limit: The time after which the command is killed.
  /// - Returns: What is wrong, in a sentence; nil if nothing is.
  func cancel(_ jobs: [String], within limit: Duration) async -> String?

  /// Returns the command by which a person removes jobs.
  func removal(of jobs: [String]) -> String
}

extension Scheduler {
  /// There are no accounts.
  func accounts(
    of tokens: [AttemptToken], within limit: Duration
  ) async -> [AttemptToken: JobAccount] { [:] }
}

/// A job as a scheduler shows it.
public struct SchedulerJob: Sendable, Equatable {
  /// How far a job is.
  public enum Phase: Sendable {
    /// It waits.
    case queued
    /// It runs, or is about to.
    case running
    /// Its processes are ending; it need not be removed any more.
    case ending
    /// It is over: it neither runs nor will.
    case ended
    /// It will never run as it is, and stays in the queue until it is removed.
    case refused
  }

  /// The number of the job.
  public var id: String
  /// The scheduler's word for its state; may be empty.
  public var state: String
  /// Why it waits, or how it ended; empty if that is unknown.
  public var reason: String
  /// How far it is.
  public var phase: Phase
  /// What has ended it; nil if it has not ended, has ended by itself, or if that is unknown.
  public var cause: LossCause?
  /// The machine that it runs or has run on; empty if that is unknown, or if there are several.
  var node = ""

  /// Creates a job.
  ///
  /// - Parameters:
  ///   - id: Its number.
  ///   - phase: How far it is; one of an unknown state is best taken as queued.
  ///   - state: The scheduler's word for its state, which is shown if there is no reason.
  ///   - reason: Why it waits, or how it ended.
  ///   - cause: What has ended it.
  public init(
    _ id: String, _ phase: Phase, state: String = "", reason: String = "", cause: LossCause? = nil
  ) {
    (self.id, self.phase, self.state, self.reason) = (id, phase, state, reason)
    self.cause = cause
  }

  init(_ id: String, _ phase: Phase, state: String, reason: String, node: String) {
    self.init(id, phase, state: state, reason: reason)
    self.node = node
  }

  /// Whether it waits, runs, or may run, so that it must be removed when it is not wanted any more.
  var isActive: Bool { phase == .queued || phase == .running || phase == .refused }
}
