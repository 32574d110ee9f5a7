// Points in time as a trigger: `on: { schedule: … }`.

public import Schedules
import YAML

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

/// Points in time that start runs.
package struct ScheduleTrigger: TriggerKey {
  /// The schedules, each with another text.
  package var schedules: [Schedule]

  static let key = Key(
    "schedule", .either([.map(.schedule), .list(.map(.schedule), minimum: 1)]),
    "points in time that start a run")

  package var words: [String] { schedules.map { "schedule " + $0.text } }

  static func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context
  ) -> ScheduleTrigger? {
    ScheduleTrigger(schedules: reader.readSchedules(node, context))
  }
}

extension Triggers {
  /// Points in time.
  public var schedules: [Schedule] {
    get { self[ScheduleTrigger.self]?.schedules ?? [] }
    set { self[ScheduleTrigger.self] = newValue.isEmpty ? nil : .init(schedules: newValue) }
  }
}

extension WorkflowReader {
  fileprivate mutating func readSchedules(_ node: Node, _ context: Context) -> [Schedule] {
    guard case .sequence(let nodes) = node.content else {
      return readSchedule(node, context).map { [$0] } ?? []
    }
    if nodes.isEmpty { readers[0].report(.emptyList(of: "schedule", .unsearched), at: node) }
    var schedules: [Schedule] = []
    for node in nodes {
      guard let schedule = readSchedule(node, context) else { continue }
      if schedules.contains(where: { $0.text == schedule.text }) {
        readers[0].report(.scheduleTwice(schedule.text), at: node)
      }
      schedules.append(schedule)
    }
    return schedules
  }

  private mutating func readSchedule(_ node: Node, _ context: Context) -> Schedule? {
    guard let fields = readers[0].fields(of: node, .schedule) else { return nil }
    let missed = fields["missed"].flatMap {
      readers[0].choice($0, "missed policy", of: ["once", "skip"])
    }
    let catchesUp = missed != "skip"
    if let node = fields["cron"] {
      if let key = fields.key("every") {
        readers[0].report(.exclusive("cron", "every", in: "a schedule"), at: key)
      }
      return readCron(node, zone: fields["time-zone"], catchesUp, context)
    }
    if let key = fields.key("time-zone") {
      readers[0].report(.misplaced(.timeZone), at: key)
    }
    guard let node = fields["every"] else {
      guard fields.lacks("cron"), fields.lacks("every") else { return nil }
      readers[0].report(.missing(.cronOrEvery), at: node)
      return nil
    }
    guard let time = duration(node, "every", context, allowsZero: false) else { return nil }
    guard time >= .seconds(1) else {
      readers[0].report(.shortInterval, at: node)
      return nil
    }
    return Schedule(.every(time), text: "every \(node.text ?? "")", catchesUp: catchesUp)
  }

  private mutating func readCron(
    _ node: Node, zone zoneNode: Node?, _ catchesUp: Bool, _ context: Context
  ) -> Schedule? {
    let zone = zoneNode.flatMap { text($0, "time-zone", context) }
    if let zone, let zoneNode, ZoneRules(identifier: zone) == nil {
      let known = ZoneRules.identifiers
      readers[0].report(
        .unknownZone(zone, nearest: nearest(to: zone, among: known), areInstalled: known.count > 1),
        at: zoneNode)
    }
    guard let text = text(node, "cron", context) else { return nil }
    do throws(CronError) {
      return Schedule(
        .cron(try CronExpression(text), zone: zone), text: zone.map { "\(text) \($0)" } ?? text,
        catchesUp: catchesUp)
    } catch {
      readers[0].report(
        ExpressionMistake(.cron(error.message, hint: error.hint), error.range), in: node)
      return nil
    }
  }
}
