// What started a run, as expressions see it under `trigger`.

/// What started a run.
public struct Trigger: Sendable, Equatable {
  /// Where an event came from.
  public enum Cause: Sendable, Equatable {
    /// The user: `reprise run`, or the key `t`.
    case manual
    /// The beginning of the watch.
    case start
    /// Files that changed.
    case files
    /// The clock.
    case schedule
    /// A line of standard input, and what it means as JSON.
    case stdin(line: String, data: Value = .null)
    /// `reprise trigger`.
    case socket
    /// A run of another workflow that succeeded.
    case after(workflow: String, run: String)
  }

  /// Where it came from.
  public var cause: Cause
  /// When it happened, as in `2026-11-21T12:00:00.000000Z`; for a schedule, when it was due.
  public var time: String
  /// How many events it stands for: more than one where some were folded into it.
  public var count: Int
  /// The files that changed, in the order of their names; also those of events that were folded into it.
  public var paths: [String]

  /// Describes an event.
  public init(_ cause: Cause, time: String, count: Int = 1, paths: [String] = []) {
    self.cause = cause
    self.time = time
    self.count = count
    self.paths = paths
  }

  /// Takes in a later event, so that both become one.
  ///
  /// Files add up; of everything else the later event counts, but changed files do not hide an event
  /// of another kind. Costs as much as there are paths.
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

// What is known of each cause: its name, what it adds to `trigger`, and its words.
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

  /// The kinds of value of what can be asked of a trigger, by name.
  static let members: [String: ValueTypes] = [
    "kind": .text, "time": .text, "count": .number, "paths": .list, "line": .text, "data": .any,
    "workflow": .text, "run": .text,
  ]

  /// What only some causes have; empty for the others.
  private var particulars: [String: Value] {
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

  /// The same event with other texts, such as texts without secrets.
  ///
  /// - Parameters:
  ///   - text: What becomes of a text.
  ///   - value: What becomes of a value.
  /// - Returns: The event.
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

  /// The event in words, such as `files: src/a.swift and 2 more`.
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
  /// The value that expressions see.
  var value: Value {
    let common: [String: Value] = [
      "kind": .text(kind), "time": .text(time), "count": .number(Double(count)),
      "paths": .list(paths.map(Value.text)), "line": .text(""), "data": .null,
      "workflow": .text(""), "run": .text(""),
    ]
    return .map(common.merging(particulars) { $1 })
  }

  /// The event as JSON, to be kept.
  public var json: String { value.json }

  /// Reads what ``json`` has written.
  ///
  /// - Returns: Nil where it is something else.
  public init?(json: String) {
    guard case .map(let values)? = try? Value(json: json),
      case .text(let kind)? = values["kind"], let cause = Self.cause(kind, values),
      case .text(let time)? = values["time"], case .number(let count)? = values["count"],
      case .list(let paths)? = values["paths"], let count = Int(exactly: count)
    else { return nil }
    self.init(cause, time: time, count: count, paths: paths.map(\.asText))
  }
}
