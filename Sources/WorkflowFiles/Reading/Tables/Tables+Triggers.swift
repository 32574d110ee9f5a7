// The maps under `on`.

import WorkflowReading
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
        .keyOfPolicy(name, policy, hasOther: fields["when-busy"] != nil), at: key)
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
}

extension Form where Content == Bool {
  fileprivate static let restartFrom = Form<String>.word(of: ["top", "affected"])
    .map({ $0 == "affected" }, { $0 ? "affected" : "top" })
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
