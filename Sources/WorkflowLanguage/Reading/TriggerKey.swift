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
