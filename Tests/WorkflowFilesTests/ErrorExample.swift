// The example on a page of an error code.

import Foundation
import TestSupport
import Testing

@testable import WorkflowFiles

/// The blocks of an error page.
struct ErrorExample {
  /// A workflow file with the error.
  let text: String
  /// The other files of the example, by path.
  private let files: [String: String]
  /// What Reprise reports, according to the page.
  let report: String
  /// The example without the error.
  let fixed: String?
  private let code: String

  /// Takes the blocks of a page.
  init(_ page: ErrorPage) throws {
    code = page.code
    var blocks: [String] = []
    var names: [String] = []
    var paragraphs = 0
    for part in page.parts {
      switch part {
      case .block(let block): blocks.append(block)
      case .prose(let prose):
        paragraphs += 1
        if let match = prose.wholeMatch(of: /with `(.+)`:/) { names.append(String(match.1)) }
      }
    }
    try #require(paragraphs == 3 + names.count, "title, meaning and fix")
    try #require([2, 3].contains(blocks.count - names.count), "example, report and fixed example")
    // Control characters are written as `\u{7}`.
    text = blocks[0].replacing(/\\u\{([0-9A-F]+)\}/) { match in
      UInt32(match.1, radix: 16).flatMap(Unicode.Scalar.init).map { String($0) } ?? ""
    }
    files = Dictionary(uniqueKeysWithValues: zip(names, blocks.dropFirst()))
    report = blocks[names.count + 1]
    fixed = blocks.dropFirst(names.count + 2).first
  }

  /// Returns the errors and warnings of the example, or of a changed version of it.
  func diagnostics(of text: String) throws -> [Diagnostic] {
    let folder = try TemporaryFolder()
    let prefix = "\(folder.path)/"
    for (name, text) in files { try folder.write(name, text.utf8) }
    // Dotenv files are relative to the working directory.
    let text = text.replacing(/dotenv: (?=\w)/, with: "dotenv: \(prefix)")
    try folder.write("example.yaml", (text + "\n").utf8)
    return try found(in: "\(prefix)example.yaml").map { diagnostic in
      var diagnostic = diagnostic
      diagnostic.file.replace(prefix, with: "")
      diagnostic.message.replace(prefix, with: "")
      diagnostic.hint?.replace(prefix, with: "")
      if diagnostic.sourceLine.contains(prefix) { diagnostic.length -= prefix.count }
      diagnostic.sourceLine.replace(prefix, with: "")
      return diagnostic
    }
  }

  private func found(in path: String) throws -> [Diagnostic] {
    do throws(WorkflowError) {
      let workflow = try Workflow(
        contentsOf: path, with: Arguments(allowsMissing: true), actions: Self.catalog)
      var found = workflow.warnings
      if let problem = Self.problems[code] { found += workflow.warnings(of: [problem]) }
      if let problem = Self.fileProblems[code] { found += workflow.warnings(of: [problem]) }
      if code == "R0922" {
        found.append(
          workflow.warning(
            ofRunner: "runner sandbox: there is no program bwrap in PATH; install bubblewrap"))
      }
      return found
    } catch {
      return error.diagnostics
    }
  }

  /// Returns a page with another report.
  func updated(_ page: String, with report: String) -> String {
    var lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    let fences = lines.indices.filter { lines[$0] == "```" }
    let first = 2 * (files.count + 1)
    lines.replaceSubrange(
      fences[first] + 1..<fences[first + 1],
      with: report.split(separator: "\n", omittingEmptySubsequences: false))
    return lines.joined(separator: "\n")
  }

  /// The arguments of an action that the examples call.
  private struct Upload: Decodable {
    let file: String
    let retries: Int?
  }

  /// The result of an action that the examples call.
  private struct Length {}

  private static let catalog: ActionCatalog = {
    var catalog = ActionCatalog()
    catalog.offer("upload") { arguments throws(ArgumentError) in
      _ = try Upload.decoded(from: arguments)
    }
    catalog.offer("measure") { _ throws(ArgumentError) in
      if let problem = Value.problem(ofResults: Length.self) { throw ArgumentError([], problem) }
    }
    catalog.offer(runner: "sandbox") { _ in }
    return catalog
  }()

  /// What a machine says of the commands of the examples, by code.
  private static let problems = [
    "R0920": CommandProblem(
      .unreadableScript(
        shell: "sh", reason: "Syntax error: end of file unexpected (expecting \"fi\")", line: 3),
      step: "a", text: "if test -f x; then\n  echo found\n"),
    "R0921": CommandProblem(.missingProgram("pyton3"), step: "a", text: "pyton3"),
    "R0930": CommandProblem(.unmatchedInput, step: "build", text: "scr/**"),
  ]

  /// What a watched run says of the files of the examples, by code.
  private static let fileProblems = [
    "R0940": FileProblem(.missingNeed(on: "gen", needs: ["gen"]), step: "lib", files: ["gen.h"]),
    "R0941": FileProblem(.conflict(with: "unit"), step: "system", files: ["log"]),
    "R0942": FileProblem(.superfluousNeed(on: "doc", time: "12 s"), step: "link"),
    "R0943": FileProblem(.undeclaredInput, step: "lib", files: ["lib.h"]),
    "R0944": FileProblem(.unreadInput("*.md"), step: "lib"),
  ]
}
