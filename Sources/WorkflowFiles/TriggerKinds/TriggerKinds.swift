// The list of the trigger kinds; a new kind needs a line here.

import WorkflowReading

extension Triggers {
  /// All kinds, in the order in which output lists them.
  static let kinds: [any TriggerKey.Type] = [
    FileTrigger.self, ScheduleTrigger.self, InputTrigger.self, SocketTrigger.self,
    AfterTrigger.self, StartTrigger.self,
  ]

  /// The trigger of a kind, if any.
  package subscript<Kind: TriggerKind>(kind: Kind.Type) -> Kind? {
    get { sources.lazy.compactMap { $0 as? Kind }.first }
    set {
      let others = sources.filter { !($0 is Kind) } + (newValue.map { [$0] } ?? [])
      let order = Self.kinds.map { ObjectIdentifier($0) }
      sources = others.sorted { first, second in
        (order.firstIndex(of: ObjectIdentifier(type(of: first))) ?? 0)
          < (order.firstIndex(of: ObjectIdentifier(type(of: second))) ?? 0)
      }
    }
  }
}

extension Triggers {
  /// Returns the key under `on` of a source of events; nil if it has none.
  package static func key(of source: any TriggerKind) -> String? {
    (source as? any TriggerKey).map { type(of: $0).key.name }
  }
}
