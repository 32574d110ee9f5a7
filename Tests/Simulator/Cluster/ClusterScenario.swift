// A scenario of a cluster: a workflow whose steps are jobs, what the cluster is like, and what
// happens to both, as a value that can be shrunk, printed and stored.

import RepriseTesting
import WorkflowFiles

/// All inputs of a simulation of steps that are jobs of a scheduler.
public struct ClusterScenario: Codable, Sendable, Equatable {
  /// The behaviour of one execution of a step.
  struct Behaviour: Codable, Sendable, Equatable {
    /// The duration, in milliseconds.
    var length = 1000
    /// Its exit status.
    var status = 0
    /// How long it takes to stop, in milliseconds.
    var stopTime = 0
  }

  /// A step of the file.
  struct Step: Codable, Sendable, Equatable {
    var id: String
    var needs: [String] = []
    /// The number of items of its `foreach`; 0 without one.
    var items = 0
    /// How often it is retried.
    var retries = 0
    var mutex: String?
    /// Whether its runner has settings that the scheduler never accepts.
    var isRefused = false
    /// The behaviours of its executions, in turn; repeated from the first after the last.
    var behaviours = [Behaviour()]
  }

  /// What a scheduler does to a job that runs.
  enum Accident: String, Codable, CaseIterable {
    /// It makes room for another job: it is asked to end, or killed.
    case preempted
    /// The same, and it waits again.
    case requeued
    case timeLimit
    case outOfMemory
    case deadline
    /// The scheduler gives it up, and it goes on.
    case givenUp
  }

  /// An action on the run or the cluster.
  enum Action: Codable, Sendable, Equatable {
    case restart
    case restartFrom(String)
    case cancel
    case cancelStep(String)
    /// The engine is killed; the run is resumed after these milliseconds, or cancelled without an engine.
    case crash(pause: Int, cancels: Bool)
    /// Something happens to one of the jobs that run.
    case strike(Accident)
    /// A node fails with all that runs there.
    case nodeFails(Int)
    /// No command is answered, for these milliseconds.
    case away(Int)
    /// Lists leave out some of the jobs, for these milliseconds.
    case forgets(Int)
  }

  /// An action at a point in virtual time.
  struct Moment: Codable, Sendable, Equatable {
    /// The time in milliseconds.
    var time: Int
    /// The number of jobs and queue items to run first, if there are as many.
    var items: Int
    var action: Action
  }

  /// What the accounts of the scheduler are like.
  enum Accounts: String, Codable, CaseIterable {
    case none, disabled, silent, complete
  }

  /// What the cluster is like.
  struct Cluster: Codable, Sendable, Equatable {
    /// Whether it is asked by the commands of Slurm; else by those of any other scheduler.
    var isSlurm = true
    var nodes = 2
    /// The number of jobs that a node runs at once.
    var slots = 4
    /// The largest number of jobs of a user.
    var queueLimit: Int?
    var arraySizeMax = 1000
    /// The longest time of a command, in milliseconds.
    var latency = 50
    /// How long a job may be unknown after its submission, in milliseconds.
    var showsAfter = 0
    /// How old a list may be when it is asked for, in milliseconds.
    var staleness = 0
    /// How long a removal may take after its answer, in milliseconds.
    var cancelDelay = 0
    /// How long a job may wait although there is room, in milliseconds.
    var wait = 500
    /// Of a hundred submissions, how many are not answered.
    var lostAnswers = 0
    var accounts = Accounts.none
    /// For how many seconds lists show jobs that have ended.
    var memory = 300
    /// Whether lists may leave out jobs for longer than anyone can allow for.
    var lies = false
  }

  var steps: [Step] = []
  var moments: [Moment] = []
  var cluster = Cluster()
  /// The largest number of steps that run at once on the runner.
  var maxParallel: Int?
  /// The shortest time between two submissions, in milliseconds.
  var submitEvery = 0
  /// The longest time between two lists, in seconds.
  var poll = 5
  /// The shortest sleep of the engine, in milliseconds: its machine is slow.
  var quantum = 100
  /// The seed of the order of work, and of all that the cluster decides.
  var schedule: UInt64 = 0
  var policy = SchedulePolicy.random

  /// The number of steps in the file.
  public var stepCount: Int { steps.count }

  /// The time of the last moment, in milliseconds.
  var horizon: Int { moments.map(\.time).max() ?? 0 }

  /// The workflow.
  var yaml: String {
    let kind = cluster.isSlurm ? "slurm" : "jobs"
    var settings = "poll: \(poll)s, submit-every: \(submitEvery)ms"
    if let maxParallel { settings += ", max-parallel: \(maxParallel)" }
    var text = """
      name: jobs
      grace: 2s
      runners:
        cluster: { \(kind): { \(settings) } }
        refused: { \(kind): { account: nobody } }
      runner: cluster
      steps:

      """
    for step in steps {
      text += "  - { id: \(step.id), needs: [\(step.needs.joined(separator: ", "))]"
      if step.items > 0 { text += ", foreach: { from: 1, to: \(step.items) }" }
      if let mutex = step.mutex { text += ", mutex: \(mutex)" }
      if step.retries > 0 { text += ", retry: { limit: \(step.retries), delay: 1s }" }
      if step.isRefused { text += ", runner: refused" }
      text += ", exec: [work] }\n"
    }
    return text
  }

  /// The scenario for a reader.
  public var text: String {
    let behaviours = steps.map { step in
      "\(step.id): "
        + step.behaviours.map { "\($0.length) ms, status \($0.status), stops in \($0.stopTime) ms" }
        .joined(separator: "; ")
    }
    let moments = moments.sorted { $0.time < $1.time }.map {
      "at \($0.time) ms, after \($0.items) items: \($0.action)"
    }
    return ([yaml, "\(cluster)"] + behaviours + moments).joined(separator: "\n")
  }
}
