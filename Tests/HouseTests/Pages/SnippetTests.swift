// Checks that the Swift code of the documentation compiles: in the README, in `Documentation`, in
// the DocC catalogs with their tutorials, and in the READMEs of the examples. Rules for authors of
// pages:
//
// - A block is a separate `main.swift` with its own imports and top-level `await`. It is compiled
//   in language mode 6 with warnings as errors. A block that contains `@main` is a file other than
//   `main.swift`.
// - A block that continues the previous block is preceded by a comment:
//       <!-- continues -->
//   It is compiled together with the previous block and the blocks that this one continues.
// - Declarations that a block uses but does not show are given in a comment. A constant or variable
//   has a type and no value:
//       <!-- given: import Reprise; let engine: Engine -->
//   The comment may have several lines. It may also declare functions and types.
// - `Examples/check-snippets` also runs each block, with values for the given declarations.
//   Comments contain the code to run after the block, and the expected output as parts of lines in
//   order:
//       <!-- then: print(try await run.outcome) -->
//       <!-- prints: succeeded -->
// - A block that starts with `// swift-tools-version` is read as a manifest. Its products must be
//   those of this package.
// - A code file in a DocC catalog is a block without a page.
// - Every block is checked. Only the modules of products may be imported.
//
// These comments must be directly before the fence, with only other comments between them.

import Foundation
import Testing

/// Tests of the Swift code in the documentation.
struct SnippetTests {
  @Test func `the code of the documentation compiles`() async throws {
    let snippets = try Snippet.all()
    #expect(snippets.count >= 2)
    await withTaskGroup(of: Void.self) { group in
      let width = max(2, ProcessInfo.processInfo.activeProcessorCount)
      for (index, snippet) in snippets.enumerated() {
        if index >= width { await group.next() }
        group.addTask {
          do {
            if let problem = try await snippet.problem() { Issue.record("\(problem)") }
          } catch {
            Issue.record("\(snippet.path):\(snippet.line): \(error)")
          }
        }
      }
    }
  }

  /// `Examples/check-snippets` runs them, and compares what they print.
  @Test func `each program of the documentation says what it prints`() throws {
    for snippet in try Snippet.all() where snippet.kind == .program {
      let place = "\(snippet.path):\(snippet.line)"
      #expect(!snippet.prints.isEmpty, "\(place) has no `prints` comment")
      #expect(!snippet.text.contains(Snippet.givenValue), "\(place) has a value that is not given")
    }
  }

  @Test func `the runner of the guide is the one of the example, and short`() throws {
    let source = try Repository.text(
      of: "Examples/own-runner/Sources/own-runner/DepotRunner.swift")
    let guide = try Repository.text(
      of: "Sources/Reprise/Reprise.docc/Articles/RunnersOfYourOwn.md")
    // Without the first line, which says what the file is.
    let code = try #require(source.firstRange(of: "import Reprise\n")).lowerBound
    #expect(guide.contains("```swift\n\(source[code...])```"))
    #expect(source.split(separator: "\n", omittingEmptySubsequences: false).count <= 61)
  }

  /// Returns all errors of a page with the given lines as one text.
  private func problems(_ lines: String...) async throws -> String {
    let page = try Page(path: "Some.md", text: lines.joined(separator: "\n"))
    var all = ""
    for snippet in try Snippet.all(of: page) { all += try await snippet.problem() ?? "" }
    return all
  }

  @Test func `an error is reported with its page and line`() async throws {
    let reported = try await problems(
      "# Some", "", "```swift", "import Reprise", "let engine = Engin()", "```")
    #expect(reported.contains("Some.md:5:14: error: cannot find 'Engin' in scope"), "\(reported)")
  }

  @Test func `a warning and a data race are errors`() async throws {
    let warned = try await problems("```swift", "func unused() { let one = 1 }", "```")
    #expect(warned.contains("Some.md:2:21: error:"), "\(warned)")
    let raced = try await problems(
      "```swift", "final class Counter { var count = 0 }", "func count() {",
      "  let counter = Counter()", "  Task.detached { counter.count += 1 }", "  counter.count += 1",
      "}", "```")
    #expect(raced.contains("Some.md:5:"), "\(raced)")
  }

  @Test func `given declarations need not be shown`() async throws {
    let block = ["```swift", "print(engine.start(workflow).id)", "```"].joined(separator: "\n")
    #expect(try await problems(block).contains("Some.md:2:"))
    let line = "<!-- given: import Reprise; let engine: Engine; let workflow: Workflow -->"
    #expect(try await problems(line, block) == "")
    let lines = "<!--\ngiven: import Reprise\nlet engine: Engine\nlet workflow: Workflow\n-->"
    #expect(try await problems(lines, "", block) == "")
    #expect(try await problems(line, "Words between.", block).contains("Some.md:4:"))
    let wrong = try await problems("Words.", "<!--", "given: let engine: Engin", "-->", block)
    #expect(wrong.contains("Some.md:3:"), "\(wrong)")
  }

  @Test func `a block continues the previous one only if it is marked`() async throws {
    let first = "```swift\nlet one = 1\n```"
    let second = "```swift\nprint(one)\n```"
    #expect(try await problems(first, "<!-- continues -->", second) == "")
    #expect(try await problems(first, second).contains("Some.md:5:7: error:"))
    await #expect(throws: Page.ParseError.self) {
      try await problems("<!-- continues -->", second)
    }
  }

  @Test func `a manifest is read, and its products must exist`() async throws {
    func manifest(product: String, _ name: String = "name") -> [String] {
      [
        "", "```swift", "// swift-tools-version: 6.2", "import PackageDescription",
        "let package = Package(", "  \(name): \"app\",",
        "  dependencies: [.package(url: \"https://example.org/reprise\", from: \"1.0.0\")],",
        "  targets: [", "    .target(name: \"App\", dependencies: [",
        "      .product(name: \"\(product)\", package: \"reprise\")])])", "```",
      ]
    }
    #expect(try await problems(manifest(product: "Reprise").joined(separator: "\n")) == "")
    let inner = try await problems(manifest(product: "RepriseControl").joined(separator: "\n"))
    #expect(inner == "Some.md:10: RepriseControl is not a product")
    let wrong = try await problems(manifest(product: "Reprise", "nam").joined(separator: "\n"))
    #expect(wrong.contains("Some.md:5:15: error:"), "\(wrong)")
  }

  @Test func `a module that is not a product cannot be imported`() async throws {
    let reported = try await problems("```swift", "import ChildProcesses", "```")
    #expect(reported == "Some.md:2: ChildProcesses is not a product")
  }

  @Test func `a block that could be missed is an error`() throws {
    for text in [
      "```swift, ignored\n```", "```Swift\n```", "```swift\nlet one = 1", "> ```swift\n> ```",
      "<!-- given: let one = 1\n```swift\n```",
    ] {
      #expect(throws: Page.ParseError.self, "\(text)") {
        try Snippet.all(of: Page(path: "Some.md", text: text))
      }
    }
  }

  @Test func `a block is found in lists and after tildes, but not in another block`() throws {
    let text = """
      - ~~~swift is no fence of ours
        1. Do this:
           ```swift
           let one = 1
             + 1
           ```
      ~~~~swift
      ~~~
      ~~~~
      ````markdown
      ```swift
      ```
      ````
      """
    #expect(throws: Page.ParseError.self) { try Page(path: "Some.md", text: text) }
    let page = try Page(
      path: "Some.md", text: text.split(separator: "\n").dropFirst().joined(separator: "\n"))
    #expect(page.blocks.map(\.language) == ["swift", "swift", "markdown"])
    #expect(page.blocks.map(\.lines) == [["let one = 1", "  + 1"], ["~~~"], ["```swift", "```"]])
    #expect(page.blocks.map(\.line) == [3, 7, 10])
  }
}
