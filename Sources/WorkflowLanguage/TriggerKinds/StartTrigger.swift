// The trigger `on: { start: true }`: the start of the watch.

import YAML

/// A trigger that starts a run when the watch starts.
package struct StartTrigger: TriggerKey {
  static let key = Key("start", .boolean, "whether a run starts when the watch starts")
  package static let outlivesInput = false

  package var words: [String] { ["start"] }

  static func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context
  ) -> StartTrigger? {
    reader.readers[0].boolean(node, "start") == true ? StartTrigger() : nil
  }
}

extension Triggers {
  /// Whether a run starts when the watch starts.
  public var atStart: Bool {
    get { self[StartTrigger.self] != nil }
    set { self[StartTrigger.self] = newValue ? StartTrigger() : nil }
  }
}
