// The trigger `on: { socket: true }`: the command `reprise trigger`.

import YAML

/// A trigger that starts a run for each `reprise trigger` command.
package struct SocketTrigger: TriggerKey {
  static let key = Key("socket", .boolean, "whether the command reprise trigger starts runs")

  package var words: [String] { ["socket"] }

  static func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context
  ) -> SocketTrigger? {
    reader.readers[0].boolean(node, "socket") == true ? SocketTrigger() : nil
  }
}

extension Triggers {
  /// Whether `reprise trigger` starts runs.
  public var hasSocket: Bool {
    get { self[SocketTrigger.self] != nil }
    set { self[SocketTrigger.self] = newValue ? SocketTrigger() : nil }
  }
}
