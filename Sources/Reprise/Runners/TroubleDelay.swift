// `TroubleDelay`: how long to wait for a runner that cannot be reached, and for how long at most.

import ChildProcesses

/// The pauses between questions that a runner did not answer: from a second to a minute.
///
/// Neither a stop nor another answer makes the next pause shorter; only a minute without trouble does.
struct TroubleDelay {
  /// For how long a runner may be out of reach.
  struct Limits: Equatable {
    /// After this time, an attempt that has not begun fails.
    var soft: Duration?
    /// After this time, an attempt is given up, even if it may go on.
    var final: Duration?
  }

  private static let pauseMin = Duration.seconds(1)
  private static let pauseMax = Duration.seconds(60)

  private let clock: any RunClock
  private var pause = GrowingDelay(from: Self.pauseMin)
  private var lastEnd: Timestamp?
  private var since: Timestamp?

  init(clock: any RunClock) { self.clock = clock }

  /// Notes whether a question was answered, and when it was asked.
  mutating func note(isUnreachable: Bool, askedAt: Timestamp) {
    since = isUnreachable ? since ?? askedAt : nil
  }

  /// The request to give up, if a limit has passed.
  func reached(_ limits: Limits) -> AttemptState.Input? {
    guard let since else { return nil }
    let time = clock.now - since
    if let final = limits.final, time >= final { return .unreachableTooLong(final, isFinal: true) }
    guard let soft = limits.soft, time >= soft else { return nil }
    return .unreachableTooLong(soft, isFinal: false)
  }

  /// The next pause, which ends at a limit.
  mutating func next(_ limits: Limits) -> Duration {
    let now = clock.now
    if let lastEnd, now - lastEnd > Self.pauseMax { pause = GrowingDelay(from: Self.pauseMin) }
    let time = pause.next(upTo: Self.pauseMax)
    lastEnd = now.advanced(by: time)
    guard let since else { return time }
    let rest = [limits.soft, limits.final].compactMap { limit in limit.map { $0 - (now - since) } }
    return rest.filter { $0 > .zero }.reduce(time, min)
  }
}
