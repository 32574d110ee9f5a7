import Foundation
import Testing

/// The folders of a target use each other in one direction.
///
/// A folder uses another one when its code names a type that is declared there; the files beside the
/// folders of a target are a folder of their own. A name that several folders declare is not counted.
struct FolderTests {
  /// Which folder of a target uses which.
  struct Uses {
    /// The files beside the folders.
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

    /// The folders that use themselves through others, in order.
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

    /// A text without its comments and strings.
    private static func code(of text: String) -> String {
      text.replacing(/"""(?s:.*?)"""/, with: "\"\"")
        .replacing(/#*"(?:\\.|[^"\\\n])*"#*/, with: "\"\"").replacing(/\/\/.*/, with: "")
    }

    /// The groups of each match.
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
  func `the folders of a target use each other in one direction`(_ target: String) throws {
    #expect(try Uses(Self.targets[target] ?? []).inCycles == [])
  }

  /// The cycles of a target `Planted` with two folders and a file beside them.
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

  @Test func `a cycle through the files beside the folders is found`() throws {
    let cycles = try Self.cycles(
      low: Self.lower + "let beside = Beside()", high: "struct High { let low: Low }",
      beside: "public struct Beside { let high: High }")
    #expect(cycles == [Uses.root, "High", "Low"])
  }

  @Test(arguments: [
    "// High", "/// See ``High``.", #"let a = "High""#, "let a = \"\"\"\n  High\n  \"\"\"",
    "let a = Other.High()", "struct Box { struct High {}; let high = High() }", "let High1 = 1",
  ])
  func `what is no such use is not found`(_ text: String) throws {
    #expect(try Self.cycles(low: Self.lower + text, high: "class High { let low = Low() }") == [])
  }
}
