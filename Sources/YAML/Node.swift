// The tree of a YAML document, with source locations.

/// A location in a text, counted as in editors.
package struct Mark: Sendable, Equatable, Comparable {
  /// The line, from 1.
  package var line: Int {
    get { Int(lineNumber) }
    set { lineNumber = UInt32(newValue) }
  }
  /// The column in characters, from 1.
  package var column: Int {
    get { Int(columnNumber) }
    set { columnNumber = UInt32(newValue) }
  }

  // 32 bits to save memory: each node has a mark, and files are smaller than 4 GiB.
  private var lineNumber: UInt32
  private var columnNumber: UInt32

  /// Creates a location.
  ///
  /// - Parameters:
  ///   - line: The line, from 1.
  ///   - column: The column in characters, from 1.
  package init(line: Int, column: Int) {
    lineNumber = UInt32(line)
    columnNumber = UInt32(column)
  }

  /// Compares locations in reading order.
  package static func < (earlier: Mark, later: Mark) -> Bool {
    (earlier.line, earlier.column) < (later.line, later.column)
  }
}

/// A value of a document.
package struct Node: Sendable {
  /// The kinds of values.
  package enum Content: Sendable {
    /// A text; `isPlain` if it is unquoted and can be a number, boolean or null.
    case scalar(String, isPlain: Bool)
    /// A list.
    case sequence([Node])
    /// Keys with their values in file order, with merge keys resolved.
    case mapping([Pair])
  }

  // A struct instead of a tuple: copying and destroying a tuple goes through runtime metadata.
  /// A key-value pair of a map.
  package struct Pair: Sendable {
    /// The key.
    package var key: Node
    /// The value.
    package var value: Node

    /// Creates a pair.
    package init(key: Node, value: Node) {
      self.key = key
      self.value = value
    }
  }

  /// The contents of the value.
  package var content: Content
  /// The start of the value.
  package var mark: Mark
  /// The number of characters on its first line, for underlining.
  package var length: Int { Int(characterCount) }

  private var characterCount: UInt32

  /// Creates a value at a location.
  package init(content: Content, mark: Mark, length: Int) {
    self.content = content
    self.mark = mark
    characterCount = UInt32(length)
  }

  /// Returns the same value at another location.
  func moved(to mark: Mark, length: Int) -> Node {
    Node(content: content, mark: mark, length: length)
  }

  /// Counts the nodes of the value, including itself.
  ///
  /// The target of an alias counts for each use.
  ///
  /// - Parameter limit: The count at which to stop.
  /// - Returns: The count, or a number above the limit.
  package func nodeCount(upTo limit: Int) -> Int {
    var count = 0
    var rest = [self]
    while count <= limit, let node = rest.popLast() {
      count += 1
      switch node.content {
      case .scalar: break
      case .sequence(let nodes): rest += nodes
      case .mapping(let pairs):
        for pair in pairs {
          rest.append(pair.key)
          rest.append(pair.value)
        }
      }
    }
    return count
  }

  /// The text of a scalar, or nil for other nodes.
  package var text: String? {
    if case .scalar(let text, _) = content { text } else { nil }
  }

  /// Returns whether it is a scalar with this text.
  package func says(_ text: String) -> Bool {
    if case .scalar(let own, _) = content { own == text } else { false }
  }

  /// Returns the position of a key in a map.
  ///
  /// Linear in the number of keys, which is faster than hashing for small maps.
  ///
  /// - Parameters:
  ///   - name: The key.
  ///   - pairs: The pairs of the map.
  /// - Returns: The position, or nil if the key is missing.
  package static func position(of name: String, in pairs: [Pair]) -> Int? {
    pairs.firstIndex { $0.key.says(name) }
  }

  /// Whether it is null in the core schema of YAML 1.2: an empty plain scalar, `~` or `null`.
  package var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    switch text.utf8.count {
    case 0: return true
    case 1: return text == "~"
    case 4: return text == "null" || text == "Null" || text == "NULL"
    default: return false
    }
  }

  /// The kind of the value, for messages.
  package var kindName: String {
    switch content {
    case .scalar: isNull ? "null" : "text"
    case .sequence: "a list"
    case .mapping: "a map"
    }
  }
}
