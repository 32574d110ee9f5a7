// What a machine says of the scripts and programs of a workflow, as warnings at their places.

import WorkflowReading
import YAML

/// A script or a program that a machine cannot run.
package struct CommandProblem: Sendable, Equatable {
  /// The kinds of problems.
  package enum Kind: Sendable, Equatable {
    /// A shell cannot read the script, for this reason; with the line of the script if it names one.
    case unreadableScript(shell: String, reason: String, line: Int?)
    /// The machine does not have this program.
    case missingProgram(String)
    /// No file matches the pattern under `cache.inputs`.
    case unmatchedInput
  }

  /// What is wrong.
  package let kind: Kind
  /// The id of the first step with this command.
  package let step: String
  /// The script, the program if there is no script, or the pattern, as it is in the file.
  package let text: String

  /// Creates a problem.
  package init(_ kind: Kind, step: String, text: String) {
    self.kind = kind
    self.step = step
    self.text = text
  }

  fileprivate var cause: Diagnostic.Cause {
    switch kind {
    case .unreadableScript(let shell, let reason, _):
      .unreadableScript(step: step, shell: shell, reason: reason)
    case .missingProgram(let name): .missingProgram(name, step: step)
    case .unmatchedInput: .unmatchedInput(text, step: step)
    }
  }
}

extension Workflow {
  /// Returns problems of commands as warnings.
  ///
  /// Reads the files again to find the places, which runs do not need. Linear in their size. A problem
  /// whose command is in none of them is a warning about the whole file.
  ///
  /// - Parameter problems: The problems, each with a command of this workflow.
  /// - Returns: The warnings, in the order of the files.
  package func warnings(of problems: [CommandProblem]) -> [Diagnostic] {
    warnings(of: problems, at: \.text, cause: \.cause) { $0.warn(of: &$1, in: $2) }
  }

  /// Finds the places of problems in the file and in those that it uses.
  ///
  /// - Parameters:
  ///   - problems: The problems.
  ///   - text: The text at the place of a problem.
  ///   - cause: The cause of the warning about the whole file, if the text is nowhere.
  ///   - warn: Warns of problems at their places in a document, and removes those that are found.
  /// - Returns: The warnings, in the order of the files.
  func warnings<Problem>(
    of problems: [Problem], at text: (Problem) -> String, cause: (Problem) -> Diagnostic.Cause,
    _ warn: (inout Reader, inout [String: [Problem]], Node) -> Void
  ) -> [Diagnostic] {
    guard !problems.isEmpty else { return [] }
    var open = Dictionary(problems.map { (text($0), [$0]) }, uniquingKeysWith: +)
    var found: [Diagnostic] = []
    for (path, bytes) in textsOfFiles where !open.isEmpty {
      let source = SourceText(bytes)
      guard let root = Document(source).root else { continue }
      var reader = Reader(file: path, source: source)
      warn(&reader, &open, root)
      found += reader.sortedDiagnostics()
    }
    let rest = problems.filter { open[text($0)] != nil }
    return found + rest.map { Diagnostic(cause($0), severity: .warning, file: file ?? name) }
  }

  /// The texts of the file and of those that it uses, with their paths; empty if it cannot be read.
  private var textsOfFiles: [(path: String, bytes: [UInt8])] {
    guard let file, let bytes = try? Self.bytes(of: file) else { return [] }
    return [(file, bytes)]
      + sources.sorted { $0.key < $1.key }.map {
        (SourceFiles.joined(SourceFiles.folder(of: file), $0.key), Array($0.value.utf8))
      }
  }

  /// Returns a warning about what a runner lacks, a clause.
  package func warning(ofRunner problem: String) -> Diagnostic {
    Diagnostic(.runnerNotReady(problem), severity: .warning, file: file ?? name)
  }
}

extension Reader {
  /// Warns of commands at their first places.
  ///
  /// - Parameters:
  ///   - open: The problems by command; those that are found are removed.
  ///   - root: The document.
  fileprivate mutating func warn(of open: inout [String: [CommandProblem]], in root: Node) {
    var rest = [root]
    while let node = rest.popLast(), !open.isEmpty {
      switch node.content {
      case .scalar: break
      case .sequence(let items): rest += items.reversed()
      case .mapping(let pairs):
        for pair in pairs {
          for command in pair.commands {
            guard let text = command.text, let problems = open.removeValue(forKey: text) else {
              continue
            }
            for problem in problems { warn(of: problem, at: command) }
          }
        }
        rest += pairs.reversed().map(\.value)
      }
    }
  }

  private mutating func warn(of problem: CommandProblem, at node: Node) {
    guard case .unreadableScript(_, _, let line?) = problem.kind,
      source.line(node.mark.line).dropFirst(node.mark.column - 1).first == "|"
    else { return warn(problem.cause, at: node) }
    // Shells report the end of a script as the line after it.
    let count = (node.text ?? "").split(separator: "\n", omittingEmptySubsequences: false).count
    let number = node.mark.line + min(line, max(1, count - 1))
    let text = source.line(number)
    let mark = Mark(line: number, column: text.prefix { $0 == " " }.count + 1)
    report(
      problem.cause, at: mark, length: max(1, text.count - mark.column + 1),
      severity: .warning)
  }
}

extension Node.Pair {
  /// The nodes that problems are about: a script, a program, or patterns of inputs.
  fileprivate var commands: [Node] {
    switch value.content {
    case .sequence(let nodes) where key.says("inputs"): nodes
    case .sequence(let words) where key.says("exec"): words.first.map { [$0] } ?? []
    default: key.says("run") || key.says("exec") || key.says("inputs") ? [value] : []
    }
  }
}
