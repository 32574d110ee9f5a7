// The model of a row of the table: the work, the contestants and the bars.

/// A piece of work that several contestants do, with the bars that ours must meet.
public struct Row: Sendable {
  /// A unique short name, for `--only`.
  public let id: String
  /// A description of the work.
  public let work: String
  /// A factor for `--rounds`, larger for work that takes only milliseconds.
  public let roundsFactor: Int
  /// Prepares the work in an empty folder, and returns the contestants.
  public let contestants: @Sendable (Place) throws -> [Contestant]
  /// The comparisons, in the order of the table.
  public let bars: [Bar]

  /// Creates a row.
  ///
  /// - Parameters:
  ///   - id: A unique short name.
  ///   - work: A description of the work.
  ///   - roundsFactor: A factor for `--rounds`.
  ///   - bars: The comparisons.
  ///   - contestants: Prepares the work and returns the contestants.
  public init(
    _ id: String, _ work: String, roundsFactor: Int = 1, bars: [Bar],
    contestants: @escaping @Sendable (Place) throws -> [Contestant]
  ) {
    self.id = id
    self.work = work
    self.roundsFactor = roundsFactor
    self.bars = bars
    self.contestants = contestants
  }
}

/// A program or library that does the work of a row.
public struct Contestant {
  /// The name in the bars of the row.
  public let name: String
  /// Whether one round is enough, for peers that are many times slower.
  public let runsOnce: Bool
  /// Does the work once.
  public let measure: () throws -> Sample

  /// Creates a contestant.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - runsOnce: Whether one round is enough.
  ///   - measure: Does the work once.
  public init(_ name: String, runsOnce: Bool = false, measure: @escaping () throws -> Sample) {
    self.name = name
    self.runsOnce = runsOnce
    self.measure = measure
  }
}

/// A line of the table: a comparison and its limit.
public struct Bar: Sendable {
  /// The values that are compared.
  public enum Comparison: Sendable {
    /// The value of one contestant.
    case value(of: String)
    /// The value of one contestant divided by that of another, for each round.
    case ratio(String, to: String)
    /// The value of one contestant minus that of another, for each round.
    case difference(String, from: String)
  }

  /// The limit of a result.
  public enum Limit: Sendable, Equatable {
    /// No limit; the result is only reported.
    case reported
    /// The result must not be larger.
    case atMost(Double)
    /// The result must be smaller; 0 against 0 is accepted.
    case below(Double)
  }

  /// The kind of number.
  public let figure: Figure
  /// The values that are compared.
  public let comparison: Comparison
  /// The limit of the result.
  public let limit: Limit

  /// Creates a bar.
  ///
  /// - Parameters:
  ///   - figure: The kind of number.
  ///   - comparison: The values that are compared.
  ///   - limit: The limit of the result.
  public init(_ figure: Figure, _ comparison: Comparison, _ limit: Limit) {
    self.figure = figure
    self.comparison = comparison
    self.limit = limit
  }
}
