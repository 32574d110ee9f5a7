// Checks a workflow file before it is written; what the language refuses becomes a step that fails.

import WorkflowFiles
import Workflows

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
  /// what the language refuses is visible in a comment, and a step never runs without a part of it.
  ///
  /// - Parameters:
  ///   - draft: The file.
  ///   - file: The path for messages.
  ///   - actions: The kinds of runners, whose settings are checked, too.
  /// - Throws: ``ImportError`` if no step is left.
  init(_ draft: Draft, file: String, actions: ActionCatalog?) throws(ImportError) {
    var draft = draft
    var removed: [String] = []
    for _ in 0..<Self.roundsMax {
      let lines = draft.lines()
      let text = lines.texts.joined(separator: "\n") + "\n"
      let errors = Self.errors(in: text, file: file, actions: actions)
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
        let path = lines.paths[error.line - 1]
        if paths[path] == nil { paths[path] = error.message }
      }
      // Later parts first, so that the paths of earlier ones stay valid; parts of others last.
      let count = removed.count
      for (path, message) in paths.sorted(by: { $1.key.lexicographicallyPrecedes($0.key) }) {
        guard let subject = draft.leaveOut(path, message) else { continue }
        removed.append("\(subject): \(message)")
      }
      guard removed.count > count else {
        throw ImportError("nothing is left of the workflow: \(errors[0].message)")
      }
    }
    throw ImportError("the workflow would have too many errors")
  }

  /// Returns the errors of a file, with those of each workflow under `workflows`.
  private static func errors(
    in text: String, file: String, actions: ActionCatalog?
  ) -> [Diagnostic] {
    let whole = WorkflowText(Array(text.utf8), file: file)
    let parts: [String?] = (whole.hasOnlyParts ? [] : [nil]) + whole.namesOfParts
    var errors: [Diagnostic] = []
    for part in parts {
      do throws(WorkflowError) {
        _ = try whole.part(part).workflow(with: Arguments(allowsMissing: true), actions: actions)
      } catch {
        errors += error.diagnostics.filter { $0.severity == .error && !errors.contains($0) }
      }
    }
    return errors
  }

  /// Returns the path of the smallest item that can be removed: an item, or what needs it.
  fileprivate static func removable(_ path: [Int], in draft: Draft) -> [Int] {
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

extension Draft {
  /// Keys of the workflow that change what all of its steps do.
  private static let ofAllSteps: Set = [
    "env", "dotenv", "secrets", "shell", "dir", "if", "defaults",
  ]
  /// Keys without which a step or group is not there at all.
  private static let ofStructure: Set = ["id", "steps", "parallel"]

  /// Removes a part that the language refuses, and makes the steps fail that would run without it.
  ///
  /// - Parameters:
  ///   - path: The positions that lead to the part.
  ///   - message: Why it is refused.
  /// - Returns: What was removed, for people; nil if there is no such part.
  fileprivate mutating func leaveOut(_ path: [Int], _ message: String) -> String? {
    if let step = step(around: path), path.count > step.count {
      let key = Array(path.prefix(step.count + 1))
      if let item = self[key[...]], !Self.ofStructure.contains(item.key) {
        // A step that fails already has another error of the same check.
        guard item.key != "exec" else { return nil }
        refuse(step, item, message)
        return item.key
      }
    }
    let path = CheckedDraft.removable(path, in: self)
    guard !path.isEmpty, let item = self[path[...]] else { return nil }
    let subject = item.key.isEmpty ? item.name : item.key
    _ = remove(at: path[...], leaving: item.comment(message))
    if path.count == 1, Self.ofAllSteps.contains(item.key) {
      for position in items.indices where ["steps", "finally"].contains(items[position].key) {
        items[position].value.failAll("\(subject): \(message)")
      }
    }
    return subject
  }

  /// Makes a step, or all steps of a group, fail instead of running without one of its keys.
  private mutating func refuse(_ step: [Int], _ item: Item, _ message: String) {
    change(at: step[...]) { step in
      step.comments += item.comment(message)
      step.value[item.key] = nil
      step.value.failItself("\(item.key): \(message)")
    }
  }

  private mutating func change(at path: ArraySlice<Int>, _ change: (inout Item) -> Void) {
    guard let first = path.first, items.indices.contains(first) else { return }
    if path.count == 1 { return change(&items[first]) }
    items[first].value.change(at: path.dropFirst(), change)
  }

  /// Returns the path of the step or group that a part belongs to, or is.
  private func step(around path: [Int]) -> [Int]? {
    for count in stride(from: path.count, to: 1, by: -1) {
      let own = Array(path.prefix(count))
      guard let item = self[own[...]], item.key.isEmpty,
        let list = self[own.dropLast()[...]]?.key, ["steps", "parallel", "finally"].contains(list)
      else { continue }
      return own
    }
    return nil
  }

  /// Makes a step fail, or all steps of a group.
  private mutating func failItself(_ reason: String) {
    for key in ["steps", "parallel"] {
      guard var inner = self[key] else { continue }
      inner.failAll(reason)
      self[key] = inner
      return
    }
    let kept = items.filter { ["id", "name", "needs"].contains($0.key) }
    self = .map(kept + [Item("exec", .texts(["sh", "-c", Self.failing(reason)]))])
  }

  private mutating func failAll(_ reason: String) {
    for position in items.indices { items[position].value.failItself(reason) }
  }

  /// Returns a script that says what has no equivalent, and fails.
  ///
  /// - Parameters:
  ///   - reason: What has none, and why.
  ///   - line: The line of the original, from 1; 0 if the reason names it, or there is none.
  /// - Returns: The script.
  static func failing(_ reason: String, line: Int = 0) -> String {
    let place = line > 0 ? "line \(line): " : ""
    let text = reason.replacing("${{", with: "(").replacing("}}", with: ")")
      .replacing("'", with: "\"").onOneLine
    return "echo 'not imported: \(place)\(text)' >&2\nexit 1\n"
  }
}

extension Draft.Item {
  /// The comment in its place.
  fileprivate func comment(_ message: String) -> [String] {
    let subject = key.isEmpty ? name : key
    let source = Draft.list([Draft.Item("", .map([Draft.Item(subject, value)]))])
    let original = key.isEmpty ? [] : source.lines().texts.prefix(8).map { $0.dropFirst(2) }
    return ["left out: \(subject): \(message)"] + original.map { "  \($0)" }
  }

  /// What it is called: its id or name.
  fileprivate var name: String {
    for key in ["id", "name"] {
      if case .text(let text)? = value[key] { return text }
    }
    return "an element"
  }
}
