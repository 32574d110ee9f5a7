// The trigger `on: { schedule: … }`: times at which runs start.

public import Schedules
import YAML

/// A schedule that starts runs.
public struct Schedule: Sendable, Equatable {
  /// The times at which a schedule is due.
  public enum Times: Sendable, Equatable {
    /// A cron expression as in crontab(5), in a time zone of the tz database; the zone of the
    /// machine if nil.
    case cron(CronExpression, zone: String?)
    /// A fixed interval.
    case every(Duration)
  }

  /// The times at which the schedule is due.
  public var times: Times
  /// The text of the schedule, which identifies it in records.
  ///
  /// For example `0 2 * * * Europe/Berlin` or `every 10m`.
  public var text: String
  /// Whether one run makes up for times missed while the machine slept or no watch was active.
  public var catchesUp: Bool

  /// Creates a schedule.
  public init(_ times: Times, text: String, catchesUp: Bool = true) {
    self.times = times
    self.text = text
    self.catchesUp = catchesUp
  }
}

/// A trigger that starts runs on schedules.
package struct ScheduleTrigger: TriggerKey {
  /// The schedules, each with a unique text.
  package var schedules: [Schedule]

  static let key = Key(
    "schedule", .either([.map(.schedule), .list(.map(.schedule), minimum: 1)]),
    "the times at which runs start")

  package var words: [String] { schedules.map { "schedule " + $0.text } }

  static func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context
  ) -> ScheduleTrigger? {
    ScheduleTrigger(schedules: reader.readSchedules(node, context))
  }
}

extension Triggers {
  /// The schedules that start runs.
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
        ExpressionError(.cron(error.message, hint: error.hint), error.range), in: node)
      return nil
    }
  }
}
