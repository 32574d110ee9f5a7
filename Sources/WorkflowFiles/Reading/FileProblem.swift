// What the files that steps have used say about their needs and inputs, as warnings at their places.

import Paths
import WorkflowReading
import YAML

/// A difference between the files that a step has used and what the workflow file says of it.
package struct FileProblem: Sendable, Equatable {
  /// The kinds of differences.
  package enum Kind: Sendable, Equatable {
    /// The step must need another one; `needs` are all needs that it should have.
    case missingNeed(on: String, needs: [String])
    case conflict(with: String)
    /// The step may do without a need, for which it has waited this time.
    case superfluousNeed(on: String, time: String?)
    case undeclaredInput
    case unreadInput(String)
  }

  /// What differs.
  package let kind: Kind
  /// The name of the step in its file, or of the group that stands for it.
  package let step: String
  /// The files, as they are shown.
  package let files: [String]

  /// Creates a problem.
  package init(_ kind: Kind, step: String, files: [String] = []) {
    self.kind = kind
    self.step = step
    self.files = files
  }

  fileprivate var cause: Diagnostic.Cause {
    switch kind {
    case .missingNeed(let other, _): .missingNeed(of: step, on: other, files: files)
    case .conflict(let other): .conflict(of: step, with: other, files: files)
    case .superfluousNeed(let other, let time):
      .superfluousNeed(of: step, on: other, time: time)
    case .undeclaredInput: .undeclaredInput(of: step, files: files)
    case .unreadInput(let pattern): .unreadInput(pattern, of: step)
    }
  }
}

extension Workflow {
  /// Returns problems of files as warnings at the steps, with the changes that repair them.
  ///
  /// Reads the files again to find the places. Linear in their size. A problem whose step is in none of
  /// them is a warning about the whole file.
  ///
  /// - Parameter problems: The problems.
  /// - Returns: The warnings, in the order of the files.
  package func warnings(of problems: [FileProblem]) -> [Diagnostic] {
    warnings(of: problems, at: \.step, cause: \.cause) { $0.warn(of: &$1, in: $2) }
  }
}

extension Reader {
  fileprivate mutating func warn(of open: inout [String: [FileProblem]], in root: Node) {
    var rest = [root]
    while let node = rest.popLast(), !open.isEmpty {
      switch node.content {
      case .scalar: break
      case .sequence(let items): rest += items.reversed()
      case .mapping(let pairs):
        if let id = pairs.first(where: { $0.key.says("id") })?.value, let text = id.text,
          let problems = open.removeValue(forKey: text)
        {
          for problem in problems { warn(of: problem, at: id, pairs, in: node) }
        }
        rest += pairs.reversed().map(\.value)
      }
    }
  }

  private mutating func warn(
    of problem: FileProblem, at id: Node, _ pairs: [Node.Pair], in step: Node
  ) {
    var cause = problem.cause
    switch problem.kind {
    case .missingNeed(let other, let needs):
      guard let edit = needing(other, needs, pairs, in: step) else { break }
      cause = cause.hint("write needs: [\(needs.joined(separator: ", "))]")
        .fixed(by: .edits([edit]))
    case .undeclaredInput:
      guard case .mapping(let cache)? = pairs.first(where: { $0.key.says("cache") })?.value.content,
        let inputs = cache.first(where: { $0.key.says("inputs") })?.value
      else { break }
      let patterns = problem.files.map { Self.pattern(for: $0) }
      if let edit = adding(patterns, to: inputs) { cause = cause.fixed(by: .edits([edit])) }
    case .conflict, .superfluousNeed, .unreadInput: break
    }
    warn(cause, at: id)
  }

  /// Returns the pattern that matches one file, in quotes if its name needs them.
  private static func pattern(for file: String) -> String {
    let isPlain =
      file.first.map { $0.isASCII && ($0.isLetter || $0 == ".") } == true
      && file.utf8.allSatisfy {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || 0x30...0x39 ~= $0
          || "._/-+".utf8.contains($0)
      }
    return isPlain ? file : Value.quoted(GlobParser.escaping(file))
  }

  /// Returns the change that lets a step need another one; nil if it cannot be made within lines.
  private mutating func needing(
    _ other: String, _ needs: [String], _ pairs: [Node.Pair], in step: Node
  ) -> Diagnostic.Edit? {
    func insertion(_ text: String, at mark: Mark, of node: Node) -> Diagnostic.Edit {
      let separator =
        line(from: node.mark).first == "{" || line(from: node.mark).first == "["
        ? ", " : "\n" + String(repeating: " ", count: mark.column - 1)
      return Diagnostic.Edit(
        line: mark.line, column: mark.column, length: 0, text: text + separator)
    }
    guard let present = pairs.first(where: { $0.key.says("needs") })?.value else {
      guard let next = pairs.first(where: { !$0.key.says("id") })?.key else { return nil }
      return insertion("needs: [\(needs.joined(separator: ", "))]", at: next.mark, of: step)
    }
    guard case .mapping(let pairs) = present.content else { return adding([other], to: present) }
    guard let first = pairs.first?.key else { return nil }
    return insertion("\(other): success", at: first.mark, of: present)
  }

  /// Returns the change that adds texts to a list, or to a text that stands for a list of one.
  private mutating func adding(_ texts: [String], to list: Node) -> Diagnostic.Edit? {
    switch list.content {
    case .mapping: return nil
    case .scalar:
      // As it is written, with its quotes.
      let written = line(from: list.mark).prefix(list.length)
      return Diagnostic.Edit(
        line: list.mark.line, column: list.mark.column, length: list.length,
        text: "[" + ([String(written)] + texts).joined(separator: ", ") + "]")
    case .sequence(let items):
      guard let first = items.first else {
        return Diagnostic.Edit(
          line: list.mark.line, column: list.mark.column, length: 2,
          text: "[\(texts.joined(separator: ", "))]")
      }
      let isFlow = line(from: list.mark).first == "["
      let indentation = String(repeating: " ", count: list.mark.column - 1)
      return Diagnostic.Edit(
        line: first.mark.line, column: first.mark.column, length: 0,
        text: texts.map { $0 + (isFlow ? ", " : "\n\(indentation)- ") }.joined())
    }
  }
}
