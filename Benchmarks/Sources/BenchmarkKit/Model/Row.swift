// What a row of the table is: work, who does it, and how fast it has to be. Knows nothing of how
// anything is measured.

/// One piece of work that several contestants do, with the bars that ours has to clear.
public struct Row: Sendable {
  /// A short name, unique, for `--only`.
  public let id: String
  /// What the work is.
  public let work: String
  /// By how much `--rounds` is multiplied: more for work that takes milliseconds.
  public let roundsFactor: Int
  /// Prepares the work in an empty folder, and tells who does it.
  public let contestants: @Sendable (Place) throws -> [Contestant]
  /// What is compared, in the order of the table.
  public let bars: [Bar]

  /// Puts a row together.
  ///
  /// - Parameters:
  ///   - id: A short name.
  ///   - work: What the work is.
  ///   - roundsFactor: By how much `--rounds` is multiplied.
  ///   - bars: What is compared.
  ///   - contestants: Prepares the work and tells who does it.
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

/// Somebody who does the work of a row.
public struct Contestant {
  /// How it is called in the bars of its row.
  public let name: String
  /// Whether one round is enough, as for peers that are many times slower.
  public let runsOnce: Bool
  /// Does the work once.
  public let measure: () throws -> Sample

  /// Puts a contestant together.
  ///
  /// - Parameters:
  ///   - name: How it is called.
  ///   - runsOnce: Whether one round is enough.
  ///   - measure: Does the work once.
  public init(_ name: String, runsOnce: Bool = false, measure: @escaping () throws -> Sample) {
    self.name = name
    self.runsOnce = runsOnce
    self.measure = measure
  }
}

/// One line of the table: a comparison, and what it has to come to.
public struct Bar: Sendable {
  /// What is compared.
  public enum Comparison: Sendable {
    /// The value of one contestant as it is.
    case value(of: String)
    /// The value of one divided by that of another, round by round.
    case ratio(String, to: String)
    /// The value of one without that of another, round by round.
    case difference(String, from: String)
  }

  /// What is to be said of the result.
  public enum Limit: Sendable, Equatable {
    /// It is only reported.
    case reported
    /// It must not be larger.
    case atMost(Double)
    /// It has to be smaller; 0 against 0 will do, since nothing is fewer than none.
    case below(Double)
  }

  /// The kind of number.
  public let figure: Figure
  /// Whose numbers.
  public let comparison: Comparison
  /// What they have to come to.
  public let limit: Limit

  /// Puts a bar together.
  ///
  /// - Parameters:
  ///   - figure: The kind of number.
  ///   - comparison: Whose numbers.
  ///   - limit: What they have to come to.
  public init(_ figure: Figure, _ comparison: Comparison, _ limit: Limit) {
    self.figure = figure
    self.comparison = comparison
    self.limit = limit
  }
}
