// Marble diagrams, which show the inputs and the output of an operator as one line each.

import CombineOperators

/// Plays diagrams in virtual time, one tick after another.
///
/// In a diagram, each of these is one tick: `-` (nothing happens), a letter or digit (a value), `|`
/// (the end), `#` (a failure), and several of these in parentheses. An output of several characters
/// is in brackets. In the diagram of a subscriber, a digit requests that many values, `*` requests
/// unlimited demand, and `!` cancels.
final class MarbleTime {
  typealias Input = PassthroughSubject<String, TestError>

  private struct Player {
    let start: Int
    let ticks: [[Character]]
    let play: (Character) -> Void
  }

  private(set) var now = 0
  private var players: [Player] = []
  private var timers: [(next: Int, period: Int, action: () -> Void)] = []

  /// Calls a closure at a tick and then periodically, before the inputs of the tick.
  func perform(every period: Int, from tick: Int, _ action: @escaping () -> Void) {
    timers.append((tick, period, action))
  }

  private func fireTimers() {
    for position in timers.indices where timers[position].next == now {
      timers[position].next += timers[position].period
      timers[position].action()
    }
  }

  /// A publisher that plays from the first tick on, with or without subscribers.
  func hot(_ diagram: String) -> Input {
    let subject = Input()
    play(diagram) { character in
      switch character {
      case "|": subject.send(completion: .finished)
      case "#": subject.send(completion: .failure(TestError()))
      default: subject.send(String(character))
      }
    }
    return subject
  }

  /// A publisher that plays from the tick of its subscription on, for each subscriber.
  func cold(_ diagram: String) -> AnyPublisher<String, TestError> {
    Deferred { self.hot(diagram) }.eraseToAnyPublisher()
  }

  private func play(_ diagram: String, with play: @escaping (Character) -> Void) {
    players.append(Player(start: now, ticks: Self.ticks(diagram), play: play))
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

  /// Plays all inputs to a subscriber; in each tick, the subscriber acts before the inputs.
  ///
  /// - Returns: The diagram of the output, up to the last tick in which something was received.
  func output(
    of publisher: some Publisher<String, TestError>, subscriber: String
  ) -> String {
    var output: [[String]] = [[]]
    let probe = MarbleSubscriber { output[output.count - 1].append($0) }
    let inputs = players
    players = []
    play(subscriber) { probe.perform($0) }
    players += inputs
    publisher.subscribe(probe)
    while let end = players.map({ $0.start + $0.ticks.count }).max(), now < end {
      fireTimers()
      var index = 0
      // Playing may add more players.
      while index < players.count {
        let player = players[index]
        let position = now - player.start
        if position < player.ticks.count { player.ticks[position].forEach(player.play) }
        index += 1
      }
      now += 1
      output.append([])
    }
    let diagram = output.map { tick in
      tick.count > 1 ? "(\(tick.joined()))" : tick.first ?? "-"
    }
    return String(diagram.joined().reversed().drop { $0 == "-" }.reversed())
  }
}

/// Writes what it receives, and requests only what its diagram says.
private final class MarbleSubscriber: Subscriber {
  private var subscription: (any Subscription)?
  private let write: (String) -> Void

  init(write: @escaping (String) -> Void) {
    self.write = write
  }

  func perform(_ action: Character) {
    switch action {
    case "!": subscription?.cancel()
    case "*": subscription?.request(.unlimited)
    default: subscription?.request(.max(action.wholeNumberValue ?? 0))
    }
  }

  func receive(subscription: any Subscription) { self.subscription = subscription }

  func receive(_ input: String) -> Subscribers.Demand {
    write(input.count > 1 ? "[\(input)]" : input)
    return .none
  }

  func receive(completion: Subscribers.Completion<TestError>) {
    if case .finished = completion { write("|") } else { write("#") }
  }
}

/// Plays one hot input through an operator.
///
/// - Parameters:
///   - input: The diagram of the input.
///   - subscriber: What the subscriber does. The default requests unlimited demand.
///   - make: Makes the operator under test.
/// - Returns: The diagram of the output, without ticks at the end in which nothing happens.
func marbles(
  _ input: String, subscriber: String = "*",
  of make: (MarbleTime, MarbleTime.Input) -> some Publisher<String, TestError>
) -> String {
  let time = MarbleTime()
  return time.output(of: make(time, time.hot(input)), subscriber: subscriber)
}

/// Plays two hot inputs through an operator.
func marbles(
  _ first: String, _ second: String, subscriber: String = "*",
  of make: (MarbleTime.Input, MarbleTime.Input) -> some Publisher<String, TestError>
) -> String {
  let time = MarbleTime()
  let (a, b) = (time.hot(first), time.hot(second))
  return time.output(of: make(a, b), subscriber: subscriber)
}

/// Plays three hot inputs through an operator.
func marbles(
  _ first: String, _ second: String, _ third: String, subscriber: String = "*",
  of make: (MarbleTime.Input, MarbleTime.Input, MarbleTime.Input) -> some Publisher<
    String, TestError
  >
) -> String {
  let time = MarbleTime()
  let (a, b, c) = (time.hot(first), time.hot(second), time.hot(third))
  return time.output(of: make(a, b, c), subscriber: subscriber)
}
