// The beginning of the watch as a trigger: `on: { start: true }`.

import YAML

/// The beginning of the watch, which starts a run.
package struct StartTrigger: TriggerKey {
  static let key = Key("start", .boolean, "whether the beginning of the watch starts a run")
  package static let outlivesInput = false

  package var words: [String] { ["start"] }

  static func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context
  ) -> StartTrigger? {
    reader.readers[0].boolean(node, "start") == true ? StartTrigger() : nil
  }
}

extension Triggers {
  /// Whether the beginning of the watch starts one.
  public var atStart: Bool {
    get { self[StartTrigger.self] != nil }
    set { self[StartTrigger.self] = newValue ? StartTrigger() : nil }
  }
}
