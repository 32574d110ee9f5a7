// The maps under `on`.

import Schedules
import YAML

extension Tables {
  static let triggers = Table(
    "on", Triggers(), example: "{ files: [src/**] } or { schedule: { cron: \"0 5 * * *\" } }",
    oneOf: Triggers.kinds.map { $0.key.name },
    Triggers.kinds.map(field) + [
      Field(
        "when-busy", \.whenBusy, .choice, "what happens to an event while a run is in progress",
        called: "policy"),
      Field(
        "restart-from", \.restartsAffected, .restartFrom,
        "which steps a restart runs again: all, or those affected by changed files",
        called: "restart-from value"),
      Field(
        "debounce", \.debounce, .delay.computed,
        "the quiet period after the last change or line before a run starts"),
      Field("buffer", \.buffer, .map(buffer), "the buffer for pending events"),
    ]
  ) { fields, triggers, context, reader in
    for (name, policy) in [("restart-from", BusyPolicy.restart), ("buffer", .queue)] {
      guard triggers.whenBusy != policy, let key = fields.key(name) else { continue }
      reader.readers[context.file].report(
        .misplaced(.withPolicy(name, policy, hasOther: fields["when-busy"] != nil)), at: key)
    }
  }

  private static func field(of kind: any TriggerKey.Type) -> Field<Triggers> {
    Field(kind.key) { node, triggers, site, reader in
      triggers.sources += kind.read(node, &reader, site.context).map { [$0] } ?? []
    }
  }

  static let buffer = Table(
    "a buffer", EventBuffer(), example: "{ size: % }",
    [
      Field("size", \.size, .whole(1...100_000), "the maximum number of pending events"),
      Field(
        "when-full", \.whenFull, .choice, "what happens to an event if the buffer is full",
        called: "when-full policy"),
    ]
  ) { fields, buffer, _, _ in
    buffer.isPolicyChosen = fields["when-full"] != nil
  }

  static let files = Table(
    "files", FileTrigger([]), missing: .paths,
    [
      Field(
        "paths", \.patterns, .watchedPatterns, "patterns of the watched files", isRequired: true),
      Field("ignore", \.ignored, .ignoredPatterns, "patterns of files to ignore"),
      Field("gitignore", \.respectsGitignore, .boolean, "whether files in .gitignore are ignored"),
    ])

  static let schedule = Table(
    "a schedule", ScheduleKeys(), example: "{ cron: \"%\" }", oneOf: ["cron", "every"],
    notBoth: ["cron", "every"], missing: .cronOrEvery,
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
    reader.readers[context.file].report(.misplaced(.timeZone), at: key)
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

extension FileTrigger {
  /// Further patterns, of files that are ignored.
  fileprivate var ignored: [String] {
    get { [] }
    set { patterns += newValue.map { "!" + $0 } }
  }
}

extension Form where Content == [String] {
  /// Patterns of which one includes files.
  static let watchedPatterns = Form(
    .someTexts,
    read: { node, site, reader in
      let before = reader.errorCount
      let found = reader.patterns(node, site.what, site.context)
      if reader.errorCount == before, !found.contains(where: { !$0.hasPrefix("!") }) {
        reader.readers[site.context.file].report(.noFile(site.what), at: node)
      }
      return found
    })

  fileprivate static let ignoredPatterns = Form(
    .texts,
    read: { node, site, reader in
      reader.patterns(node, site.what, site.context).filter { pattern in
        guard pattern.hasPrefix("!") else { return true }
        reader.readers[site.context.file].report(.ignorePattern, at: node)
        return false
      }
    })
}

extension Form where Content == Bool {
  fileprivate static let restartFrom = Form<String>.word(of: ["top", "affected"])
    .map({ $0 == "affected" }, { $0 ? "affected" : "top" })
  fileprivate static let missed = Form<String>.word(of: ["once", "skip"])
    .map({ $0 == "once" }, { $0 ? "once" : "skip" })
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

extension WorkflowReader {
  /// Reads `on`.
  mutating func readTriggers(_ node: Node, _ context: Context) -> Triggers? {
    let before = errorCount
    var context = context
    context.isOfTriggers = true
    if let triggers = Tables.triggers.read(node, &self, context) { return triggers }
    if errorCount == before {
      readers[0].report(.noTrigger(keys: Tables.triggers.keys.oneOf), at: node)
    }
    return nil
  }
}
