// Lines of standard input as a trigger: `on: { stdin: … }`.

import YAML

/// How lines of standard input are understood.
public enum InputFormat: String, Sendable, CaseIterable {
  /// As texts.
  case lines
  /// As JSON, a value on each line.
  case json
}

/// Lines of standard input, each of which starts a run.
package struct InputTrigger: TriggerKey {
  /// How they are understood.
  package var format: InputFormat

  static let key = Key(
    "stdin", .choice(InputFormat.allCases.map(\.rawValue)),
    "how lines of standard input are understood, each of which starts a run")
  package static let outlivesInput = false

  package var words: [String] { ["stdin " + format.rawValue] }

  static func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context
  ) -> InputTrigger? {
    reader.choice(node, "stdin format").map { InputTrigger(format: $0) }
  }
}

extension Triggers {
  /// Lines of standard input.
  public var standardInput: InputFormat? {
    get { self[InputTrigger.self]?.format }
    set { self[InputTrigger.self] = newValue.map { InputTrigger(format: $0) } }
  }
}
