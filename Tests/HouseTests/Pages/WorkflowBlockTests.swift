// The workflows of the documentation are valid. A block of YAML is checked as a workflow, or as what it
// begins like: keys of a workflow without steps, or a list of steps. What it needs besides is given to it
// for the test alone, in front of it, as with Swift:
//     <!-- given: params: { target: staging } -->
// A list of steps may so be given `steps:` and the steps before it. Files that it uses are given as
//     <!-- given parts.yaml: steps: [{ id: one, run: make }] -->
// and a block of YAML that is meant for something else says
//     <!-- not a workflow -->
// `Documentation/recipes.md` shows pieces of files, which `ExampleTests` compares with those and runs.

import Foundation
import Testing
import WorkflowLanguage

/// The workflows of the documentation.
struct WorkflowBlockTests {
  private static let pages = Page.paths.filter { $0 != "Documentation/recipes.md" }

  /// What is wrong with the workflows of a page, with its name and the line.
  ///
  /// - Returns: The number of those that were checked, and every mistake.
  private static func checked(_ page: Page) -> (count: Int, mistakes: [String]) {
    var count = 0
    var mistakes: [String] = []
    for block in page.blocks
    where ["yaml", "yml"].contains(block.language.lowercased())
      && !block.has(comment: "not a workflow")
    {
      count += 1
      let (text, files) = workflow(block, of: page)
      let sources = SourceFiles.kept(files)
      do {
        // Warnings do not count: of a piece it is right that somebody else uses what it leaves.
        _ = try Workflow(
          bytes: Array(text.utf8), file: page.path, sources: sources,
          with: Arguments(leavesOpen: true))
      } catch {
        // Files of variables are always looked for on the disk.
        let told = error.diagnostics.filter { mistake in
          !files.keys.contains { mistake.message.hasPrefix("\"\($0)\" cannot be read") }
        }
        mistakes += told.map(\.description)
      }
    }
    return (count, mistakes)
  }

  /// A block with what it needs to be a workflow, each line where it stands on the page.
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
    for mistake in try Self.checked(.read(path)).mistakes { Issue.record("\(mistake)") }
  }

  /// The mistakes of a page of these lines.
  private func mistakes(_ lines: String...) throws -> [String] {
    Self.checked(try Page(path: "Some.md", text: lines.joined(separator: "\n"))).mistakes
  }

  @Test func `a mistake in a workflow is told with its page and line`() throws {
    let told = try mistakes(
      "# Some", "", "```yaml", "# one.yaml", "name: some", "steps:",
      "  - { id: one, needs: [two], run: make }", "```")
    #expect(told.count == 1)
    #expect(told.first?.hasPrefix("Some.md:7:24: error[R0401]:") == true, "\(told)")
    #expect(try mistakes("```yaml", "parms: {}", "```").first?.hasPrefix("Some.md:2:") == true)
  }

  @Test func `pieces are completed, and what they need is given`() throws {
    #expect(try mistakes("```yaml", "concurrency: { group: a, policy: queue }", "```") == [])
    let block = "```yaml\n- { id: one, if: params.fast, needs: zero, run: make }\n```"
    #expect(try mistakes(block) != [])
    let given = """
      <!--
      given: params: { fast: { type: boolean } }
      steps:
      - { id: zero, run: make }
      -->
      """
    #expect(try mistakes(given, block) == [])
    let using = "```yaml\n- { id: one, uses: ./other.yaml }\n```"
    #expect(try mistakes(using) != [])
    #expect(try mistakes("<!-- given other.yaml: steps: [{ id: a, run: b }] -->", using) == [])
    #expect(try mistakes("<!-- not a workflow -->", "```yaml", "jobs: 1", "```") == [])
  }
}
