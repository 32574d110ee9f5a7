// The trigger `on: { start: true }`: the start of the watch.

import WorkflowReading

/// A trigger that starts a run when the watch starts.
package struct StartTrigger: FlagTrigger {
  static let key = Key("start", .boolean, "whether a run starts when the watch starts")
  package static let canStartAfterInput = false
}

extension Triggers {
  /// Whether a run starts when the watch starts.
  package var atStart: Bool {
    get { self[StartTrigger.self] != nil }
    set { self[StartTrigger.self] = newValue ? StartTrigger() : nil }
  }
}
