import Foundation
import Testing

/// The folders of a target depend on each other in one direction.
///
/// A folder depends on another one if its code names a type that is declared there. The files of a
/// target outside of folders count as a folder. A name that several folders declare is ignored.
struct FolderTests {
  /// The dependencies between the folders of a target.
  struct Uses {
    /// The name for files outside of folders.
    static let root = "."

    private(set) var folders: [String: Set<String>] = [:]

    init(_ sources: [SourceTests.Source]) throws {
      let files = sources.map { (folder: Self.folder(of: $0.path), code: Self.code(of: $0.text)) }
      let types = try NSRegularExpression(
        pattern: #"^(.*)\b(?:class|struct|enum|protocol|actor|typealias)\s+([A-Z]\w*)"#,
        options: .anchorsMatchLines)
      var own: [String: Set<String>] = [:]
      var declaring: [String: Set<String>] = [:]
      for (folder, code) in files {
        for words in Self.matches(of: types, in: code) {
          own[folder, default: []].insert(words[1])
          guard words[0].first != " " else { continue }
          declaring[words[1], default: []].insert(folder)
        }
      }
      let names = try NSRegularExpression(pattern: #"(?<![\w.`])([A-Z]\w*)"#)
      for (folder, code) in files {
        let used = Set(Self.matches(of: names, in: code).map { $0[0] })
          .subtracting(own[folder] ?? [])
          .compactMap { declaring[$0]?.count == 1 ? declaring[$0]?.first : nil }
        folders[folder, default: []].formUnion(used)
      }
    }

    /// The folders that depend on themselves through other folders, sorted.
    var inCycles: [String] {
      folders.keys.filter { reached(from: $0).contains($0) }.sorted()
    }

    private func reached(from start: String) -> Set<String> {
      var reached: Set<String> = []
      var waiting = [start]
      while let folder = waiting.popLast() {
        for next in folders[folder] ?? [] where reached.insert(next).inserted {
          waiting.append(next)
        }
      }
      return reached
    }

    private static func folder(of path: String) -> String {
      let parts = path.split(separator: "/")
      return parts.count > 3 ? String(parts[2]) : root
    }

    /// Returns a text without comments and string literals.
    private static func code(of text: String) -> String {
      text.replacing(/"""(?s:.*?)"""/, with: "\"\"")
        .replacing(/#*"(?:\\.|[^"\\\n])*"#*/, with: "\"\"").replacing(/\/\/.*/, with: "")
    }

    /// Returns the capture groups of each match.
    private static func matches(of expression: NSRegularExpression, in text: String) -> [[String]] {
      expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).map { match in
        (1..<match.numberOfRanges).map { group in
          Range(match.range(at: group), in: text).map { String(text[$0]) } ?? ""
        }
      }
    }
  }

  private static let targets = Dictionary(grouping: SourceTests.sources, by: \.target)

  @Test(arguments: targets.keys.sorted())
  func `the folders of a target depend on each other in one direction`(_ target: String) throws {
    #expect(try Uses(Self.targets[target] ?? []).inCycles == [])
  }

  /// Returns the cycles of a target `Planted` with two folders and a file next to them.
  private static func cycles(low: String, high: String, beside: String = "") throws -> [String] {
    try Uses(
      [("Low/Low.swift", low), ("High/High.swift", high), ("Beside.swift", beside)].map {
        SourceTests.Source(target: "Planted", path: "Sources/Planted/" + $0, text: $1)
      }
    ).inCycles
  }

  private static let lower = "// Low.\n\nstruct Low {}\n"

  @Test(arguments: [
    "struct Other { let high: High }", "extension High {}", "func a() -> [High?] { [] }",
    "let a = High()", "typealias A = Array<High>", "let a = \"\" as? High // no",
  ])
  func `a planted use of a higher folder is found`(_ use: String) throws {
    let high = "final class High {\n  let low = Low()\n}\n"
    #expect(try Self.cycles(low: Self.lower + use, high: high) == ["High", "Low"])
    #expect(try Self.cycles(low: Self.lower, high: high) == [])
  }

  @Test func `a cycle through files outside of folders is found`() throws {
    let cycles = try Self.cycles(
      low: Self.lower + "let beside = Beside()", high: "struct High { let low: Low }",
      beside: "public struct Beside { let high: High }")
    #expect(cycles == [Uses.root, "High", "Low"])
  }

  @Test(arguments: [
    "// High", "/// See ``High``.", #"let a = "High""#, "let a = \"\"\"\n  High\n  \"\"\"",
    "let a = Other.High()", "struct Box { struct High {}; let high = High() }", "let High1 = 1",
  ])
  func `other text is not taken for a use of a type`(_ text: String) throws {
    #expect(try Self.cycles(low: Self.lower + text, high: "class High { let low = Low() }") == [])
  }
}
