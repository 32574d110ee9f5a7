// Checks a workflow file before it is written, and turns what the language refuses into comments.

import WorkflowFiles

/// A workflow file that has been checked.
struct CheckedDraft {
  /// The text of the file, which has no errors.
  let text: String
  /// What had to be removed, each with the message of the error.
  let removed: [String]

  /// The maximum number of checks, each of which removes at least one part.
  private static let roundsMax = 60
  /// Keys without which a step, group or workflow is nothing: the whole item is removed.
  private static let essential: Set = [
    "id", "name", "run", "exec", "uses", "approval", "steps", "parallel", "service", "wait",
  ]

  /// Checks a file, and removes the parts with errors until there are none.
  ///
  /// This makes the promise of an import independent of the translation: its result can be run,
  /// and what the language refuses is visible in a comment.
  ///
  /// - Parameters:
  ///   - draft: The file.
  ///   - file: The path for messages.
  /// - Throws: ``ImportError`` if no step is left.
  init(_ draft: Draft, file: String) throws(ImportError) {
    var draft = draft
    var removed: [String] = []
    for _ in 0..<Self.roundsMax {
      let lines = draft.lines()
      let text = lines.texts.joined(separator: "\n") + "\n"
      let errors = Self.errors(in: text, file: file)
      guard !errors.isEmpty else {
        self.text = text
        self.removed = removed
        return
      }
      var paths: [[Int]: String] = [:]
      for error in errors {
        guard error.line > 0, error.line <= lines.paths.count else {
          throw ImportError("the workflow would be invalid: \(error.message)")
        }
        let path = Self.removable(lines.paths[error.line - 1], in: draft)
        guard !path.isEmpty else {
          throw ImportError("nothing is left of the workflow: \(error.message)")
        }
        if paths[path] == nil { paths[path] = error.message }
      }
      // Later parts first, so that the paths of earlier ones stay valid; parts of others last.
      for (path, message) in paths.sorted(by: { $1.key.lexicographicallyPrecedes($0.key) }) {
        guard let item = draft[path[...]] else { continue }
        let subject = item.key.isEmpty ? Self.name(of: item) : item.key
        removed.append("\(subject): \(message)")
        let source = Draft.list([Draft.Item("", .map([Draft.Item(subject, item.value)]))])
        let original =
          item.key.isEmpty ? [] : Array(source.lines().texts.prefix(8)).map { $0.dropFirst(2) }
        _ = draft.remove(
          at: path[...],
          leaving: ["left out: \(subject): \(message)"] + original.map { "  \($0)" })
      }
    }
    throw ImportError("the workflow would have too many errors")
  }

  private static func errors(in text: String, file: String) -> [Diagnostic] {
    do {
      _ = try Workflow(
        text: text, file: file, with: Arguments(allowsMissing: true), actions: nil)
      return []
    } catch {
      return error.diagnostics.filter { $0.severity == .error }
    }
  }

  private static func name(of item: Draft.Item) -> String {
    for key in ["id", "name"] {
      if case .text(let text)? = item.value[key] { return text }
    }
    return "an element"
  }

  /// Returns the path of the smallest item that can be removed: an item, or what needs it.
  private static func removable(_ path: [Int], in draft: Draft) -> [Int] {
    var path = path
    while let item = draft[path[...]], essential.contains(item.key), path.count > 1 {
      path.removeLast()
    }
    // A list or map without elements goes as a whole.
    while path.count > 1, draft[path.dropLast()[...]]?.value.items.count == 1 {
      path.removeLast()
      if let item = draft[path[...]], essential.contains(item.key), path.count > 1 {
        path.removeLast()
      }
    }
    return path.count == 1 && draft[path[...]]?.key == "steps" ? [] : path
  }
}
