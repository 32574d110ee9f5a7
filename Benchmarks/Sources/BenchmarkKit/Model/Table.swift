// The table as text, for a terminal and for RESULTS.md at once: GitHub's tables, with columns aligned.

/// What was judged of one row.
public struct JudgedRow: Sendable {
  /// The id of the row.
  public let id: String
  /// What the work is.
  public let work: String
  /// The lines.
  public let judgements: [Judgement]

  /// Puts the result of a row together.
  ///
  /// - Parameters:
  ///   - id: The id of the row.
  ///   - work: What the work is.
  ///   - judgements: The lines.
  public init(id: String, work: String, judgements: [Judgement]) {
    self.id = id
    self.work = work
    self.judgements = judgements
  }

  /// Whether a bar was missed.
  public var hasMissed: Bool { judgements.contains { $0.verdict == .missed } }
}

/// The table of some rows in Markdown.
///
/// - Parameter rows: In their order.
/// - Returns: Lines, each with its line feed.
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
