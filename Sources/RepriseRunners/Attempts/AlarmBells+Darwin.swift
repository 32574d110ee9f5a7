// `AlarmBells`: there are none on this system.

#if canImport(Darwin)
/// There are no alarms on this system: what waits looks at intervals.
final class AlarmBells: Sendable {
  static var shared: AlarmBells? { nil }

  func add(_ bell: AsyncStream<Void>.Continuation, for folder: String) -> Int? { nil }

  func remove(_ number: Int) {}
}
#endif
