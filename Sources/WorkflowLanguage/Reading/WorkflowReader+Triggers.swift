// Reads `on`. Each kind of trigger reads its own key.

import YAML

extension WorkflowReader {
  /// Reads `on`.
  mutating func readTriggers(_ node: Node, _ context: Context) -> Triggers? {
    let before = errorCount
    guard let fields = readers[0].fields(of: node, .triggers) else { return nil }
    var context = context
    context.isOfTriggers = true
    var triggers = Triggers()
    for kind in Triggers.kinds {
      guard let node = fields[kind.key.name] else { continue }
      triggers.sources += kind.read(node, &self, context).map { [$0] } ?? []
    }
    triggers.whenBusy = choice(fields["when-busy"], "policy") ?? .queue
    triggers.debounce = fields["debounce"].flatMap {
      duration($0, "debounce", context, allowsZero: true)
    }
    if let node = fields["restart-from"] {
      triggers.restartsAffected =
        readers[0].choice(node, "restart-from value", of: ["top", "affected"]) == "affected"
      reportUnlessBusy(.restart, triggers, fields, "restart-from")
    }
    if let node = fields["buffer"] {
      triggers.buffer = readBuffer(node)
      reportUnlessBusy(.queue, triggers, fields, "buffer")
    }
    let isEmpty = !KeyTable.triggers.oneOf.contains { fields[$0] != nil }
    if isEmpty, errorCount == before {
      readers[0].report(.noTrigger(keys: KeyTable.triggers.oneOf), at: node)
    }
    return triggers
  }

  /// Reports a key that is only valid with another policy.
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
    if let policy: EventBuffer.FullPolicy = choice(fields["when-full"], "when-full policy") {
      (buffer.whenFull, buffer.isPolicyChosen) = (policy, true)
    }
    return buffer
  }
}
