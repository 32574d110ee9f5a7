// The event that started a run; expressions read it as `trigger`.

/// The event that started a run.
public struct Trigger: Sendable, Equatable {
  /// The source of an event.
  public enum Cause: Sendable, Equatable {
    /// The user: `reprise run`, or the `t` key.
    case manual
    /// The start of the watch.
    case start
    /// Files that changed.
    case files
    /// A time of a schedule.
    case schedule
    /// A line of standard input, and its value parsed as JSON.
    case stdin(line: String, data: Value = .null)
    /// The command `reprise trigger`.
    case socket
    /// A run of another workflow that succeeded.
    case after(workflow: String, run: String)
  }

  /// The source of the event.
  public var cause: Cause
  /// The time of the event, such as `2026-11-21T12:00:00.000000Z`; for a schedule, the due time.
  public var time: String
  /// The number of events that were coalesced into this one, including itself.
  public var count: Int
  /// The changed files in alphabetical order, including those of coalesced events.
  public var paths: [String]

  /// Creates an event.
  public init(_ cause: Cause, time: String, count: Int = 1, paths: [String] = []) {
    self.cause = cause
    self.time = time
    self.count = count
    self.paths = paths
  }

  /// Coalesces a later event into this one.
  ///
  /// Paths are merged. For everything else the later event takes precedence, except that a `files`
  /// event does not replace an event of another kind. Linear in the number of paths.
  ///
  /// - Parameter later: The later event.
  public mutating func fold(_ later: Trigger) {
    let count = count + later.count
    let paths = later.paths.isEmpty ? paths : Set(paths).union(later.paths).sorted()
    if later.cause != .files || cause == .files { self = later }
    self.count = count
    self.paths = paths
  }
}

// Per cause: its name, its members of `trigger`, and its description.
extension Trigger {
  /// The name of the cause: `trigger.kind` in expressions.
  public var kind: String {
    switch cause {
    case .manual: "manual"
    case .start: "start"
    case .files: "files"
    case .schedule: "schedule"
    case .stdin: "stdin"
    case .socket: "socket"
    case .after: "after"
    }
  }

  /// The members of `trigger` with their types.
  package static let members: [String: ValueTypes] = [
    "kind": .text, "time": .text, "count": .number, "paths": .list, "line": .text, "data": .any,
    "workflow": .text, "run": .text,
  ]

  /// The members that only this cause has.
  private var causeMembers: [String: Value] {
    switch cause {
    case .stdin(let line, let data): ["line": .text(line), "data": data]
    case .after(let workflow, let run): ["workflow": .text(workflow), "run": .text(run)]
    case .manual, .start, .files, .schedule, .socket: [:]
    }
  }

  private static func cause(_ kind: String, _ values: [String: Value]) -> Cause? {
    guard case .text(let line)? = values["line"], case .text(let workflow)? = values["workflow"],
      case .text(let run)? = values["run"]
    else { return nil }
    let all: [Cause] = [
      .manual, .start, .files, .schedule, .socket,
      .stdin(line: line, data: values["data"] ?? .null), .after(workflow: workflow, run: run),
    ]
    return all.first { Trigger($0, time: "").kind == kind }
  }

  /// Returns the event with its texts and values replaced, for example by masked ones.
  ///
  /// - Parameters:
  ///   - text: Transforms a text.
  ///   - value: Transforms a value.
  /// - Returns: The transformed event.
  package func mappingTexts(_ text: (String) -> String, _ value: (Value) -> Value) -> Trigger {
    var result = self
    result.paths = paths.map(text)
    switch cause {
    case .stdin(let line, let data): result.cause = .stdin(line: text(line), data: value(data))
    case .after(let workflow, let run): result.cause = .after(workflow: text(workflow), run: run)
    case .manual, .start, .files, .schedule, .socket: break
    }
    return result
  }

  /// A description of the event, such as `files: src/a.swift and 2 more`.
  package var words: String {
    switch cause {
    case .files:
      "files: " + (paths.first ?? "") + (paths.count > 1 ? " and \(paths.count - 1) more" : "")
    case .stdin(let line, _): "stdin: " + String(line.prefix(60))
    case .socket: "reprise trigger"
    case .after(let workflow, _): "after \(workflow)"
    case .manual, .start, .schedule: kind
    }
  }
}

extension Trigger {
  /// The value of `trigger` in expressions.
  var value: Value {
    let common: [String: Value] = [
      "kind": .text(kind), "time": .text(time), "count": .number(Double(count)),
      "paths": .list(paths.map(Value.text)), "line": .text(""), "data": .null,
      "workflow": .text(""), "run": .text(""),
    ]
    return .map(common.merging(causeMembers) { $1 })
  }

  /// The event as JSON, for storage.
  public var json: String { value.json }

  /// Creates an event from a value of ``json``.
  ///
  /// - Returns: Nil if the text is not such a value.
  public init?(json: String) {
    guard case .map(let values)? = try? Value(json: json),
      case .text(let kind)? = values["kind"], let cause = Self.cause(kind, values),
      case .text(let time)? = values["time"], case .number(let count)? = values["count"],
      case .list(let paths)? = values["paths"], let count = Int(exactly: count)
    else { return nil }
    self.init(cause, time: time, count: count, paths: paths.map(\.asText))
  }
}
