import Foundation
import Testing

/// What the pages of the documentation name is there, and what they count is counted.
struct DocumentTests {
  /// A problem at a line of a page.
  typealias Problem = String

  private static let paths: [String] =
    ["README.md", "CONTRIBUTING.md", "SECURITY.md"]
    + ["Documentation", "Benchmarks", "Examples", "Sources"].flatMap { Repository.paths(below: $0) }
    .filter { $0.hasSuffix(".md") && !$0.contains("/.build/") }

  /// Returns the lines of a text outside of fenced blocks, with their numbers.
  private static func prose(_ text: String) -> [(number: Int, line: String)] {
    var isInside = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
      let isFence = $1.drop { $0 == " " }.hasPrefix("```")
      if isFence { isInside.toggle() }
      return isFence || isInside ? nil : ($0 + 1, String($1))
    }
  }

  // MARK: Links

  /// Returns the anchors that a web page of a text has for its headings.
  private static func anchors(in text: String) -> Set<String> {
    Set(
      prose(text).map(\.line).filter { $0.hasPrefix("#") }.map { heading in
        heading.drop { $0 == "#" }.dropFirst().lowercased()
          .filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.replacing(" ", with: "-")
      })
  }

  /// Returns the links of a page that lead nowhere.
  private static func brokenLinks(in text: String, of path: String) -> [Problem] {
    let page = Repository.root.appendingPathComponent(path)
    // Regular expressions are slow.
    return prose(text).filter { $0.line.contains("](") }.flatMap { number, line in
      line.matches(of: /\]\(([^()\s]+)\)/).map(\.1).filter { !$0.contains("://") }.compactMap {
        let parts = $0.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
        let file = URL(fileURLWithPath: parts[0], relativeTo: page)
        guard parts[0].isEmpty || FileManager.default.fileExists(atPath: file.path) else {
          return "\(path):\(number): there is no file \(parts[0])"
        }
        guard parts.count > 1 else { return nil }
        let target = parts[0].isEmpty ? text : (try? String(contentsOf: file, encoding: .utf8))
        return anchors(in: target ?? "").contains(parts[1])
          ? nil : "\(path):\(number): there is no heading for #\(parts[1])"
      }
    }
  }

  @Test func `every link leads to a file, and its anchor to a heading`() throws {
    for path in Self.paths {
      for problem in try Self.brokenLinks(in: Repository.text(of: path), of: path) {
        Issue.record("\(problem)")
      }
    }
    let text = "# One `two`: three\n[a](README.md#licens) [b](#one-two-three)\n\n[c](NONE.md)"
    #expect(
      Self.brokenLinks(in: text, of: "Some.md") == [
        "Some.md:2: there is no heading for #licens", "Some.md:4: there is no file NONE.md",
      ])
  }

  // MARK: Names of files

  /// Paths in the projects of readers, which examples in the text name.
  private static let examples: Set = [
    "workflows/NAME.yaml", "workflows/hello.yaml", "workflows/deploy.yaml",
    "Sources/WorkflowFiles/StepKinds/YourStep.swift",
  ]

  private static let files = ["Documentation", "Sources", "Tests", "Scripts", "workflows"].flatMap {
    Repository.paths(below: $0)
  }

  /// Returns the names of files in backticks that do not exist.
  ///
  /// These are paths, also without the folders at their start, and names of Swift files.
  private static func missingFiles(in text: String, of path: String) -> [Problem] {
    prose(text).filter { $0.line.contains("`") }.flatMap { number, line in
      line.matches(of: /`([\w.\/+-]+\.(?:swift|md|yaml|py|c|h|sh|awk|svg|json))`/).map {
        String($0.1)
      }
      .filter { $0.contains("/") || $0.hasSuffix(".swift") }
      .filter { !$0.hasPrefix(".") && !$0.hasPrefix("build/") && !examples.contains($0) }
      .filter { name in !files.contains { $0 == name || $0.hasSuffix("/" + name) } }
      .map { "\(path):\(number): there is no file \($0)" }
    }
  }

  @Test func `every file that a page names exists`() throws {
    let pages = Self.paths.filter {
      $0.wholeMatch(of: /(Documentation\/)?[\w-]+\.md/) != nil
    }
    #expect(pages.count > 20)
    for page in pages {
      for problem in try Self.missingFiles(in: Repository.text(of: page), of: page) {
        Issue.record("\(problem)")
      }
    }
    #expect(
      Self.missingFiles(in: "`Reprise/Run/RunDriver.swift` and `Run/Driver.swift`", of: "Some.md")
        == ["Some.md:1: there is no file Run/Driver.swift"])
  }

  // MARK: Numbers

  @Test func `the README fits on three screens`() throws {
    let text = try Repository.text(of: "README.md")
    #expect(text.matches(of: /\n/).count <= 150)
    #expect(text.split(whereSeparator: \.isWhitespace).count <= 1100)
  }

  @Test func `the number of recipes is that of the sections, each with a file of its own`() throws {
    let page = try Repository.text(of: "Documentation/recipes.md")
    let sections = page.components(separatedBy: "\n## ").count - 1
    let named = Set(page.matches(of: /reprise (?:run|watch) (recipes\/[\w-]+)/).map { $0.1 })
    #expect(named.count == sections)
    for name in named { #expect(Self.files.contains("workflows/\(name).yaml"), "\(name)") }
    let formatter = NumberFormatter()
    formatter.locale = Locale(identifier: "en_US")
    formatter.numberStyle = .spellOut
    let number = try #require(formatter.string(from: NSNumber(value: sections)))
    let isOnPage = page.contains("\n\(number.capitalized) workflows to start from")
    #expect(isOnPage, "recipes.md: there are \(number)")
    let isInReadme = try Repository.text(of: "README.md").contains("[\(number) recipes]")
    #expect(isInReadme, "README.md: there are \(number)")
  }

  /// Returns the cases of an enumeration, as they are written in events and in the journal.
  private static func cases(of type: String, in path: String) throws -> Set<String> {
    let text = try Repository.text(of: path)
    let rest = try #require(text.range(of: "enum \(type): ")).upperBound
    let body = text[rest...].prefix(while: { $0 != "}" })
    return Set(
      body.matches(of: /\n  case (\w+)/).map {
        String($0.1).replacing(/[A-Z]/) { "-" + $0.output.lowercased() }
      })
  }

  @Test func `every outcome of a run is on the pages that list them`() throws {
    let outcomes = try Self.cases(of: "RunOutcome", in: "Sources/Reprise/Events/Reasons.swift")
    #expect(outcomes.count > 5 && outcomes.contains("timed-out"))
    for (path, start) in [
      ("Documentation/events.md", "| `run-ended`"),
      ("Documentation/running.md", "| `REPRISE_OUTCOME`"),
    ] {
      let lines = try Repository.text(of: path).split(separator: "\n")
      let line = try #require(lines.first { $0.hasPrefix(start) })
      for outcome in outcomes {
        let isThere = line.contains("`\(outcome)`")
        #expect(isThere, "\(path): \(outcome) is missing")
      }
    }
    let states = try Repository.text(of: "Documentation/journal.md").split(separator: "\n")
      .drop { $0 != "| state | meaning |" }.prefix { $0.hasPrefix("|") }
      .flatMap { $0.split(separator: "|")[0].matches(of: /`([a-z-]+)`/).map { String($0.1) } }
    let statuses = try Self.cases(of: "RunStatus", in: "Sources/RepriseJournal/RunRecord.swift")
    #expect(statuses.isSuperset(of: outcomes) && Set(states) == statuses)
  }
}
