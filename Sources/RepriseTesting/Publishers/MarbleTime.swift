// `MarbleTime`: plays the diagrams of inputs to an operator, tick after tick.

public import Reprise

/// What inputs and outputs of marble diagrams fail with: `#`.
public struct MarbleFailure: Error, Equatable {
  /// Creates a failure.
  public init() {}
}

/// The virtual time of marble diagrams, which is also their scheduler.
///
/// A diagram shows what a publisher does, in a line; each of these is one tick:
///
/// | in a diagram | what happens |
/// | --- | --- |
/// | `-` | nothing |
/// | `a`, `7` | this value |
/// | `[ab]` | a value of several characters; only in outputs |
/// | `\|` | the end |
/// | `#` | a failure |
/// | `(ab\|)` | all of this in one tick |
///
/// In the diagram of a subscriber, a digit requests that many values, `*` requests unlimited demand,
/// and `!` cancels.
///
/// ``marbles(_:subscriber:of:)`` plays inputs that run from the beginning on. With a value of this
/// class, a test can also have inputs that begin with their subscription:
///
///     let time = MarbleTime()
///     let output = time.output(of: time.hot("a--b-|").map { _ in time.cold("12|") }.switchToLatest())
///     #expect(output == "12-12|")
///
/// As a scheduler, a tick is a second: `.debounce(for: .seconds(2), scheduler: time)`. What is scheduled
/// for a tick happens before the inputs of that tick, which play in their order.
///
/// Time goes on until all inputs have been played, and then as long as something is scheduled and
/// the output has not ended; what repeats, as with `collect(.byTime(…))`, happens once more.
///
/// Everything happens in the calling thread, so it is for operators that neither start tasks nor
/// change threads.
public final class MarbleTime: Scheduler, Sendable {
  /// An input of an operator under test.
  public typealias Input = PassthroughSubject<String, MarbleFailure>
  /// Times and durations are those of ``QueueScheduler``.
  public typealias SchedulerTimeType = QueueScheduler.SchedulerTimeType
  /// The scheduler has no options.
  public typealias SchedulerOptions = Never

  private struct Player {
    let start: Int
    let ticks: [[Character]]
    let play: (Character) -> Void
  }

  private struct Timer {
    var time: SchedulerTimeType
    let period: SchedulerTimeType.Stride?
    /// Whether it has fired after the last input; what repeats does not keep the time going then.
    var isExhausted = false
    let action: () -> Void
  }

  /// The number of ticks after the last input; an operator may schedule something for ever.
  private static let ticksAfterInputsMax = 10_000

  private struct State {
    var tick = 0
    var players: [Player] = []
    var timers: [Int: Timer] = [:]
    var timerCount = 0
    /// The output of each tick.
    var output: [[String]] = [[]]
  }

  private let state = Locked(State())

  /// Creates a time, at its first tick.
  public init() {}

  // MARK: Inputs

  /// Returns a publisher that plays from now on, with or without subscribers.
  ///
  /// - Parameter diagram: What it does.
  /// - Returns: The publisher, a subject to which a test may send more.
  public func hot(_ diagram: String) -> Input {
    let subject = Input()
    play(diagram) { character in
      switch character {
      case "|": subject.send(completion: .finished)
      case "#": subject.send(completion: .failure(MarbleFailure()))
      default: subject.send(String(character))
      }
    }
    return subject
  }

  /// Returns a publisher that plays for each subscriber, from the tick of its subscription on.
  ///
  /// - Parameter diagram: What it does.
  /// - Returns: The publisher.
  public func cold(_ diagram: String) -> AnyPublisher<String, MarbleFailure> {
    Deferred { self.hot(diagram) }.eraseToAnyPublisher()
  }

  private func play(_ diagram: String, with play: @escaping (Character) -> Void) {
    let ticks = Self.ticks(diagram)
    state.withLock { $0.players.append(Player(start: $0.tick, ticks: ticks, play: play)) }
  }

  private static func ticks(_ diagram: String) -> [[Character]] {
    var ticks: [[Character]] = []
    var group: [Character]?
    for character in diagram {
      switch character {
      case "(": group = []
      case ")":
        ticks.append(group ?? [])
        group = nil
      case "-": ticks.append([])
      default: if group?.append(character) == nil { ticks.append([character]) }
      }
    }
    return ticks
  }

  // MARK: Output

  /// Plays all inputs to a subscriber; in each tick, the subscriber acts before the inputs.
  ///
  /// - Parameters:
  ///   - publisher: The operator under test.
  ///   - subscriber: What the subscriber does. The default requests unlimited demand.
  /// - Returns: The diagram of the output, up to the last tick in which something was received.
  public func output(
    of publisher: some Publisher<some CustomStringConvertible, some Error>,
    subscriber: String = "*"
  ) -> String {
    let probe = MarbleSubscriber(of: publisher) { signal in
      self.state.withLock { $0.output[$0.output.count - 1].append(signal) }
    }
    play(subscriber) { probe.perform($0) }
    state.withLock { state in
      state.output = [[]]
      // The subscriber acts before the inputs.
      if let player = state.players.popLast() { state.players.insert(player, at: 0) }
    }
    publisher.subscribe(probe)
    var ticksLeft = Self.ticksAfterInputsMax
    while isPlaying || hasScheduled && !probe.hasEnded && ticksLeft > 0 {
      if !isPlaying { ticksLeft -= 1 }
      performDue()
      playTick()
      state.withLock { state in
        state.tick += 1
        state.output.append([])
      }
    }
    let diagram = state.withLock { $0.output }.map { tick in
      tick.count > 1 ? "(\(tick.joined()))" : tick.first ?? "-"
    }
    return String(diagram.joined().reversed().drop { $0 == "-" }.reversed())
  }

  /// Plays the inputs of a tick, to which playing may add more.
  private func playTick() {
    var index = 0
    while let (player, tick) = state.withLock({ state in
      index < state.players.count ? (state.players[index], state.tick) : nil
    }) {
      let position = tick - player.start
      if position < player.ticks.count { player.ticks[position].forEach(player.play) }
      index += 1
    }
  }

  private var isPlaying: Bool {
    state.withLock { state in
      state.players.contains { $0.start + $0.ticks.count > state.tick }
    }
  }

  private var hasScheduled: Bool {
    state.withLock { $0.timers.values.contains { !$0.isExhausted } }
  }

  // MARK: Scheduling

  /// The time of the current tick, in seconds since the first one.
  public var now: SchedulerTimeType {
    SchedulerTimeType(nanoseconds: 0).advanced(by: .seconds(state.withLock { $0.tick }))
  }

  /// The shortest interval that the scheduler distinguishes.
  public var minimumTolerance: SchedulerTimeType.Stride { .nanoseconds(1) }

  /// Performs an action now.
  ///
  /// - Parameters:
  ///   - options: Unused.
  ///   - action: The action.
  public func schedule(options: Never?, _ action: @escaping () -> Void) { action() }

  /// Performs an action at the first tick that is not before a time.
  ///
  /// - Parameters:
  ///   - date: The time.
  ///   - tolerance: Ignored.
  ///   - options: Unused.
  ///   - action: The action.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
    _ action: @escaping () -> Void
  ) {
    _ = add(Timer(time: date, period: nil, action: action))
  }

  /// Performs an action at a time and then periodically.
  ///
  /// - Parameters:
  ///   - date: The first time.
  ///   - interval: The duration from one time to the next; at least a tick.
  ///   - tolerance: Ignored.
  ///   - options: Unused.
  ///   - action: The action.
  /// - Returns: What cancels it.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    let number = add(Timer(time: date, period: max(interval, .seconds(1)), action: action))
    return AnyCancellable { _ = self.state.withLock { $0.timers.removeValue(forKey: number) } }
  }

  private func add(_ timer: Timer) -> Int {
    state.withLock { state in
      state.timerCount += 1
      state.timers[state.timerCount] = timer
      return state.timerCount
    }
  }

  private func performDue() {
    let (now, isPlaying) = (now, isPlaying)
    for number in state.withLock({ $0.timers.keys.sorted() }) {
      let due = state.withLock { state -> Timer? in
        guard let timer = state.timers[number], timer.time <= now else { return nil }
        guard let period = timer.period else { return state.timers.removeValue(forKey: number) }
        state.timers[number]?.time = timer.time.advanced(by: period)
        state.timers[number]?.isExhausted = !isPlaying
        return timer
      }
      due?.action()
    }
  }
}

/// Writes what it receives, and requests only what its diagram says.
private final class MarbleSubscriber<Input: CustomStringConvertible, Failure: Error>: Subscriber {
  private var subscription: (any Subscription)?
  private(set) var hasEnded = false
  private let write: (String) -> Void

  init(of publisher: some Publisher<Input, Failure>, write: @escaping (String) -> Void) {
    self.write = write
  }

  func perform(_ action: Character) {
    switch action {
    case "!":
      subscription?.cancel()
      hasEnded = true
    case "*": subscription?.request(.unlimited)
    default: subscription?.request(.max(action.wholeNumberValue ?? 0))
    }
  }

  func receive(subscription: any Subscription) { self.subscription = subscription }

  func receive(_ input: Input) -> Subscribers.Demand {
    let text = input.description
    write(text.count > 1 ? "[\(text)]" : text)
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    hasEnded = true
    if case .finished = completion { write("|") } else { write("#") }
  }
}
