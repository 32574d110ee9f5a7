// The beginning of the watch as a trigger: `on: { start: true }`.

/// The beginning of the watch, which starts a run.
package struct StartTrigger: FlagTrigger {
  static let key = Key("start", .boolean, "whether the beginning of the watch starts a run")
  package static let outlivesInput = false
}

extension Triggers {
  /// Whether the beginning of the watch starts one.
  public var atStart: Bool {
    get { self[StartTrigger.self] != nil }
    set { self[StartTrigger.self] = newValue ? StartTrigger() : nil }
  }
}
