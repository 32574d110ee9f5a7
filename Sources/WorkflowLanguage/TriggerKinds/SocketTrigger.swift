// `reprise trigger` as a trigger: `on: { socket: true }`.

import YAML

/// `reprise trigger`, which starts a run.
package struct SocketTrigger: TriggerKey {
  static let key = Key("socket", .boolean, "whether reprise trigger starts runs")

  package var words: [String] { ["socket"] }

  static func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context
  ) -> SocketTrigger? {
    reader.readers[0].boolean(node, "socket") == true ? SocketTrigger() : nil
  }
}

extension Triggers {
  /// Whether `reprise trigger` may start runs.
  public var hasSocket: Bool {
    get { self[SocketTrigger.self] != nil }
    set { self[SocketTrigger.self] = newValue ? SocketTrigger() : nil }
  }
}
