// A scenario: everything that a simulation is made of, as a value that can be shrunk, printed and stored.

/// A workflow, how its steps behave, what is done to the run and when, and the seed of the schedule.
public struct Scenario: Codable, Sendable, Equatable {
  /// How one execution of a step goes.
  struct Behaviour: Codable, Sendable, Equatable {
    enum Ending: Codable, Sendable, Equatable {
      case success
      case exit(Int)
      case error
    }

    /// What it does when its task is cancelled.
    enum OnCancel: Codable, Sendable, Equatable {
      case stop
      /// Needs so many milliseconds to stop, which nothing but a kill shortens.
      case stopSlowly(Int)
      /// Goes on to its end as if nothing had happened.
      case ignore
    }

    /// How many milliseconds it takes; 0 returns at once.
    var length = 0
    var ending = Ending.success
    var onCancel = OnCancel.stop
    /// How many lines it writes.
    var lines = 0
  }

  struct Retry: Codable, Sendable, Equatable {
    var limit: Int
    var delay: Int
    var jitter: Bool
  }

  /// One step of the file.
  struct Step: Codable, Sendable, Equatable {
    var id: String
    var needs: [String] = []
    /// How many steps `foreach` makes of it; 0 without.
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
    /// A condition: `always()`, `failure()` or `1 == 2`.
    var condition: String?
    /// How its executions go, one after the other, from the first again after the last.
    var behaviours = [Behaviour()]
  }

  /// What a listener does.
  struct Listener: Codable, Sendable, Equatable {
    /// How many events it asks for at once; 0 asks for all.
    var demand = 0
    /// Milliseconds between two requests.
    var pause = 0
    /// Blocks for so many milliseconds at each tenth event.
    var blocks = 0
    /// Leaves after so many events; 0 stays.
    var leavesAfter = 0
  }

  /// Something that is done to the run.
  enum Action: Codable, Sendable, Equatable {
    case restart
    case restartFrom(String)
    /// With the same workflow, which decides at once.
    case restartWith([String])
    case cancel
    case kill
    case approve(String)
    case refuse(String)
    case listen(Listener)
    /// The process dies; the run is resumed from what the disk holds.
    case crash
    case diskFull
    case diskFree
  }

  /// Something that is done at a moment of virtual time.
  struct Moment: Codable, Sendable, Equatable {
    /// Milliseconds.
    var time: Int
    /// Then so many jobs and queue items run before it happens, if there are as many.
    var items: Int
    var action: Action
  }

  /// How the disk behaves.
  struct Disk: Codable, Sendable, Equatable {
    /// The longest time of a write in milliseconds; 0 for none.
    var delay = 0
    /// Of how many writes one is a hundred times as slow; 0 for none.
    var slowEvery = 0
    /// Whether there is a recorder at all.
    var isUsed = true
    /// Whether a batch that was being written at a crash may be there in part.
    var tears = false
  }

  var steps: [Step] = []
  /// The steps under `finally`.
  var finally: [Step] = []
  var maxParallel: Int?
  var failsFast = false
  var timeout: Int?
  var moments: [Moment] = []
  var disk = Disk()
  /// How often a run that has ended without success is resumed.
  var resumes = 0
  /// Whether approvals that nobody has answered are granted at the end, or else refused.
  var grantsAtEnd = true

  /// The seed of the order in which work runs.
  var schedule: UInt64 = 0
  var policy = SchedulePolicy.random
  /// The part of the work that is put aside for long.
  var lazyChance = 0.0

  /// All steps in file order.
  var allSteps: [Step] { steps + finally }
}

extension Scenario {
  /// How many steps the file has.
  public var stepCount: Int { allSteps.count }
}
