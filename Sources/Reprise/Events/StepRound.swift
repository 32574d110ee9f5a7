// The rounds of a step that repeats.

/// A round of a step that repeats.
public struct StepRound: Sendable, Equatable, CustomStringConvertible {
  /// Its number, from 1.
  public let number: Int
  /// The maximum number of rounds; unlimited if nil.
  public let limit: Int?

  /// Creates a round.
  ///
  /// - Parameters:
  ///   - number: Its number, from 1.
  ///   - limit: The maximum number of rounds; unlimited if nil.
  public init(number: Int, limit: Int? = nil) {
    self.number = number
    self.limit = limit
  }

  /// The round, as in `round 3 of 30`.
  public var description: String { "round \(number)" + (limit.map { " of \($0)" } ?? "") }

  /// The next round.
  var next: StepRound { StepRound(number: number < .max ? number + 1 : number, limit: limit) }

  /// The round before.
  var previous: StepRound { StepRound(number: number > .min ? number - 1 : number, limit: limit) }
}
