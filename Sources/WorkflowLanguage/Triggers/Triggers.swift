// What starts runs of a watched workflow, as its file declares it under `on`. Plain values: they know
// neither clocks nor files nor runs.

public import Schedules

/// What starts runs of a workflow while it is watched, and what happens to events that come while one
/// is under way.
public struct Triggers: Sendable, Equatable {
  /// Changed files.
  public var files: FileTrigger?
  /// Points in time.
  public var schedules: [Schedule] = []
  /// Lines of standard input.
  public var standardInput: InputFormat?
  /// Whether `reprise trigger` may start runs.
  public var hasSocket = false
  /// The workflows whose successful runs start one.
  public var after: [String] = []
  /// Whether the beginning of the watch starts one.
  public var atStart = false
  /// What happens to an event that comes while a run is under way.
  public var whenBusy = BusyPolicy.queue
  /// Whether `restart` takes only the steps again that changed files matter to.
  public var restartsAffected = false
  /// How long it has to be quiet before files or lines start something; what suits them when nil.
  public var debounce: Duration?
  /// How many events may wait, and what happens to more.
  public var buffer = EventBuffer()

  /// Nothing that starts runs.
  public init() {}
}

/// What happens to an event that comes while a run is under way.
public enum BusyPolicy: String, Sendable, CaseIterable {
  /// It waits for its turn.
  case queue
  /// The run is taken again, with the event.
  case restart
  /// It is dropped.
  case ignore
  /// It starts a run beside the others.
  case parallel
}

/// How many events may wait, and what happens to more.
public struct EventBuffer: Sendable, Equatable {
  /// What happens to an event that finds the buffer full.
  public enum FullPolicy: String, Sendable, CaseIterable {
    /// The one that has waited longest is dropped.
    case dropOldest = "drop-oldest"
    /// It is dropped.
    case dropNewest = "drop-newest"
    /// The watch ends with an error; whoever waits for an answer is refused instead.
    case fail
  }

  /// How many events may wait, at least 1.
  public var size: Int
  /// What happens to more.
  public var whenFull: FullPolicy

  /// Sets up a buffer.
  public init(size: Int = 10, whenFull: FullPolicy = .dropOldest) {
    self.size = size
    self.whenFull = whenFull
  }
}

/// Changed files as a trigger.
public struct FileTrigger: Sendable, Equatable {
  /// Patterns of paths, relative to the directory in which the engine runs; those that begin with `!`
  /// take away what the ones before them have named.
  public var patterns: [String]
  /// Whether files that `.gitignore` names do not count.
  public var honoursGitignore = true

  /// Names files.
  public init(_ patterns: [String]) {
    self.patterns = patterns
  }
}

/// How lines of standard input are understood.
public enum InputFormat: String, Sendable, CaseIterable {
  /// As texts.
  case lines
  /// As JSON, a value on each line.
  case json
}

/// Points in time as a trigger.
public struct Schedule: Sendable, Equatable {
  /// When it is due.
  public enum Times: Sendable, Equatable {
    /// As crontab(5) says, in a zone of the database of time zones: that of the machine when nil.
    case cron(CronExpression, zone: String?)
    /// Again and again after so long.
    case every(Duration)
  }

  /// When it is due.
  public var times: Times
  /// It as it was written, such as `0 2 * * * Europe/Berlin` or `every 10m`: its name in records.
  public var text: String
  /// Whether what was missed, while the machine slept or nobody watched, is made up for once.
  public var catchesUp: Bool

  /// Describes points in time.
  public init(_ times: Times, text: String, catchesUp: Bool = true) {
    self.times = times
    self.text = text
    self.catchesUp = catchesUp
  }
}
