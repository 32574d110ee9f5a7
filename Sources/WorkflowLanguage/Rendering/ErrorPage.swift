// Explanations of error codes: the source of `reprise explain` and of Documentation/errors.

/// The explanation of an error code, with an example.
package struct ErrorPage: Sendable {
  /// The code, such as `R0201`.
  package let code: String
  /// The problem in a few words.
  package let title: String
  /// The explanation of the problem.
  package let meaning: String
  /// A workflow file with this error and no other.
  package let example: String
  /// How to fix the problem.
  package let fix: String
  /// The example without the error; nil if there is no obvious fix.
  package let fixed: String?
  /// The other files of the example, by path.
  package let files: [String: String]
  /// What a machine says of the commands of the example.
  private let problems: [CommandProblem]
  /// What a runner lacks.
  private let runnerProblem: String?

  init(
    _ code: String, _ title: String, _ meaning: String, example: String, fix: String,
    fixed: String? = nil, files: [String: String] = [:], problems: [CommandProblem] = [],
    runnerProblem: String? = nil
  ) {
    self.problems = problems
    self.runnerProblem = runnerProblem
    self.code = code
    self.title = title
    self.meaning = meaning
    self.example = example
    self.fix = fix
    self.fixed = fixed
    self.files = files
  }

  /// The pages of all codes, sorted by code.
  package static let all =
    files + values + steps + needs + expressions + parameters + triggers + actions + warnings
    + warningsOfFiles

  /// Finds the page of a code, ignoring case.
  package init?(code: String) {
    guard let page = Self.all.first(where: { $0.code == code.uppercased() }) else { return nil }
    self = page
  }

  /// Returns whether text has the form of a code: the letter R and four digits.
  package static func isCode(_ text: String) -> Bool {
    text.utf8.count == 5 && text.uppercased().hasPrefix("R")
      && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Returns the errors and warnings of the example, or of a changed version of it.
  package func diagnostics(of text: String) -> [Diagnostic] {
    let bytes = Array((text + "\n").utf8)
    do {
      let workflow = try Workflow(
        bytes: bytes, file: "example.yaml",
        sources: .kept(files, variables: files), with: Arguments(allowsMissing: true),
        actions: Self.catalog)
      return workflow.warnings + workflow.warnings(of: problems, inText: bytes)
        + (runnerProblem.map { [workflow.warning(ofRunner: $0)] } ?? [])
    } catch {
      return error.diagnostics
    }
  }

  /// The arguments of an action that the examples call.
  private struct Upload: Decodable {
    let file: String
    let retries: Int?
  }

  private static let catalog: ActionCatalog = {
    var catalog = ActionCatalog()
    catalog.offer("upload") { arguments throws(ArgumentError) in
      _ = try Upload.decoded(from: arguments)
    }
    catalog.offer(runner: "sandbox") { _ in }
    return catalog
  }()

  /// The page as plain text for a terminal.
  package var text: String {
    sections { "  " + $0.replacing("\n", with: "\n  ") }
  }

  /// The page as Markdown.
  package var markdown: String {
    "# " + sections { "```\n\($0)\n```" } + "\n"
  }

  private func sections(_ block: (String) -> String) -> String {
    let shown = Diagnostic.rendered(diagnostics(of: example), as: .text)
    var parts = ["\(code): \(title)", meaning, block(printable(example, keepingLines: true))]
    for (name, text) in files {
      parts += ["with `\(name)`:", block(text)]
    }
    parts += [block(shown), fix]
    if let fixed { parts.append(block(fixed)) }
    return parts.joined(separator: "\n\n")
  }

  /// The index of all pages as Markdown.
  package static var markdownIndex: String {
    """
    # Errors and warnings

    Each error and each warning about a workflow file has a code, which never changes its meaning.
    `reprise explain R0201` shows the page of a code. `make errors` generates these pages.

    | code | error |
    | --- | --- |

    """ + all.map { "| [\($0.code)](\($0.code).md) | \($0.title) |\n" }.joined()
  }
}
