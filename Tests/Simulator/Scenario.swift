// A scenario: all inputs of a simulation, as a value that can be shrunk, printed and stored.

/// A workflow, the behaviour of its steps, timed actions on the run, and the seed of the schedule.
public struct Scenario: Codable, Sendable, Equatable {
  /// The behaviour of one execution of a step.
  struct Behaviour: Codable, Sendable, Equatable {
    enum Ending: Codable, Sendable, Equatable {
      case success
      case exit(Int)
      case error
    }

    /// The reaction to a cancel of its task.
    enum OnCancel: Codable, Sendable, Equatable {
      case stop
      /// Takes this many milliseconds to stop, unless the run is killed.
      case stopSlowly(Int)
      /// Ignores the cancel and continues to its end.
      case ignore
    }

    /// The duration in milliseconds; 0 returns immediately.
    var length = 0
    var ending = Ending.success
    var onCancel = OnCancel.stop
    /// The number of lines that it writes.
    var lines = 0
  }

  struct Retry: Codable, Sendable, Equatable {
    var limit: Int
    var delay: Int
    var jitter: Bool
  }

  /// A step of the file.
  struct Step: Codable, Sendable, Equatable {
    var id: String
    var needs: [String] = []
    /// The number of steps that `foreach` makes of it; 0 without `foreach`.
    var items = 0
    /// Whether the items are written as a matrix.
    var isMatrix = false
    var groupLimit: Int?
    var failsFast = false
    var mutex: String?
    var share: String?
    var approval = false
    var isOnlyApproval = false
    var continuesOnError = false
    var timeout: Int?
    var retry: Retry?
    /// A condition: `always()`, `failure()`, `success()` or `1 == 2`.
    var condition: String?
    /// The behaviours of its executions, in turn; repeated from the first after the last.
    var behaviours = [Behaviour()]
  }

  /// The behaviour of a subscriber.
  struct Listener: Codable, Sendable, Equatable {
    /// The number of events for each request; 0 requests all.
    var demand = 0
    /// The milliseconds between two requests.
    var pause = 0
    /// The milliseconds for which it blocks at each tenth event.
    var blocks = 0
    /// The number of events after which it cancels; 0 never cancels.
    var leavesAfter = 0
  }

  /// A step with computed items, before all others; none of these steps depends on the others.
  struct ComputedItems: Codable, Sendable, Equatable {
    var count: Int
    /// The durations of the step that computes the items and of each item, in milliseconds.
    var listLength: Int
    var itemLength: Int
    static let list = "list"
    static let each = "each"

    /// The items, as the output of the step that computes them.
    var text: String { "[" + (0..<count).map(String.init).joined(separator: ", ") + "]" }

    /// Returns whether a step is one of these.
    static func contains(_ id: String) -> Bool { id == list || id.hasPrefix(each) }
  }

  /// An action on the run.
  enum Action: Codable, Sendable, Equatable {
    case restart
    case restartFrom(String)
    /// Restarts with the same workflow, from the given steps.
    case restartWith([String])
    case cancel
    case kill
    /// Cancels a step while the run continues; kills it if it is already being cancelled.
    case cancelStep(String)
    /// Sets the result of a step by hand: succeeded, or skipped.
    case set(String, skipped: Bool)
    case pause
    case unpause
    case approve(String)
    case refuse(String)
    case listen(Listener)
    /// The process crashes; the run is resumed from what the disk holds.
    case crash
    case diskFull
    case diskFree
  }

  /// An action at a point in virtual time.
  struct Moment: Codable, Sendable, Equatable {
    /// The time in milliseconds.
    var time: Int
    /// The number of jobs and queue items to run first, if there are as many.
    var items: Int
    var action: Action
  }

  /// The behaviour of the disk.
  struct Disk: Codable, Sendable, Equatable {
    /// The maximum duration of a write in milliseconds; 0 for no delay.
    var delay = 0
    /// One in this many writes is a hundred times as slow; 0 for none.
    var slowEvery = 0
    /// Whether there is a recorder.
    var isUsed = true
    /// Whether a batch that was being written at a crash may be stored in part.
    var tears = false
  }

  var steps: [Step] = []
  /// The steps under `finally`.
  var finally: [Step] = []
  /// The step with computed items, if there is one.
  var computed: ComputedItems?
  /// The tree of groups that takes the place of the steps, if there is one.
  var forest: Forest?
  var maxParallel: Int?
  var failsFast = false
  var timeout: Int?
  var moments: [Moment] = []
  var disk = Disk()
  /// The number of times that a run without success is resumed.
  var resumes = 0
  /// Whether unanswered approvals are granted at the end, or refused.
  var grantsAtEnd = true

  /// The seed of the order in which work runs.
  var schedule: UInt64 = 0
  var policy = SchedulePolicy.random
  /// Whether the policy has no exceptions.
  var isStrict: Bool?
  /// The fraction of the work that is delayed for long.
  var lazyChance = 0.0

  /// All steps in file order.
  var allSteps: [Step] { steps + finally }
}

extension Scenario {
  /// The number of steps in the file.
  public var stepCount: Int { allSteps.count + (forest?.stepCount ?? 0) }
}
