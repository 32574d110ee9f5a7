// How a kind of trigger is read from a file.

import YAML

/// How a kind of trigger is read from a file.
protocol TriggerKey: TriggerKind {
  /// Its key under `on`.
  static var key: Key { get }

  /// Reads the value of the key; nil where it starts nothing, or is wrong, which is reported.
  static func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context
  ) -> Self?
}

/// A trigger that is either on or off, such as `on: { socket: true }`.
protocol FlagTrigger: TriggerKey {
  init()
}

extension FlagTrigger {
  package var words: [String] { [Self.key.name] }

  static func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context
  ) -> Self? {
    reader.readers[0].boolean(node, key.name) == true ? Self() : nil
  }
}
