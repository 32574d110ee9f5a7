// What starts runs: the key `on`. Knows nothing of how events are watched for.

import Schedules
import YAML

extension WorkflowReader {
  /// Reads `on`.
  mutating func readTriggers(_ node: Node, _ context: Context) -> Triggers? {
    let before = mistakeCount
    guard let fields = readers[0].fields(of: node, .triggers) else { return nil }
    var context = context
    context.isOfTriggers = true
    var triggers = Triggers()
    triggers.files = fields["files"].flatMap { readFiles($0, context) }
    if let node = fields["schedule"] { triggers.schedules = readSchedules(node, context) }
    triggers.standardInput = choice(fields["stdin"], "format of lines")
    triggers.hasSocket = fields["socket"].flatMap { readers[0].boolean($0, "socket") } ?? false
    if let node = fields["after"] { triggers.after = texts(node, "after", context) }
    triggers.atStart = fields["start"].flatMap { readers[0].boolean($0, "start") } ?? false
    triggers.whenBusy = choice(fields["when-busy"], "policy") ?? .queue
    triggers.debounce = fields["debounce"].flatMap {
      duration($0, "debounce", context, allowsZero: true)
    }
    if let node = fields["restart-from"] {
      triggers.restartsAffected =
        readers[0].choice(node, "place to restart from", of: ["top", "affected"]) == "affected"
      reportUnlessBusy(.restart, triggers, fields, "restart-from")
    }
    if let node = fields["buffer"] {
      triggers.buffer = readBuffer(node)
      reportUnlessBusy(.queue, triggers, fields, "buffer")
    }
    let isEmpty = !KeyTable.triggers.oneOf.contains { fields[$0] != nil }
    if isEmpty, mistakeCount == before {
      readers[0].report(.noTrigger, at: node)
    }
    return triggers
  }

  /// Reports a key that counts only with another policy.
  private mutating func reportUnlessBusy(
    _ policy: BusyPolicy, _ triggers: Triggers, _ fields: Fields, _ name: String
  ) {
    guard triggers.whenBusy != policy, let key = fields.key(name) else { return }
    readers[0].report(
      .misplaced(.withPolicy(name, policy, hasOther: fields["when-busy"] != nil)), at: key)
  }

  mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ node: Node?, _ what: String
  ) -> Choice? where Choice.RawValue == String {
    guard let node else { return nil }
    return readers[0].choice(node, what, of: Choice.allCases.map(\.rawValue))
      .flatMap(Choice.init(rawValue:))
  }

  private mutating func readBuffer(_ node: Node) -> EventBuffer {
    var buffer = EventBuffer()
    guard let fields = readers[0].fields(of: node, .buffer) else { return buffer }
    if let node = fields["size"], let size = readers[0].number(node, "size", from: 1) {
      if size > 100_000 { readers[0].report(.aboveMaximum("size", 100_000), at: node) }
      buffer.size = size
    }
    buffer.whenFull = choice(fields["when-full"], "policy for a full buffer") ?? buffer.whenFull
    return buffer
  }

  // MARK: Files

  private mutating func readFiles(_ node: Node, _ context: Context) -> FileTrigger? {
    guard case .mapping = node.content else {
      return FileTrigger(nonEmptyPatterns(node, "files", context))
    }
    guard let fields = readers[0].fields(of: node, .files) else { return nil }
    guard let paths = fields["paths"] else {
      guard fields.lacks("paths") else { return nil }
      readers[0].report(.missing(.paths), at: node)
      return nil
    }
    var trigger = FileTrigger(nonEmptyPatterns(paths, "paths", context))
    if let node = fields["ignore"] {
      for pattern in patterns(node, "ignore", context) {
        guard !pattern.hasPrefix("!") else {
          readers[0].report(.ignorePattern, at: node)
          continue
        }
        trigger.patterns.append("!" + pattern)
      }
    }
    trigger.honoursGitignore =
      fields["gitignore"].flatMap { readers[0].boolean($0, "gitignore") } ?? true
    return trigger
  }

  private mutating func nonEmptyPatterns(
    _ node: Node, _ what: String, _ context: Context
  ) -> [String] {
    let before = mistakeCount
    let found = patterns(node, what, context)
    if mistakeCount == before, !found.contains(where: { !$0.hasPrefix("!") }) {
      readers[0].report(.noFile(what), at: node)
    }
    return found
  }

  // MARK: Schedules

  private mutating func readSchedules(_ node: Node, _ context: Context) -> [Schedule] {
    guard case .sequence(let nodes) = node.content else {
      return readSchedule(node, context).map { [$0] } ?? []
    }
    if nodes.isEmpty { readers[0].report(.emptyList(of: "point in time", .unsearched), at: node) }
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
      readers[0].choice($0, "way to deal with what was missed", of: ["once", "skip"])
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
