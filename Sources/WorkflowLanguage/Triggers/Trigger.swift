// What started a run, as expressions see it under `trigger`. Plain values: they know neither where
// events come from nor what is done with them.

/// What started a run.
public struct Trigger: Sendable, Equatable {
  /// Where the event came from.
  public enum Kind: String, Sendable, CaseIterable {
    /// Nobody but the user: `reprise run`, or the key `t`.
    case manual
    /// The beginning of the watch.
    case start
    /// Files that changed.
    case files
    /// The clock.
    case schedule
    /// A line of standard input.
    case stdin
    /// `reprise trigger`.
    case socket
    /// A run of another workflow that succeeded.
    case after
  }

  /// Where it came from.
  public var kind: Kind
  /// When it happened, as in `2026-11-21T12:00:00.000000Z`; for a schedule, when it was due.
  public var time: String
  /// How many events it stands for: more than one where some were folded into it.
  public var count: Int
  /// The files that changed, in the order of their names.
  public var paths: [String]
  /// The line of standard input.
  public var line: String
  /// What the line means as JSON.
  public var data: Value
  /// The workflow that succeeded.
  public var workflow: String
  /// The id of the run that succeeded.
  public var run: String

  /// Describes an event.
  public init(
    kind: Kind, time: String, count: Int = 1, paths: [String] = [], line: String = "",
    data: Value = .null, workflow: String = "", run: String = ""
  ) {
    self.kind = kind
    self.time = time
    self.count = count
    self.paths = paths
    self.line = line
    self.data = data
    self.workflow = workflow
    self.run = run
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
    if later.kind != .files || kind == .files { self = later }
    self.count = count
    self.paths = paths
  }
}

extension Trigger {
  /// The kinds of value of what can be asked of a trigger, by name.
  static let members: [String: ValueTypes] = [
    "kind": .text, "time": .text, "count": .number, "paths": .list, "line": .text, "data": .any,
    "workflow": .text, "run": .text,
  ]

  /// The value that expressions see.
  var value: Value {
    .map([
      "kind": .text(kind.rawValue), "time": .text(time), "count": .number(Double(count)),
      "paths": .list(paths.map(Value.text)), "line": .text(line), "data": data,
      "workflow": .text(workflow), "run": .text(run),
    ])
  }

  /// The event as JSON, to be kept.
  public var json: String { value.json }

  /// Reads what ``json`` has written.
  ///
  /// - Returns: Nil where it is something else.
  public init?(json: String) {
    guard case .map(let values)? = try? Value(json: json),
      case .text(let name)? = values["kind"], let kind = Kind(rawValue: name),
      case .text(let time)? = values["time"], case .number(let count)? = values["count"],
      case .list(let paths)? = values["paths"], case .text(let line)? = values["line"],
      case .text(let workflow)? = values["workflow"], case .text(let run)? = values["run"],
      let count = Int(exactly: count)
    else { return nil }
    self.init(
      kind: kind, time: time, count: count, paths: paths.map(\.asText), line: line,
      data: values["data"] ?? .null, workflow: workflow, run: run)
  }
}
