// Checks that the workflows in the documentation are valid. A YAML block is checked as a workflow,
// or completed first: it may also contain top-level keys without steps, or a list of steps. A
// comment before the block contains what the block needs in addition, as for Swift code:
//     <!-- given: params: { target: staging } -->
// For a list of steps it may contain `steps:` and the previous steps. Used files are given as
//     <!-- given parts.yaml: steps: [{ id: one, run: make }] -->
// and a YAML block with another purpose is marked with
//     <!-- not a workflow -->
// `Documentation/recipes.md` shows excerpts of files; `ExampleTests` compares them with these
// files, and runs the files.

import Foundation
import Testing
import WorkflowFiles

/// Tests of the workflows in the documentation.
struct WorkflowBlockTests {
  private static let pages = Page.paths.filter { $0 != "Documentation/recipes.md" }

  /// Checks the workflows of a page.
  ///
  /// - Returns: The number of checked workflows, and every error with page and line.
  private static func checked(_ page: Page) -> (count: Int, errors: [String]) {
    var count = 0
    var errors: [String] = []
    for block in page.blocks
    where ["yaml", "yml"].contains(block.language.lowercased())
      && !block.has(comment: "not a workflow")
    {
      count += 1
      let (text, files) = workflow(block, of: page)
      let sources = SourceFiles.kept(files)
      do {
        // Ignore warnings: another part of the file may use the outputs of an excerpt.
        _ = try Workflow(
          bytes: Array(text.utf8), file: page.path, sources: sources,
          with: Arguments(allowsMissing: true))
      } catch {
        // Dotenv files are always read from the disk.
        let reported = error.diagnostics.filter { error in
          !files.keys.contains { error.message.hasPrefix("\"\($0)\" cannot be read") }
        }
        errors += reported.map(\.description)
      }
    }
    return (count, errors)
  }

  /// Returns a block completed to a workflow, each line at its line of the page.
  private static func workflow(_ block: Page.Block, of page: Page) -> (String, [String: String]) {
    var parts = [(line: block.line, lines: block.lines)]
    var files: [String: String] = [:]
    for comment in block.comments {
      if let given = comment.lines(after: "given") {
        parts.append((comment.line, given))
      } else if let name = comment.lines.first?.firstMatch(of: /^given ([\w.\/-]+):/)?.1,
        let given = comment.lines(after: "given \(name)")
      {
        files[String(name)] = given.joined(separator: "\n")
      }
    }
    let hasSteps = parts.contains { $0.lines.contains { $0.hasPrefix("steps:") } }
    var text: String
    if block.firstWords?.hasPrefix("-") == true {
      if !hasSteps { parts.append((block.line - 1, ["steps:"])) }
      text = page.text(keeping: parts)
    } else {
      text = page.text(keeping: parts)
      if !hasSteps { text += "steps: [{ id: given, exec: [\"true\"] }]\n" }
    }
    return (text, files)
  }

  @Test func `there are workflows to check`() throws {
    let count = try Self.pages.map { try Self.checked(.read($0)).count }.reduce(0, +)
    #expect(count >= 10)
    #expect(try Self.checked(.read("README.md")).count >= 3)
  }

  @Test(arguments: pages) func `the workflows of a page are valid`(_ path: String) throws {
    for error in try Self.checked(.read(path)).errors { Issue.record("\(error)") }
  }

  /// Returns the errors of a page with the given lines.
  private func errors(_ lines: String...) throws -> [String] {
    Self.checked(try Page(path: "Some.md", text: lines.joined(separator: "\n"))).errors
  }

  @Test func `an error in a workflow is reported with its page and line`() throws {
    let reported = try errors(
      "# Some", "", "```yaml", "# one.yaml", "name: some", "steps:",
      "  - { id: one, needs: [two], run: make }", "```")
    #expect(reported.count == 1)
    #expect(reported.first?.hasPrefix("Some.md:7:24: error[R0401]:") == true, "\(reported)")
    #expect(try errors("```yaml", "parms: {}", "```").first?.hasPrefix("Some.md:2:") == true)
  }

  @Test func `excerpts are completed with the given parts`() throws {
    #expect(try errors("```yaml", "concurrency: { group: a, policy: queue }", "```") == [])
    let block = "```yaml\n- { id: one, if: params.fast, needs: zero, run: make }\n```"
    #expect(try errors(block) != [])
    let given = """
      <!--
      given: params: { fast: { type: boolean } }
      steps:
      - { id: zero, run: make }
      -->
      """
    #expect(try errors(given, block) == [])
    let using = "```yaml\n- { id: one, uses: ./other.yaml }\n```"
    #expect(try errors(using) != [])
    #expect(try errors("<!-- given other.yaml: steps: [{ id: a, run: b }] -->", using) == [])
    #expect(try errors("<!-- not a workflow -->", "```yaml", "jobs: 1", "```") == [])
  }
}
