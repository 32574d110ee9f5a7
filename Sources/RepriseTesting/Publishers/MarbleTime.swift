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
/// change threads. Not thread-safe.
public final class MarbleTime: Scheduler {
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

  private var tick = 0
  private var players: [Player] = []
  private var timers: [Int: Timer] = [:]
  private var timerCount = 0

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
    players.append(Player(start: tick, ticks: Self.ticks(diagram), play: play))
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
    var output: [[String]] = [[]]
    let probe = MarbleSubscriber(of: publisher) { output[output.count - 1].append($0) }
    let inputs = players
    players = []
    play(subscriber) { probe.perform($0) }
    players += inputs
    publisher.subscribe(probe)
    var ticksLeft = Self.ticksAfterInputsMax
    while isPlaying || hasScheduled && !probe.hasEnded && ticksLeft > 0 {
      if !isPlaying { ticksLeft -= 1 }
      performDue()
      var index = 0
      // Playing may add more players.
      while index < players.count {
        let player = players[index]
        let position = tick - player.start
        if position < player.ticks.count { player.ticks[position].forEach(player.play) }
        index += 1
      }
      tick += 1
      output.append([])
    }
    let diagram = output.map { tick in
      tick.count > 1 ? "(\(tick.joined()))" : tick.first ?? "-"
    }
    return String(diagram.joined().reversed().drop { $0 == "-" }.reversed())
  }

  private var isPlaying: Bool { players.contains { $0.start + $0.ticks.count > tick } }

  private var hasScheduled: Bool { timers.values.contains { !$0.isExhausted } }

  // MARK: Scheduling

  /// The time of the current tick, in seconds since the first one.
  public var now: SchedulerTimeType {
    SchedulerTimeType(nanoseconds: 0).advanced(by: .seconds(tick))
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
    return AnyCancellable { self.timers[number] = nil }
  }

  private func add(_ timer: Timer) -> Int {
    timerCount += 1
    timers[timerCount] = timer
    return timerCount
  }

  private func performDue() {
    for number in timers.keys.sorted() {
      guard let timer = timers[number], timer.time <= now else { continue }
      if let period = timer.period {
        timers[number]?.time = timer.time.advanced(by: period)
        timers[number]?.isExhausted = !isPlaying
      } else {
        timers[number] = nil
      }
      timer.action()
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
