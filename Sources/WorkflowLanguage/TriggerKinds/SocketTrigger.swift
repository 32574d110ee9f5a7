// `reprise trigger` as a trigger: `on: { socket: true }`.

/// `reprise trigger`, which starts a run.
package struct SocketTrigger: FlagTrigger {
  static let key = Key("socket", .boolean, "whether reprise trigger starts runs")
}

extension Triggers {
  /// Whether `reprise trigger` may start runs.
  public var hasSocket: Bool {
    get { self[SocketTrigger.self] != nil }
    set { self[SocketTrigger.self] = newValue ? SocketTrigger() : nil }
  }
}
