import Foundation
import Testing

/// The pages about reliability agree with the tests.
struct ReliabilityTests {
  private static let pages = ["Documentation/reliability.md", "Documentation/campaigns.md"]

  /// Returns the lines of a section, or of the whole pages.
  private static func lines(of section: String? = nil) throws -> [Substring] {
    let lines = try pages.flatMap { try Repository.text(of: $0).split(separator: "\n") }
    guard let section else { return lines }
    let rest = lines.drop { $0 != "## " + section }.dropFirst()
    return Array(rest.prefix { !$0.hasPrefix("## ") })
  }

  /// Returns the suites that a line names.
  private static func suites(in line: Substring) -> [String] {
    line.matches(of: /`(\w+Tests)`/).map { String($0.1) }
  }

  /// Returns the code of a suite and its extensions, without the underscores in numbers.
  private static func text(of suite: String) -> String {
    SourceTests.tests.filter { source in
      let file = source.path.split(separator: "/").last ?? ""
      return file.prefix { $0 != "." && $0 != "+" } == suite
    }.map { $0.text.replacing("_", with: "") }.joined()
  }

  @Test func `promises are numbered and have tests and figures`() throws {
    let rows = try Self.lines(of: "The promises").filter { $0.hasPrefix("|") }.dropFirst(2)
    let cells = rows.map { row in
      row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(cells.map(\.first) == (1...26).map { String($0) })
    for (row, cells) in zip(rows, cells) {
      #expect(cells.count == 4 && cells.allSatisfy { !$0.isEmpty }, "\(row)")
      #expect(!Self.suites(in: row).isEmpty, "\(row)")
      #expect(cells.last?.contains(where: \.isNumber) == true, "\(row)")
    }
  }

  @Test func `the suites on the pages exist`() throws {
    let text = SourceTests.tests.map(\.text).joined(separator: "\n")
    let suites = Set(text.matches(of: /(?:struct|class) (\w+Tests)\b/).map { String($0.1) })
    for line in try Self.lines() {
      for suite in Self.suites(in: line) { #expect(suites.contains(suite), "\(line)") }
    }
  }

  @Test func `the figures on the pages agree with the suites`() throws {
    var count = 0
    for line in try Self.lines() {
      for figure in line.matches(of: /([0-9,]+) \(\*soak\* ([0-9,]+)\)/) {
        count += 1
        let (few, many) = (figure.1.replacing(",", with: ""), figure.2.replacing(",", with: ""))
        let call = "rounds(\(few), so" + "ak: \(many))"
        let suites = Self.suites(in: line)
        #expect(suites.contains { Self.text(of: $0).contains(call) }, "\(call): \(line)")
      }
    }
    #expect(count > 20)
  }

  @Test func `the cases of the runners are on the page, and those on the page exist`() throws {
    let page = try Self.lines(of: "Runners").joined(separator: "\n")
    let named = Set(page.matches(of: /`([a-z]+(?:_[a-z]+)*)`/).map { String($0.1) })
    let folder = Repository.root.appendingPathComponent("Tests/Runners")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let cases = try files.filter { $0.hasPrefix("cases_") }.flatMap { file in
      try Repository.text(of: "Tests/Runners/" + file)
        .matches(of: /@case\(.*\)\ndef (\w+)\(/).map { String($0.1) }
    }
    #expect(cases.count > 20 && named.isSuperset(of: cases), "\(Set(cases).subtracting(named))")
    #expect(named.filter { $0.contains("_") }.subtracting(cases) == [])
  }
}
