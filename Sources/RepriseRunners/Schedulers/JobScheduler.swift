// `JobScheduler`: what a runner must know of a scheduler. Programs that embed the engine write their own.

public import Reprise

/// A scheduler that runs jobs on other machines, such as a batch system, as three calls.
///
/// Everything else is done by `RunnerExecutor(jobsOf:named:in:)`:
/// each attempt of a step is a job, which runs `reprise host`. That host claims the attempt in a folder
/// that all machines share, so that it never runs twice, renews a sign of life, and writes the output
/// and the result there. So no answer of the scheduler is taken for a result, and jobs go on when the
/// engine has died: the next one finds them by their numbers.
///
/// The methods are called on any thread, several at once, and must return or throw soon after their
/// task is cancelled.
public protocol JobScheduler: Sendable {
  /// The name of the scheduler in messages, such as `Slurm`.
  var name: String { get }

  /// Submits a job; called for at most four attempts at once.
  ///
  /// - Parameter job: The job.
  /// - Returns: Its number: a word by which ``jobs(within:)`` lists it and ``cancel(_:within:)`` takes it,
  ///   also for the next engine. People see it.
  /// - Throws: `RunnerFailure.refused` if the scheduler does not take it, which fails the step with this
  ///   text; `.full` if it takes no more jobs now, so that the step waits until one of this runner has
  ///   ended, or for up to a minute; `.neverBegun` if it certainly has not got it, and `.cannotAsk` if
  ///   that is unknown: it is submitted again after 1 s and more. Two jobs of an attempt do no harm: the
  ///   second one to start ends at once.
  func submit(_ job: NewJob) async throws(RunnerFailure) -> String

  /// Lists the jobs of this user, for all attempts together: twice a second after a change, and less and
  /// less often while nothing changes.
  ///
  /// A job is gone that is missing in two answers, 2 s apart, which were asked for later than 2 s after its
  /// submission, and that gives no other sign of life.
  ///
  /// - Parameter limit: The time after which there must be an answer, or an error.
  /// - Returns: The jobs; those that have ended may be missing, and others may be there.
  /// - Throws: `RunnerFailure.cannotAsk` if the scheduler does not answer; what is known remains.
  func jobs(within limit: Duration) async throws(RunnerFailure) -> [SchedulerJob]

  /// Removes jobs from the queue, whether they wait or run.
  ///
  /// It is called again as long as they are listed as waiting or running, for some seconds. A job that
  /// starts all the same ends at once.
  ///
  /// - Parameters:
  ///   - jobs: Their numbers, at most 100.
  ///   - limit: The time after which it must return.
  /// - Throws: `RunnerFailure` with what is wrong, which is shown if jobs are left at the end of the run.
  func cancel(_ jobs: [String], within limit: Duration) async throws(RunnerFailure)

  /// Says what has ended a job, by asking for one that is not listed any more.
  ///
  /// Asked if an attempt is lost or was ended by a signal, or if causes decide about its next attempt. The
  /// default knows nothing.
  ///
  /// - Parameters:
  ///   - job: Its number.
  ///   - limit: The time after which there must be an answer, or an error.
  /// - Returns: The end; nil if the job has ended by itself, or if nothing is known.
  /// - Throws: `RunnerFailure.cannotAsk` if it is too early to say: it is asked again, for 20 s.
  func end(ofJob job: String, within limit: Duration) async throws(RunnerFailure) -> AttemptEnd?

  /// Returns what a person does to remove jobs, in a message about jobs that are left; such as a command.
  ///
  /// - Parameter jobs: Some of their numbers.
  /// - Returns: The command, or a few words.
  func removal(of jobs: [String]) -> String
}

extension JobScheduler {
  /// Returns nil: nothing is known.
  public func end(
    ofJob job: String, within limit: Duration
  ) async throws(RunnerFailure) -> AttemptEnd? { nil }

  /// Returns `cancel the jobs` with the numbers.
  public func removal(of jobs: [String]) -> String {
    "cancel the jobs " + jobs.joined(separator: " ")
  }
}

/// A scheduler that takes equal jobs together, as one array.
protocol ArrayScheduler: JobScheduler {
  /// What jobs have in common that may be one array; nil if there are no arrays.
  var arrayGroup: String? { get }
  /// The variable in which a job of an array finds its index, from 1; and others that describe the array.
  var arrayVariables: [String] { get }

  /// Submits jobs as one array.
  ///
  /// - Parameters:
  ///   - job: The job that all of them are.
  ///   - count: Their number.
  /// - Returns: The number of each, or that these are too many.
  /// - Throws: What ``JobScheduler/submit(_:)`` throws.
  func submit(
    _ job: NewJob, elements count: Int
  ) async throws(RunnerFailure) -> Result<[String], Submission.Refusal>
}

/// A job that is to be submitted: one attempt of a step.
public struct NewJob: Sendable {
  /// The path of the program that the job runs: a script without arguments, which all machines share.
  ///
  /// It ends when nothing of the attempt is left; its exit status says nothing.
  public let script: String
  /// The path of a file for what the job prints, which is nothing unless something is wrong.
  public let log: String
  /// The path of the folder of the attempt, where the scheduler may keep files of its own.
  ///
  /// It is removed when a run with a journal has ended, unless the runner names another place for attempts
  /// than its engine.
  public let folder: String
  /// A name for people, with the id of the step: at most 15 letters, digits and `_`; not unique.
  public let name: String
  /// The marks that keep an engine on the same machine from ending what a command leaves running.
  let marks: [String: String]
}
