// The step kind `exec`, which runs a program with arguments.

import WorkflowReading
import YAML

/// A step that runs a program with arguments, without a shell.
struct ExecStep: NamedStepKind {
  static let name = "exec"
  static let shape = Shape.list(.template, minimum: 1)
  static let summary = "a program with its arguments, run without a shell"

  let words: [Template]

  static func read(_ step: StepFields, _ reader: inout WorkflowReader) -> (any StepKind)? {
    let file = step.context.file
    guard let nodes = reader.readers[file].list(step.node, of: "a list of strings") else {
      return nil
    }
    let words = nodes.enumerated().compactMap { position, node in
      reader.template(
        node, "an argument", position == 0 ? .setting : .argument, step.context, draft: step.draft)
    }
    guard words.count == nodes.count else { return nil }
    reader.warnOfVariables(inWords: nodes, step.context)
    reader.warnOfCode(in: words, nodes, step.context)
    guard let program = words.first, !program.source.isEmpty else {
      reader.readers[file].report(
        .noProgram(name, example: "[git, status]"), at: nodes.first ?? step.node)
      return nil
    }
    return ExecStep(words: words)
  }

  var shown: [String] { [words.lazy.map { quoted($0.source) }.joined(separator: " ")] }

  private func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || "-_./=:,@%+".contains($0) }
    return isPlain
      ? word
      : "'"
        + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        + "'"
  }

  var declared: [String] { ["exec: \(templates.map(\.source))"] }

  var templates: [Template] { words }

  func resolved(_ source: StepSource) throws(ResolutionError) -> ResolvedStep.Action {
    var texts: [String] = []
    for word in words {
      // Each argument after `--` is a word of its own.
      if word.isArguments, case .list(let values) = try source.value(of: word, Self.name) {
        texts += values.map(\.asText)
      } else {
        texts.append(try source.text(of: word, Self.name))
      }
    }
    return .exec(texts)
  }
}

extension Workflow.Step.Action {
  /// The program that the step runs without a shell, unless an expression names it.
  package var program: String? {
    guard let word = (kind as? ExecStep)?.words.first, word.parts.isEmpty else { return nil }
    return word.source
  }

  /// Returns the action of a step that runs a program with arguments, without a shell.
  package static func exec(_ words: [Template]) -> Self { Self(ExecStep(words: words)) }
}

extension Step {
  /// Creates a step that runs a program with arguments, without a shell.
  ///
  /// - Parameters:
  ///   - id: The id of the step, unique in its workflow.
  ///   - words: The program, followed by its arguments.
  ///   - settings: The settings of the step.
  ///   - file: The file of the declaration, for messages.
  ///   - line: The line of the declaration, for messages.
  public init(
    _ id: String, exec words: [TemplateValue], _ settings: StepSetting...,
    file: StaticString = #fileID, line: Int = #line
  ) {
    self.init(
      id, [("exec", .list(words.map(\.value)))], settings, DeclarationPlace(file, line))
  }
}
