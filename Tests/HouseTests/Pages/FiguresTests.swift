import Foundation
import Testing

/// The figures of the page about performance are those of the latest results.
struct FiguresTests {
  /// Returns the trimmed cells of a row of a table.
  private static func cells(_ line: Substring) -> [String] {
    line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// A line of the table of results: its result without the range, its limit and its verdict.
  private struct Line: Equatable {
    let result: String
    let limit: String?
    let verdict: String
  }

  /// Returns the cells of each line of `Benchmarks/RESULTS.md`, with the name of its row, which only the
  /// first line of a row has.
  private static func lines() throws -> [(row: String, cells: [String])] {
    var row = ""
    return try Repository.text(of: "Benchmarks/RESULTS.md").split(separator: "\n").compactMap {
      line in
      let cells = cells(line)
      guard line.hasPrefix("|"), cells.count == 7 else { return nil }
      if !cells[0].isEmpty { row = cells[0] }
      return (row, cells)
    }
  }

  /// Returns the results of each row.
  private static func results() throws -> [String: [Line]] {
    try lines().reduce(into: [:]) { results, line in
      let (row, cells) = line
      let result = cells[4].replacing(/\ \([^(]+$/, with: "").replacing(" of a core", with: "")
      results[row, default: []].append(
        Line(
          result: result, limit: number(in: cells[5]), verdict: cells[6].lowercased()))
    }
  }

  /// Returns the first number of a text without zeros at its end; nil if there is none.
  private static func number(in text: String) -> String? {
    text.firstMatch(of: /[0-9]+(\.[0-9]+)?/).flatMap { Double($0.0) }.map { "\($0)" }
  }

  /// Returns the rows of a page whose figures are not those of the results.
  ///
  /// A row has the name in backticks, what is measured, the limit, the results and the verdict.
  private static func wrongRows(of page: String) throws -> (count: Int, wrong: [Substring]) {
    let results = try results()
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
    return (
      rows.count,
      rows.filter { row in
        let cells = cells(row)
        guard cells.count == 5 else { return true }
        let lines = results[cells[0].replacing("`", with: "")] ?? []
        return cells[3].components(separatedBy: ", ").contains { result in
          !lines.contains {
            $0.result == result && $0.verdict == cells[4] && $0.limit == number(in: cells[2])
          }
        }
      }
    )
  }

  @Test func `the figures on the page are those of the latest results`() throws {
    let page = try Repository.text(of: "Documentation/performance.md")
    let (count, wrong) = try Self.wrongRows(of: page)
    #expect(count > 15)
    for row in wrong { Issue.record("not as in Benchmarks/RESULTS.md: \(row)") }
    let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `shell-steps`") })
    for (figure, other) in [("× 1.", "× 2."), ("1.35 ×", "1.25 ×"), ("missed", "met")] {
      let changed = String(row.replacing(figure, with: other))
      #expect(try Self.wrongRows(of: changed).wrong == [changed[...]], "\(changed)")
    }
  }

  @Test func `the figures of the README are those of the latest results`() throws {
    var measured: [String: String] = [:]
    for (row, cells) in try Self.lines()
    where row == "shell-steps" && cells[1] == "wall time" && cells[2].hasPrefix("reprise: ") {
      let peer = String(cells[3].prefix { $0 != ":" })
      measured[peer] = cells[4].split(separator: " ").prefix(2).joined(separator: " ")
    }
    let paragraph = try #require(
      Repository.text(of: "README.md").components(separatedBy: "\n\n")
        .first { $0.hasPrefix("[What it costs]") })
    let said = paragraph.replacing("\n", with: " ")
      .matches(of: /(× [0-9.]+) of (?:the time of )?(?:go-)?([a-z]+)/)
    #expect(said.map { String($0.2) } == ["ninja", "make", "just", "task"])
    for match in said { #expect(measured[String(match.2)] == String(match.1)) }
  }
}
