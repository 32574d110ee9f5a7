// The trigger `on: { stdin: … }`: lines of standard input.

import WorkflowReading
import YAML

/// The format of lines of standard input.
package enum InputFormat: String, Sendable, CaseIterable {
  /// Plain text.
  case lines
  /// One JSON value per line.
  case json
}

/// A trigger that starts a run for each line of standard input.
package struct InputTrigger: TriggerKey {
  /// The format of the lines.
  package var format: InputFormat

  static let key = Key(
    "stdin", .choice(InputFormat.allCases.map(\.rawValue)),
    "the format of lines of standard input, each of which starts a run")
  package static let canStartAfterInput = false

  package var words: [String] { ["stdin " + format.rawValue] }

  static func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context
  ) -> InputTrigger? {
    reader.choice(node, "stdin format").map { InputTrigger(format: $0) }
  }
}

extension Triggers {
  /// The format of lines of standard input that start runs; nil if they do not.
  package var standardInput: InputFormat? {
    get { self[InputTrigger.self]?.format }
    set { self[InputTrigger.self] = newValue.map { InputTrigger(format: $0) } }
  }
}
