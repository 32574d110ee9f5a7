// Parses `on-end`.

import YAML

extension Reader {
  /// Reads a script, or a program with its arguments.
  mutating func endCommand(_ node: Node) -> EndCommand? {
    guard case .sequence(let nodes) = node.content else {
      return nonEmptyText(node, "on-end").map(EndCommand.script)
    }
    guard let words = texts(node, "an argument of on-end") else { return nil }
    guard let program = words.first, !program.isEmpty else {
      report(.noProgram("on-end", example: "[notify-send, done]"), at: nodes.first ?? node)
      return nil
    }
    return .program(words)
  }
}
