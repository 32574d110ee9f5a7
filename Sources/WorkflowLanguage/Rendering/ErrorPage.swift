// What a code of an error means: the source of `reprise explain` and of the pages in Documentation/errors.

/// What a code means, with an example that causes it.
package struct ErrorPage: Sendable {
  /// The code, such as `R0201`.
  package let code: String
  /// What is wrong, in a few words.
  package let title: String
  /// What the code means.
  package let meaning: String
  /// A workflow file that has this error and no other.
  package let example: String
  /// How to fix it.
  package let fix: String
  /// The example without the error; nil where that is best left to whoever wrote the file.
  package let fixed: String?
  /// The other files of the example, by path.
  package let files: [String: String]

  init(
    _ code: String, _ title: String, _ meaning: String, example: String, fix: String,
    fixed: String? = nil, files: [String: String] = [:]
  ) {
    self.code = code
    self.title = title
    self.meaning = meaning
    self.example = example
    self.fix = fix
    self.fixed = fixed
    self.files = files
  }

  /// The pages of all codes, in their order.
  package static let all =
    files + values + steps + needs + expressions + parameters + triggers + actions + warnings

  /// Finds the page of a code, in upper or lower case.
  package init?(code: String) {
    guard let page = Self.all.first(where: { $0.code == code.uppercased() }) else { return nil }
    self = page
  }

  /// Whether a text is written like a code: a letter R and four digits.
  package static func isCode(_ text: String) -> Bool {
    text.utf8.count == 5 && text.uppercased().hasPrefix("R")
      && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
  }

  /// The errors and warnings of a version of the example.
  package func diagnostics(of text: String) -> [Diagnostic] {
    do {
      return try Workflow(
        bytes: Array((text + "\n").utf8), file: "example.yaml",
        sources: .kept(files, variables: files), with: Arguments(leavesOpen: true),
        actions: Self.catalog
      ).warnings
    } catch {
      return error.diagnostics
    }
  }

  /// An action such as a program may offer.
  private struct Upload: Decodable {
    let file: String
    let retries: Int?
  }

  private static let catalog: ActionCatalog = {
    var catalog = ActionCatalog()
    catalog.offer("upload") { arguments throws(ArgumentMistake) in
      _ = try Upload.decoded(from: arguments)
    }
    return catalog
  }()

  /// The page for people at a terminal.
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

  /// The list of all pages as Markdown.
  package static var markdownIndex: String {
    """
    # Errors and warnings

    Each error and each warning about a workflow file has a code, which never changes its meaning.
    `reprise explain R0201` shows the page of one. These pages are written by `make errors`.

    | code | what is wrong |
    | --- | --- |

    """ + all.map { "| [\($0.code)](\($0.code).md) | \($0.title) |\n" }.joined()
  }
}
