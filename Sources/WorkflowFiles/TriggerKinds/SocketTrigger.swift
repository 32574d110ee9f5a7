// The trigger `on: { socket: true }`: the command `reprise trigger`.

import WorkflowReading

/// A trigger that starts a run for each `reprise trigger` command.
package struct SocketTrigger: FlagTrigger {
  static let key = Key("socket", .boolean, "whether the command reprise trigger starts runs")
}

extension Triggers {
  /// Whether `reprise trigger` starts runs.
  package var hasSocket: Bool {
    get { self[SocketTrigger.self] != nil }
    set { self[SocketTrigger.self] = newValue ? SocketTrigger() : nil }
  }
}
