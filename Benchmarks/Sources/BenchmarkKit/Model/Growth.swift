// How the cost of some work grows with its size.

import Foundation

/// Work of several sizes.
public struct Growth: Sendable {
  /// A unique short name, for `--only`.
  public let id: String
  /// What there is more and more of, such as `steps`, and what is done with them.
  public let work: String
  /// Prepares the work of a size in an empty folder, and returns the command to measure.
  let command: @Sendable (Place, _ size: Int) throws -> [String]

  /// The sizes, each ten times the one before.
  static let sizes = [100, 1_000, 10_000, 100_000]

  /// The largest size that is possible.
  let sizeMax: Int

  init(
    _ id: String, _ work: String, sizeMax: Int = 100_000,
    command: @escaping @Sendable (Place, _ size: Int) throws -> [String]
  ) {
    self.id = id
    self.work = work
    self.sizeMax = sizeMax
    self.command = command
  }
}

/// The measured costs of work of several sizes.
public struct GrowthLine: Sendable {
  /// The name of the work.
  public let id: String
  /// The description of the work.
  public let work: String
  /// The size, the processor time in milliseconds and the memory in MiB of each point.
  public let points: [(size: Int, processor: Double, resident: Double)]

  /// Creates a line.
  public init(
    id: String, work: String, points: [(size: Int, processor: Double, resident: Double)]
  ) {
    self.id = id
    self.work = work
    self.points = points
  }

  /// The limit of an exponent: a tenth above linear.
  public static let exponentMax = 1.1

  /// The exponent of the processor time over the last decade of the size: 1 if it is linear, less while
  /// the start of the command counts.
  public var processorExponent: Double { exponent(\.processor) }

  /// The same for the memory.
  public var residentExponent: Double { exponent(\.resident) }

  private func exponent(
    _ value: KeyPath<(size: Int, processor: Double, resident: Double), Double>
  ) -> Double {
    guard let last = points.last, let before = points.dropLast().last else { return 0 }
    return log(last[keyPath: value] / before[keyPath: value])
      / log(Double(last.size) / Double(before.size))
  }

  /// Whether the cost grows faster than the limit.
  public var hasMissed: Bool {
    max(processorExponent, residentExponent) > Self.exponentMax
  }
}

/// Formats growth as a Markdown table.
///
/// - Parameter lines: The measured lines.
/// - Returns: The lines of the table, each with a line feed.
public func growthTable(_ lines: [GrowthLine]) -> String {
  let sizes = Growth.sizes.map { "n = \(grouped($0))" }
  let head = ["growth", "figure"] + sizes + ["exponent", "bar", "verdict"]
  var rows = [head, head.map { String(repeating: "-", count: max(3, $0.count)) }]
  for line in lines {
    func row(_ title: String, _ values: [String], _ exponent: Double, _ id: String) {
      rows.append(
        [id, title] + values
          + Array(repeating: "–", count: Growth.sizes.count - values.count) + [
            fixed(exponent, 2), "≤ \(fixed(GrowthLine.exponentMax, 1))",
            exponent <= GrowthLine.exponentMax ? "met" : "MISSED",
          ])
    }
    row(
      Figure.processor.title, line.points.map { Figure.processor.text($0.processor) },
      line.processorExponent, line.id)
    row(
      Figure.resident.title, line.points.map { Figure.resident.text($0.resident) },
      line.residentExponent, "")
  }
  return rows.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
}

/// Returns a number with a comma between each three digits.
func grouped(_ number: Int) -> String {
  number < 1000
    ? "\(number)" : "\(grouped(number / 1000)),\(String("\(1000 + number % 1000)".dropFirst()))"
}
