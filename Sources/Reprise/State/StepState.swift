// `StepState`: the state of one step of a run, as a plain value.

/// The state of one step.
public struct StepState: Sendable, Equatable {
  /// The id of the step.
  public let id: String
  /// The phase of the step.
  public internal(set) var phase: StepPhase = .pending
  /// The current or last attempt, from 1; 0 before the first.
  public internal(set) var attempt = 0
  /// The time at which all of its needs had succeeded, so that it waited for its start; `ready` in JSON.
  public internal(set) var waitingSince: Timestamp?
  /// The time at which the current or last attempt started.
  public internal(set) var startedAt: Timestamp?
  /// The time at which the step succeeded, failed, was cancelled or was skipped.
  public internal(set) var endedAt: Timestamp?
  /// The last lines of its output.
  public internal(set) var output = OutputTail()
  /// The rest; nil if all of it is as at the beginning.
  var details: Box?

  init(id: String) {
    self.id = id
  }

  /// Begins the wait for the start of an attempt, which replaces the one before.
  mutating func awaitStart(of attempt: Int) {
    (retry, pendingRound) = (nil, nil)
    guard self.attempt < attempt else { return }
    self.attempt = attempt
    lastPoolWait = nil
    (startedAt, readyAt, progress) = (nil, nil, nil)
    (readyOutputs, written, leftBehind) = ([:], [:], [])
    output = OutputTail()
  }

  /// The state of the step at the beginning of another generation.
  ///
  /// A wait that was interrupted with its engine keeps the moment of its end.
  var restarted: StepState {
    var state = StepState(id: id)
    if phase == .pending || phase == .cancelled(.interrupted) { state.waitEnd = waitEnd }
    return state
  }

  /// Whether its result was set by hand.
  public var isSetByHand: Bool { interventions.last?.kind == .set }

  /// Whether the step is running, and ready to be used by the steps that need it so.
  public var isReady: Bool { phase == .running && readyAt != nil }

  /// Whether the step is being cancelled on request, although the run continues.
  public var isBeingCancelled: Bool {
    phase.isActive && interventions.contains { $0.kind == .cancelled }
  }
}

/// Something that was asked of a step alone, such as its approval.
public struct StepIntervention: Sendable, Equatable {
  /// What was asked.
  public enum Kind: Sendable, Equatable {
    /// This question was approved.
    case approved(String)
    /// The step was rejected.
    case rejected
    /// The step was to be cancelled.
    case cancelled
    /// The result of the step was set by hand.
    case set
  }

  /// What was asked.
  public let kind: Kind
  /// The time of the event that reported it.
  public let time: Timestamp
  /// Who asked for it; nil in old records.
  public let by: Requester?
}

/// The progress that a step has reported.
public struct StepProgress: Sendable, Equatable {
  /// The fraction that is complete, from 0 to 1.
  public let part: Double
  /// A description of the current activity.
  public let text: String
  /// The time of the report.
  public let reportedAt: Timestamp
}

/// The wait of a step for its next attempt.
public struct PendingRetry: Sendable, Equatable {
  /// The reason that the last attempt failed.
  public let reason: FailureReason
  /// The time at which it failed.
  public let failedAt: Timestamp
  /// The delay from then to the next attempt.
  public let delay: Duration
}

/// The wait of a step that repeats for its next round.
public struct PendingRound: Sendable, Equatable {
  /// The time at which the last round was over.
  public let endedAt: Timestamp
  /// The delay from then to the next round.
  public let delay: Duration
}

/// The phase of a step: `pending → waiting → running → succeeded | failed | cancelled | skipped`.
public enum StepPhase: Sendable, Equatable {
  /// Not all needs of the step have succeeded.
  case pending
  /// All needs have succeeded; the step waits for a slot, for approval or for its next attempt.
  case waiting
  /// The action is running.
  case running
  /// The action succeeded, with these outputs.
  case succeeded(StepOutputs)
  /// The last attempt failed, or the step could not be started at all.
  case failed(FailureReason)
  /// The step was stopped or never started, for this cause.
  case cancelled(CancellationCause)
  /// The step did not run, for this reason; the outputs are those of its last run, if any.
  case skipped(SkipReason, StepOutputs)

  /// The name of the state without its details, such as `succeeded`, for displays.
  ///
  /// In JSON, `waiting` is `ready`. ``StepState/words`` says more about a step.
  public var name: String {
    switch self {
    case .pending: "pending"
    case .waiting: "waiting"
    case .running: "running"
    case .succeeded: "succeeded"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .skipped: "skipped"
    }
  }

  /// The name in JSON.
  ///
  /// That of a waiting step is older than its case: clients rely on it.
  package var codedName: String { self == .waiting ? "ready" : name }

  /// Whether the step has ended in this generation.
  public var isFinal: Bool {
    switch self {
    case .pending, .waiting, .running: false
    case .succeeded, .failed, .cancelled, .skipped: true
    }
  }

  /// Whether dependents of the step may start.
  public var isSuccess: Bool {
    switch self {
    case .succeeded, .skipped: true
    case .pending, .waiting, .running, .failed, .cancelled: false
    }
  }

  /// Whether the step was cancelled.
  public var isCancelled: Bool {
    if case .cancelled = self { true } else { false }
  }

  /// Whether the step is waiting or running, so that a restart must wait for its end.
  public var isActive: Bool {
    switch self {
    case .waiting, .running: true
    case .pending, .succeeded, .failed, .cancelled, .skipped: false
    }
  }
}

/// The number of steps of a run in each phase.
///
/// Derived from the steps and maintained for displays.
public struct StepCounts: Sendable, Equatable {
  /// The number of steps that wait for their needs.
  public internal(set) var pending = 0
  /// The number of steps that wait for a slot, for approval or for their next attempt.
  public internal(set) var waiting = 0
  /// The number of running steps.
  public internal(set) var running = 0
  /// The number of steps that have succeeded.
  public internal(set) var succeeded = 0
  /// The number of steps that have failed.
  public internal(set) var failed = 0
  /// The number of steps that were stopped or will not run.
  public internal(set) var cancelled = 0
  /// The number of skipped steps.
  public internal(set) var skipped = 0

  /// The number of steps that have ended in this generation.
  public var final: Int { succeeded + failed + cancelled + skipped }

  /// The number of steps that are waiting or running.
  public var active: Int { waiting + running }

  mutating func add(_ phase: StepPhase, _ change: Int) {
    switch phase {
    case .pending: pending += change
    case .waiting: waiting += change
    case .running: running += change
    case .succeeded: succeeded += change
    case .failed: failed += change
    case .cancelled: cancelled += change
    case .skipped: skipped += change
    }
  }
}

/// The last lines of a step's output, including the unfinished line.
public struct OutputTail: Sendable, Equatable {
  /// The maximum number of lines kept, as shown in a failure report.
  public static let linesMax = 20

  /// One line of output.
  public struct Line: Sendable, Equatable {
    /// The stream to which the line was written.
    public let stream: OutputChannel
    /// The line without its terminator.
    public let text: String
  }

  /// The last complete lines, oldest first, at most `linesMax`.
  public private(set) var lines: [Line] = []
  /// The unfinished line, if it was reported.
  public private(set) var partial: Line?
  /// The time of the last output.
  public private(set) var lastAt: Timestamp?

  /// The line for a display to show: the unfinished line, or else the last one.
  public var current: Line? { partial ?? lines.last }

  init() {}

  /// Appends a piece of output.
  ///
  /// Linear in the size of its last `linesMax` lines, regardless of its total size.
  mutating func append(_ text: String, stream: OutputChannel, isPartial: Bool, at time: Timestamp) {
    lastAt = time
    if isPartial {
      partial = Line(stream: stream, text: text)
      return
    }
    if partial?.stream == stream { partial = nil }
    let newLines = lastLines(of: text, countMax: Self.linesMax)
    lines.removeFirst(max(0, min(lines.count, lines.count + newLines.count - Self.linesMax)))
    lines += newLines.reversed().map { Line(stream: stream, text: $0) }
  }
}

/// Returns the last lines of a text, last line first.
private func lastLines(of text: String, countMax: Int) -> [String] {
  var text = text
  // Search in contiguous bytes: string indices would take most of the time spent on a piece of
  // output.
  return text.withUTF8 { bytes in
    var lines: [String] = []
    var end = bytes.endIndex
    while lines.count < countMax {
      var start = end
      while start > 0, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
      lines.append(String(decoding: bytes[start..<end], as: UTF8.self))
      guard start > 0 else { break }
      end = start - 1
    }
    return lines
  }
}
