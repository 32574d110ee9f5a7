// The YAML file of another tool while it is translated: it notes what has been read of it.

import YAML

/// A line of a file of another tool.
struct SourcePlace: Sendable, CustomStringConvertible {
  let line: Int
  /// The path of the file; empty for the file that is imported.
  let file: String

  /// The place, for people.
  var description: String { "line \(line)" + (file.isEmpty ? "" : " of \(file)") }
}

/// A value of the file of another tool, which notes whether it has been read.
///
/// A translation asks for the keys that it understands. What it has never asked for is in
/// ``unread()`` at the end, so a key that a translation forgets is reported instead of lost. A
/// class, because the notes belong to the file, not to the part of a translation that reads it.
/// It is used by one thread.
final class SourceNode {
  /// A key with its value.
  struct Pair {
    let key: SourceNode
    let value: SourceNode
  }

  /// The kinds of values, as those of `Node`.
  enum Content {
    case scalar(String, isPlain: Bool)
    case sequence([SourceNode])
    case mapping([Pair])
  }

  /// A part that were not read.
  struct Unread {
    /// The keys that lead to it, such as `services.db.command`.
    let path: String
    let node: SourceNode
  }

  private let node: Node
  /// The parts that have been handed out; they are made when someone asks for them, because an
  /// alias can refer to a large part of a file at many places.
  private var parts: [Pair]?
  private var isRead = false
  private var isAccepted = false

  /// The path of the file that it is in; empty for the file that is imported.
  let file: String

  init(_ node: Node, file: String = "") {
    self.node = node
    self.file = file
  }

  var mark: Mark { node.mark }
  /// Where it is.
  var place: SourcePlace { SourcePlace(line: mark.line, file: file) }
  var isNull: Bool { node.isNull }
  var isMap: Bool { if case .mapping = node.content { true } else { false } }
  var isList: Bool { if case .sequence = node.content { true } else { false } }

  /// Says that this value and all of its parts need no translation, or have one.
  ///
  /// - Returns: The value.
  @discardableResult
  func accept() -> SourceNode {
    isAccepted = true
    return self
  }

  /// The value of a key of a map; nil if it is missing, null, or this is no map.
  subscript(key: String) -> SourceNode? {
    guard let pair = pairs.last(where: { $0.key.node.says(key) }), !pair.value.isNull else {
      return nil
    }
    return pair.value
  }

  /// The pairs of a map; empty for other values.
  var pairs: [Pair] { isMap ? handOut() : [] }

  /// The elements of a list; empty for other values.
  var elements: [SourceNode] { isList ? handOut().map(\.value) : [] }

  /// The text of a scalar; nil for other values.
  var text: String? {
    isRead = true
    return node.text
  }

  /// The boolean that a plain scalar is.
  var boolean: Bool? {
    isRead = true
    return node.boolean
  }

  /// Whether a plain scalar is a number for YAML.
  var isNumber: Bool {
    isRead = true
    return node.isNumber
  }

  /// The contents of the value.
  var content: Content {
    isRead = true
    return switch node.content {
    case .scalar(let text, let isPlain): .scalar(text, isPlain: isPlain)
    case .sequence: .sequence(elements)
    case .mapping: .mapping(pairs)
    }
  }

  /// The elements of a list, or the value itself if it is a text.
  var oneOrMore: [SourceNode] {
    if isList { return elements }
    return isMap || isNull ? [] : [self]
  }

  /// The texts of a list of texts, or of a single text.
  var texts: [String] { oneOrMore.compactMap(\.text) }

  /// The same value in the file that is written, which accepts all of it.
  var draft: Draft {
    accept()
    return node.draft
  }

  /// Whether a text of it contains a word; this counts for no reading.
  func mentions(_ word: String) -> Bool {
    var rest = [node]
    while let node = rest.popLast() {
      switch node.content {
      case .scalar(let text, _): if text.contains(word) { return true }
      case .sequence(let nodes): rest += nodes
      case .mapping(let pairs): rest += pairs.map(\.value)
      }
    }
    return false
  }

  /// The parts that no one has read or accepted, in the order of the file.
  ///
  /// - Parameter names: Keys of this map that are read later.
  /// - Returns: The parts; of a part without a reader, not its own parts.
  func unread(except names: Set<String> = []) -> [Unread] { unread(at: "", except: names) }

  private func unread(at path: String, except names: Set<String> = []) -> [Unread] {
    // Null, an empty list and an empty map say nothing.
    guard !isAccepted, !isNull, node.text != nil || !node.isEmpty else { return [] }
    guard let parts else {
      // A text that was read, or a list or map that someone wanted to be a text.
      return isRead && node.text != nil ? [] : [Unread(path: path, node: self)]
    }
    return parts.enumerated().flatMap { position, part -> [Unread] in
      let name = part.key.node.text ?? "?"
      guard !isMap || !names.contains(name) else { return [] }
      let own = isMap ? (path.isEmpty ? name : "\(path).\(name)") : "\(path)[\(position)]"
      return part.value.unread(at: own)
    }
  }

  private func part(_ node: Node) -> SourceNode { SourceNode(node, file: file) }

  private func handOut() -> [Pair] {
    if let parts { return parts }
    let made: [Pair] =
      switch node.content {
      case .scalar: []
      case .sequence(let nodes):
        nodes.map { Pair(key: part($0), value: part($0)) }
      case .mapping(let pairs):
        pairs.map { Pair(key: part($0.key), value: part($0.value)) }
      }
    parts = made
    return made
  }
}

extension Node {
  /// Whether it is a list or map without parts.
  fileprivate var isEmpty: Bool {
    switch content {
    case .scalar: false
    case .sequence(let nodes): nodes.isEmpty
    case .mapping(let pairs): pairs.isEmpty
    }
  }
}
