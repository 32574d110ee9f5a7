// The protocol of trigger kinds that are read from workflow files.

import WorkflowReading
import YAML

/// A kind of trigger with its own key under `on`.
protocol TriggerKey: TriggerKind {
  /// The key under `on`.
  static var key: Key { get }

  /// Parses the value of the key, and reports its errors.
  ///
  /// - Returns: The trigger; nil if it is off or invalid.
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
