// What is known of one step of a run at one moment. A plain value: no clock, no I/O.

/// The state of one step.
public struct StepState: Sendable, Equatable {
  /// The id of the step.
  public let id: String
  /// Where the step stands.
  public internal(set) var phase: StepPhase = .pending
  /// The attempt under way or the last one, from 1; 0 before the first.
  public internal(set) var attempt = 0
  /// When all that it needs had succeeded.
  public internal(set) var readyAt: Timestamp?
  /// When its action began.
  public internal(set) var startedAt: Timestamp?
  /// Why the last attempt failed, while the step waits for the next one.
  public internal(set) var retry: PendingRetry?
  /// What somebody has to approve before it starts, while that is waited for.
  public internal(set) var approval: String?
  /// How far it has told to be.
  public internal(set) var progress: StepProgress?
  /// When it came to its end, whichever that was.
  public internal(set) var endedAt: Timestamp?
  /// The last lines that it wrote.
  public internal(set) var output = OutputTail()

  init(id: String) {
    self.id = id
  }
}

/// How far a step has told to be.
public struct StepProgress: Sendable, Equatable {
  /// The part that is done, from 0 to 1.
  public let part: Double
  /// What it is doing.
  public let text: String
  /// When it told so.
  public let toldAt: Timestamp
}

/// A step that waits for its next attempt.
public struct PendingRetry: Sendable, Equatable {
  /// Why the last attempt failed.
  public let reason: FailureReason
  /// When it failed.
  public let failedAt: Timestamp
  /// How long the next attempt waits.
  public let delay: Duration
}

/// Where a step stands: `pending → ready → running → succeeded | failed | cancelled | skipped`.
public enum StepPhase: Sendable, Equatable {
  /// Something that it needs has not succeeded yet.
  case pending
  /// All that it needs has succeeded; it waits for a free place, or for its next attempt.
  case ready
  /// Its action is under way.
  case running
  /// Its action ended well, and left these outputs.
  case succeeded(StepOutputs)
  /// Its last attempt has failed, or it could not be started at all.
  case failed(FailureReason)
  /// It was stopped, or never came to start, because of what is named.
  case cancelled(CancellationCause)
  /// It was not to be run, for the reason given.
  case skipped(String, StepOutputs)

  /// Whether the step is over for this generation.
  public var isFinal: Bool {
    switch self {
    case .pending, .ready, .running: false
    case .succeeded, .failed, .cancelled, .skipped: true
    }
  }

  /// Whether what needs the step may start.
  public var isSuccess: Bool {
    switch self {
    case .succeeded, .skipped: true
    case .pending, .ready, .running, .failed, .cancelled: false
    }
  }

  /// Whether the step waits for a place or runs, so that a restart has to wait for it.
  public var isUnderWay: Bool {
    switch self {
    case .ready, .running: true
    case .pending, .succeeded, .failed, .cancelled, .skipped: false
    }
  }
}

/// How many steps of a run stand where.
///
/// Derived from the steps, kept for displays.
public struct StepCounts: Sendable, Equatable {
  /// Steps that need something that has not succeeded yet.
  public internal(set) var pending = 0
  /// Steps that wait for a free place.
  public internal(set) var ready = 0
  /// Steps whose action is under way.
  public internal(set) var running = 0
  /// Steps that have succeeded.
  public internal(set) var succeeded = 0
  /// Steps that have failed.
  public internal(set) var failed = 0
  /// Steps that were stopped or will not run.
  public internal(set) var cancelled = 0
  /// Steps that were not to be run.
  public internal(set) var skipped = 0

  /// How many steps are over for this generation.
  public var final: Int { succeeded + failed + cancelled + skipped }

  /// How many steps wait for a place or run.
  public var underWay: Int { ready + running }

  mutating func add(_ phase: StepPhase, _ change: Int) {
    switch phase {
    case .pending: pending += change
    case .ready: ready += change
    case .running: running += change
    case .succeeded: succeeded += change
    case .failed: failed += change
    case .cancelled: cancelled += change
    case .skipped: skipped += change
    }
  }
}

/// The last lines that a step wrote, with the line that is being written.
public struct OutputTail: Sendable, Equatable {
  /// How many lines are kept: what a failure report shows.
  public static let linesMax = 20

  /// One line of output.
  public struct Line: Sendable, Equatable {
    /// Where it was written.
    public let stream: OutputChannel
    /// The line without its end.
    public let text: String
  }

  /// The last whole lines, oldest first, at most `linesMax`.
  public private(set) var lines: [Line] = []
  /// The line that has not ended yet, if its present state was told.
  public private(set) var partial: Line?
  /// When the last output came.
  public private(set) var lastAt: Timestamp?

  /// What a display shows as the present line: the unfinished one, or else the last.
  public var current: Line? { partial ?? lines.last }

  init() {}

  /// Takes in a piece of output.
  ///
  /// Linear in the bytes of its last `linesMax` lines, however long it is.
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

/// The last lines of a text, the very last one first.
private func lastLines(of text: String, countMax: Int) -> [String] {
  var text = text
  // As bytes that lie side by side: by the indices of a text, this would take most of the time that a
  // piece of output takes.
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
