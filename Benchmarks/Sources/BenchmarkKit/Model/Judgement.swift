// Computes the lines of the table from samples.

/// The samples of each contestant of a row, by name, in the order of the rounds.
public typealias Samples = [String: [Sample]]

/// A line of the table with its verdict.
public struct Judgement: Sendable, Equatable {
  /// The verdict on a bar.
  public enum Verdict: String, Sendable {
    /// The limit was kept.
    case met
    /// The limit was exceeded.
    case missed = "MISSED"
    /// There is no limit.
    case reported = "–"
  }

  /// The figure, such as `wall time`.
  public let figure: String
  /// Our contestant with its median, such as `reprise: 12.3 ms`.
  public let ours: String
  /// The other contestant with its median; empty if there is no other.
  public let other: String
  /// The judged values: the median, and the range over all rounds.
  public let spread: Spread
  /// The judged values as text.
  public let result: String
  /// The bar, such as `≤ 1.15`.
  public let bar: String
  /// Whether the bar was met.
  public let verdict: Verdict
}

/// The median, minimum and maximum of some numbers.
public struct Spread: Sendable, Equatable {
  /// The middle number, or the mean of the two middle ones.
  public let median: Double
  /// The minimum.
  public let least: Double
  /// The maximum.
  public let most: Double

  /// Computes the median and the range.
  ///
  /// - Parameter values: At least one number.
  public init(_ values: [Double]) {
    precondition(!values.isEmpty, "there is no median of nothing")
    let sorted = values.sorted()
    let middle = sorted.count / 2
    median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    least = sorted[0]
    most = sorted[sorted.count - 1]
  }
}

extension Bar {
  /// Judges the samples of a row.
  ///
  /// Ratios and differences are computed for each round and then the median is taken, because other
  /// load on the machine affects both contestants of a round. A contestant that ran once is
  /// compared with every round.
  ///
  /// - Parameter samples: The samples of all contestants of the row.
  /// - Returns: The line of the table; nil if a contestant has no samples.
  public func judge(_ samples: Samples) -> Judgement? {
    switch comparison {
    case .value(let name):
      guard let values = values(of: name, in: samples) else { return nil }
      return judgement(values, ours: name, nil, in: samples, significant)
    case .ratio(let ours, let other):
      guard let pairs = pairs(ours, other, in: samples) else { return nil }
      let ratios = pairs.map { $0 == 0 && $1 == 0 ? 0 : $0 / $1 }
      return judgement(ratios, ours: ours, other, in: samples, ratioText)
    case .difference(let ours, let other):
      guard let pairs = pairs(ours, other, in: samples) else { return nil }
      return judgement(pairs.map { $0 - $1 }, ours: ours, other, in: samples, significant)
    }
  }

  private func values(of name: String, in samples: Samples) -> [Double]? {
    guard let own = samples[name], !own.isEmpty else { return nil }
    let values = own.compactMap { $0[figure] }
    return values.count == own.count ? values : nil
  }

  private func pairs(
    _ ours: String, _ other: String, in samples: Samples
  ) -> [(Double, Double)]? {
    guard let first = values(of: ours, in: samples), let second = values(of: other, in: samples)
    else { return nil }
    return (0..<max(first.count, second.count)).map { round in
      (first[min(round, first.count - 1)], second[min(round, second.count - 1)])
    }
  }

  private func judgement(
    _ values: [Double], ours: String, _ other: String?, in samples: Samples,
    _ number: (Double) -> String
  ) -> Judgement {
    let spread = Spread(values)
    let range = values.count > 1 ? "\(number(spread.least))–\(number(spread.most))" : "once"
    return Judgement(
      figure: figure.title, ours: median(of: ours, in: samples),
      other: other.map { median(of: $0, in: samples) } ?? "", spread: spread,
      result: "\(withSign(number(spread.median))) (\(range))", bar: barText(number),
      verdict: verdict(spread.median))
  }

  /// Ratios have a prefix, other numbers a unit.
  private func withSign(_ number: String) -> String {
    if case .ratio = comparison { return "× " + number }
    return figure.unit.isEmpty ? number : "\(number) \(figure.unit)"
  }

  private func median(of name: String, in samples: Samples) -> String {
    guard let values = values(of: name, in: samples) else { return name }
    return "\(name): \(figure.text(Spread(values).median))"
  }

  private func barText(_ number: (Double) -> String) -> String {
    switch limit {
    case .reported: ""
    case .atMost(let most): "≤ " + number(most)
    case .below(let most): "< " + number(most)
    }
  }

  private func verdict(_ value: Double) -> Judgement.Verdict {
    switch limit {
    case .reported: .reported
    case .atMost(let most): value <= most ? .met : .missed
    case .below(let most): value < most ? .met : .missed
    }
  }
}

/// Formats a ratio with two decimal places, or more if it is small.
private func ratioText(_ ratio: Double) -> String {
  ratio.isFinite && ratio >= 0.1 ? fixed(ratio, 2) : significant(ratio)
}
