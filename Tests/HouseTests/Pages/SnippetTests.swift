// The Swift code of the documentation compiles: in the README, in `Documentation`, in the DocC catalogs
// with their tutorials, and in the READMEs of the examples. What is to be known by who writes a page:
//
// - A block is a `main.swift` of its own, with its imports, and `await` wherever it likes. Language mode
//   6, warnings are errors. A block with `@main` in it is a file of its own that is not `main.swift`.
// - A block that goes on where the one before has stopped says so, for the test alone:
//       <!-- continues -->
//   It is then compiled with the block before it, and with what that one continues.
// - What a block uses but does not show is given to it, for the test alone; a constant or variable has
//   its type and no value:
//       <!-- given: import Reprise; let engine: Engine -->
//   or on several lines. Functions and types may be given as well.
// - `Examples/check-snippets` runs each block as well, so what is given has a value there, and each block
//   says what it prints: parts of lines, in their order. What has to be run after it, for that check alone,
//   it says as well:
//       <!-- then: print(await run.outcome) -->
//       <!-- prints: succeeded -->
// - A block that begins with `// swift-tools-version` is a manifest, and is read as one. Its products
//   have to be ours.
// - A file of code in a DocC catalog is a block without a page.
// - No block is left out. Only the modules of products may be imported.
//
// These comments stand before the fence, with nothing but other comments in between.

import Foundation
import Testing

/// The Swift code of the documentation.
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

  /// What is wrong with a page of these lines, all in one text.
  private func problems(_ lines: String...) async throws -> String {
    let page = try Page(path: "Some.md", text: lines.joined(separator: "\n"))
    var all = ""
    for snippet in try Snippet.all(of: page) { all += try await snippet.problem() ?? "" }
    return all
  }

  @Test func `a mistake is told with its page and line`() async throws {
    let told = try await problems(
      "# Some", "", "```swift", "import Reprise", "let engine = Engin()", "```")
    #expect(told.contains("Some.md:5:14: error: cannot find 'Engin' in scope"), "\(told)")
  }

  @Test func `a warning and a data race are mistakes`() async throws {
    let warned = try await problems("```swift", "func unused() { let one = 1 }", "```")
    #expect(warned.contains("Some.md:2:21: error:"), "\(warned)")
    let raced = try await problems(
      "```swift", "final class Counter { var count = 0 }", "func count() {",
      "  let counter = Counter()", "  Task.detached { counter.count += 1 }", "  counter.count += 1",
      "}", "```")
    #expect(raced.contains("Some.md:5:"), "\(raced)")
  }

  @Test func `what is given need not be shown`() async throws {
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

  @Test func `a block goes on with the one before only where it says so`() async throws {
    let first = "```swift\nlet one = 1\n```"
    let second = "```swift\nprint(one)\n```"
    #expect(try await problems(first, "<!-- continues -->", second) == "")
    #expect(try await problems(first, second).contains("Some.md:5:7: error:"))
    await #expect(throws: Page.Mistake.self) {
      try await problems("<!-- continues -->", second)
    }
  }

  @Test func `a manifest is read, and names our products`() async throws {
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
    let inner = try await problems(manifest(product: "RepriseJournal").joined(separator: "\n"))
    #expect(inner == "Some.md:10: RepriseJournal is no product")
    let wrong = try await problems(manifest(product: "Reprise", "nam").joined(separator: "\n"))
    #expect(wrong.contains("Some.md:5:15: error:"), "\(wrong)")
  }

  @Test func `a module that is no product cannot be imported`() async throws {
    let told = try await problems("```swift", "import ChildProcesses", "```")
    #expect(told == "Some.md:2: ChildProcesses is no product")
  }

  @Test func `a block that might be overlooked is a mistake`() throws {
    for text in [
      "```swift, ignored\n```", "```Swift\n```", "```swift\nlet one = 1", "> ```swift\n> ```",
      "<!-- given: let one = 1\n```swift\n```",
    ] {
      #expect(throws: Page.Mistake.self, "\(text)") {
        try Snippet.all(of: Page(path: "Some.md", text: text))
      }
    }
  }

  @Test func `a block is found in lists and behind tildes, and not within another one`() throws {
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
    #expect(throws: Page.Mistake.self) { try Page(path: "Some.md", text: text) }
    let page = try Page(
      path: "Some.md", text: text.split(separator: "\n").dropFirst().joined(separator: "\n"))
    #expect(page.blocks.map(\.language) == ["swift", "swift", "markdown"])
    #expect(page.blocks.map(\.lines) == [["let one = 1", "  + 1"], ["~~~"], ["```swift", "```"]])
    #expect(page.blocks.map(\.line) == [3, 7, 10])
  }
}
