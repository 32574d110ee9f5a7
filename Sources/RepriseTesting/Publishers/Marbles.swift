// Operators under test as one line for each input and one for the output.

public import Reprise

/// Plays an input through an operator, in virtual time.
///
///     #expect(marbles("ab-----c--|") { $1.debounce(for: .seconds(2), scheduler: $0) } == "---b-----c|")
///
/// - Parameters:
///   - input: The diagram of the input; see ``MarbleTime``.
///   - subscriber: What the subscriber does. The default requests unlimited demand.
///   - make: Makes the operator under test, of the time, which is a scheduler, and the input.
/// - Returns: The diagram of the output, without ticks at the end in which nothing happens.
public func marbles(
  _ input: String, subscriber: String = "*",
  of make: (MarbleTime, MarbleTime.Input) -> some Publisher<
    some CustomStringConvertible, some Error
  >
) -> String {
  let time = MarbleTime()
  return time.output(of: make(time, time.hot(input)), subscriber: subscriber)
}

/// Plays two inputs through an operator, in virtual time.
///
/// - Parameters:
///   - first: The diagram of an input; see ``MarbleTime``.
///   - second: That of the other one.
///   - subscriber: What the subscriber does. The default requests unlimited demand.
///   - make: Makes the operator under test.
/// - Returns: The diagram of the output, without ticks at the end in which nothing happens.
public func marbles(
  _ first: String, _ second: String, subscriber: String = "*",
  of make: (MarbleTime.Input, MarbleTime.Input) -> some Publisher<
    some CustomStringConvertible, some Error
  >
) -> String {
  let time = MarbleTime()
  let (a, b) = (time.hot(first), time.hot(second))
  return time.output(of: make(a, b), subscriber: subscriber)
}

/// Plays three inputs through an operator, in virtual time.
///
/// - Parameters:
///   - first: The diagram of an input; see ``MarbleTime``.
///   - second: That of the second one.
///   - third: That of the third one.
///   - subscriber: What the subscriber does. The default requests unlimited demand.
///   - make: Makes the operator under test.
/// - Returns: The diagram of the output, without ticks at the end in which nothing happens.
public func marbles(
  _ first: String, _ second: String, _ third: String, subscriber: String = "*",
  of make: (MarbleTime.Input, MarbleTime.Input, MarbleTime.Input) -> some Publisher<
    some CustomStringConvertible, some Error
  >
) -> String {
  let time = MarbleTime()
  let (a, b, c) = (time.hot(first), time.hot(second), time.hot(third))
  return time.output(of: make(a, b, c), subscriber: subscriber)
}
