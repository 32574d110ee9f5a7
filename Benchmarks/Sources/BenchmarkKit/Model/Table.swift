// Formats the table for terminals and RESULTS.md: a Markdown table with aligned columns.

/// The result of one row.
public struct JudgedRow: Sendable {
  /// The id of the row.
  public let id: String
  /// The description of the work.
  public let work: String
  /// The lines.
  public let judgements: [Judgement]

  /// Creates the result of a row.
  ///
  /// - Parameters:
  ///   - id: The id of the row.
  ///   - work: The description of the work.
  ///   - judgements: The lines.
  public init(id: String, work: String, judgements: [Judgement]) {
    self.id = id
    self.work = work
    self.judgements = judgements
  }

  /// Whether a bar was missed.
  public var hasMissed: Bool { judgements.contains { $0.verdict == .missed } }
}

/// Formats rows as a Markdown table.
///
/// - Parameter rows: The rows in order.
/// - Returns: The lines, each with a line feed.
public func table(_ rows: [JudgedRow]) -> String {
  var cells = [["row", "figure", "ours", "the other", "result (range)", "bar", "verdict"]]
  for row in rows {
    for (number, line) in row.judgements.enumerated() {
      cells.append([
        number == 0 ? row.id : "", line.figure, line.ours, line.other, line.result, line.bar,
        line.verdict.rawValue,
      ])
    }
  }
  let widths = cells[0].indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
  cells.insert(widths.map { String(repeating: "-", count: $0) }, at: 1)
  return cells.map { row in
    let padded = zip(row, widths).map { text, width in
      text + String(repeating: " ", count: width - text.count)
    }
    return "| " + padded.joined(separator: " | ") + " |\n"
  }.joined()
}
