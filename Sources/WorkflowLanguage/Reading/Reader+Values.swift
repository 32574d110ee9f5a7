// Parses the name of a workflow and `shell`.

import YAML

extension Reader {
  /// The maximum length of a workflow name in bytes, since each run records and shows it.
  static let nameBytesMax = 256

  /// Parses the name of a workflow.
  mutating func name(_ node: Node) -> String? {
    guard let name = nonEmptyText(node, "name") else { return nil }
    guard name.utf8.count <= Self.nameBytesMax else {
      report(.longName(bytes: name.utf8.count), at: node)
      return nil
    }
    return name
  }

  /// Parses `shell`.
  mutating func shell(_ node: Node) -> Shell? {
    if case .sequence = node.content {
      guard let words = texts(node, "a part of shell") else { return nil }
      guard let program = words.first, !program.isEmpty else {
        var place = node
        if case .sequence(let nodes) = node.content, let first = nodes.first { place = first }
        report(.noProgram("shell", example: "[bash, -eu, -c]"), at: place)
        return nil
      }
      return .arguments(words)
    }
    return nonEmptyText(node, "shell").map(Shell.named)
  }
}
