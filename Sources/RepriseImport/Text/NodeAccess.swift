// Short access to the nodes of a YAML file of another tool, which is read leniently.

import YAML

extension Node {
  /// The value of a key of a map; nil if it is missing, null, or this is no map.
  subscript(key: String) -> Node? {
    guard let pair = pairs.last(where: { $0.key.text == key }), !pair.value.isNull else {
      return nil
    }
    return pair.value
  }

  /// The pairs of a map; empty for other values.
  var pairs: [Pair] {
    if case .mapping(let pairs) = content { pairs } else { [] }
  }

  /// The elements of a list; empty for other values.
  var elements: [Node] {
    if case .sequence(let nodes) = content { nodes } else { [] }
  }

  /// The elements of a list, or the value itself if it is a text.
  var oneOrMore: [Node] {
    switch content {
    case .scalar: isNull ? [] : [self]
    case .sequence(let nodes): nodes
    case .mapping: []
    }
  }

  /// The texts of a list of texts, or of a single text.
  var texts: [String] { oneOrMore.compactMap(\.text) }

  var isMap: Bool { if case .mapping = content { true } else { false } }
  var isList: Bool { if case .sequence = content { true } else { false } }

  /// The boolean that a plain scalar is.
  var boolean: Bool? {
    guard case .scalar(let text, isPlain: true) = content else { return nil }
    switch text {
    case "true", "True", "TRUE": return true
    case "false", "False", "FALSE": return false
    default: return nil
    }
  }

  /// Whether a plain scalar is a number for YAML.
  var isNumber: Bool {
    guard case .scalar(let text, isPlain: true) = content, let first = text.unicodeScalars.first
    else { return false }
    guard ("0"..."9").contains(first) || first == "-" || first == "." else { return false }
    let digits = first == "-" ? text.dropFirst() : text[...]
    if digits.count > 1, digits.first == "0", digits.dropFirst().first != "." { return false }
    return digits.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") } && Double(text) != nil
      && digits.last != "."
  }

  /// The same value in the file that is written.
  var draft: Draft {
    switch content {
    case .scalar(let text, _):
      if let boolean { return .word(boolean ? "true" : "false") }
      if isNull { return .word("null") }
      return isNumber ? .word(text) : .text(text)
    case .sequence(let nodes): return .list(nodes.map { Draft.Item("", $0.draft) })
    case .mapping(let pairs):
      return .map(pairs.map { Draft.Item($0.key.text ?? "", $0.value.draft) })
    }
  }
}
