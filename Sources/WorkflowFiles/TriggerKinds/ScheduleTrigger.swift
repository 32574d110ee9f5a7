// The trigger `on: { schedule: … }`: times at which runs start.

public import Schedules
import WorkflowReading
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

  private static let schedule = Shape.either([.text, .map(Tables.schedule.keys)])

  static let key = Key(
    "schedule", .either([schedule, .list(schedule, minimum: 1)]),
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
  package var schedules: [Schedule] {
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

  /// Reads a cron expression, or a map.
  private mutating func readSchedule(_ node: Node, _ context: Context) -> Schedule? {
    if case .scalar = node.content {
      let site = Site(what: "cron", context: context, draft: nil)
      return Form.cron.read(node, site, &self).flatMap { cron in
        Tables.ScheduleKeys(cron: cron).schedule
      }
    }
    return Tables.schedule.read(node, &self, context)?.schedule
  }
}

extension Tables {
  static let schedule = Table(
    "a schedule", ScheduleKeys(), example: "{ cron: \"%\" }", oneOf: ["cron", "every"],
    notBoth: ["cron", "every"], missing: .missingSchedule,
    [
      Field(
        "cron", \.cron, .cron, "minute, hour, day of the month, month and day of the week"),
      Field("time-zone", \.zone, .zone, "the time zone of cron, such as Europe/Berlin"),
      Field("every", \.interval, .interval, "the interval between two runs"),
      Field(
        "missed", \.catchesUp, .missed,
        "whether missed times are caught up with one run, or skipped", called: "missed policy"),
    ]
  ) { fields, _, context, reader in
    guard fields["cron"] == nil, let key = fields.key("time-zone") else { return }
    reader.readers[context.file].report(.timeZoneWithoutCron, at: key)
  }

  /// The keys of a schedule.
  struct ScheduleKeys: Sendable {
    var cron: (times: CronExpression, text: String)?
    var zone: String?
    var interval: (time: Duration, text: String)?
    var catchesUp = true

    /// The schedule; nil after an error.
    var schedule: Schedule? {
      if let cron {
        return Schedule(
          .cron(cron.times, zone: zone), text: zone.map { "\(cron.text) \($0)" } ?? cron.text,
          catchesUp: catchesUp)
      }
      return interval.map {
        Schedule(.every($0.time), text: "every \($0.text)", catchesUp: catchesUp)
      }
    }
  }
}

extension Form where Content == (times: CronExpression, text: String) {
  /// A cron expression.
  static let cron = Form(
    .text,
    read: { node, site, reader in
      guard let text = reader.text(node, site.what, site.context) else { return nil }
      do throws(CronError) {
        return (try CronExpression(text), text)
      } catch {
        reader.readers[site.context.file].report(
          ExpressionError(.cron(error.message, hint: error.hint), error.range), in: node)
        return nil
      }
    })
}

extension Form where Content == String {
  fileprivate static let zone = Form(
    .text,
    read: { node, site, reader in
      guard let zone = reader.text(node, site.what, site.context) else { return nil }
      guard ZoneRules(identifier: zone) == nil else { return zone }
      let known = ZoneRules.identifiers
      reader.readers[site.context.file].report(
        .unknownZone(zone, nearest: nearest(to: zone, among: known), areInstalled: known.count > 1),
        at: node)
      return nil
    })
}

extension Form where Content == (time: Duration, text: String) {
  fileprivate static let interval = Form(
    .computed(.duration),
    read: { node, site, reader in
      guard let time = reader.duration(node, site.what, site.context, allowsZero: false) else {
        return nil
      }
      guard time >= .seconds(1) else {
        reader.readers[site.context.file].report(.shortInterval, at: node)
        return nil
      }
      return (time, node.text ?? "")
    })
}

extension Form where Content == Bool {
  fileprivate static let missed = Form<String>.word(of: ["once", "skip"])
    .map({ $0 == "once" }, { $0 ? "once" : "skip" })
}
