// Warnings about `{{ … }}`, with which other tools write expressions.

import YAML

extension WorkflowReader {
  /// Warns of `{{ params.x }}`, `{{item}}` and `{{.NAME}}` in a text, where it names something that
  /// the file could mean.
  ///
  /// Other text in braces is for another program, such as `docker ps --format '{{.Names}}'`.
  mutating func warnOfBraces(in text: String, _ node: Node, _ context: Context) {
    guard text.utf8.count(where: { $0 == UInt8(ascii: "{") }) > 1 else { return }
    let pieces = text.split(separator: "{{", omittingEmptySubsequences: false)
    for (before, piece) in zip(pieces, pieces.dropFirst()) where before.last != "$" {
      guard let name = piece.split(separator: "}}", omittingEmptySubsequences: false).first,
        name.endIndex < piece.endIndex, let meant = meant(by: name, context)
      else { continue }
      readers[context.file].warn(.plainBraces("{{\(name)}}", meant: meant), at: node)
    }
  }

  private func meant(by name: Substring, _ context: Context) -> String? {
    let words = name.split(whereSeparator: \.isWhitespace)
    guard words.count == 1 else { return nil }
    let parts = words[0].split(separator: ".", omittingEmptySubsequences: false)
    switch parts[0] {
    case "" where parts.count == 2:
      let name = String(parts[1])
      return scopes[context.scope].parameters[name] == nil ? nil : "params.\(name)"
    case "item" where context.bindings != nil, "params", "steps", "env", "matrix":
      guard parts.count > 1 || parts[0] == "item", !parts.contains("") else { return nil }
      return String(words[0])
    case "inputs" where parts.count == 2: return "params.\(parts[1])"
    default: return nil
    }
  }
}
