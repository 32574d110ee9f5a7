// A YAML document as a tree that knows where everything stands. Plain values; no C.

/// A place in a text, counted as editors do.
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

  // Each node has a mark, so its size counts; a file has fewer bytes than there are such numbers.
  private var lineNumber: UInt32
  private var columnNumber: UInt32

  /// Makes a place.
  ///
  /// - Parameters:
  ///   - line: The line, from 1.
  ///   - column: The column in characters, from 1.
  package init(line: Int, column: Int) {
    lineNumber = UInt32(line)
    columnNumber = UInt32(column)
  }

  /// Orders places as they are read.
  package static func < (earlier: Mark, later: Mark) -> Bool {
    (earlier.line, earlier.column) < (later.line, later.column)
  }
}

/// One value of a document.
package struct Node: Sendable {
  /// What kind of value it is.
  package enum Content: Sendable {
    /// Text; `isPlain` when it stands there without quotes, so that it may mean a number.
    case scalar(String, isPlain: Bool)
    /// A list.
    case sequence([Node])
    /// Keys with their values, in file order, merge keys resolved.
    case mapping([Pair])
  }

  // A type and no tuple: those are copied and let go of by way of their descriptions at run time.
  /// A key of a map with its value.
  package struct Pair: Sendable {
    /// The key.
    package var key: Node
    /// The value.
    package var value: Node

    /// Makes a pair.
    package init(key: Node, value: Node) {
      self.key = key
      self.value = value
    }
  }

  /// The value itself.
  package var content: Content
  /// Where it begins.
  package var mark: Mark
  /// How many characters of its first line it takes: what a caret underlines.
  package var length: Int { Int(characterCount) }

  private var characterCount: UInt32

  init(content: Content, mark: Mark, length: Int) {
    self.content = content
    self.mark = mark
    characterCount = UInt32(length)
  }

  /// The same value at another place.
  func moved(to mark: Mark, length: Int) -> Node {
    Node(content: content, mark: mark, length: length)
  }

  /// How many nodes it has, itself included, with aliases counted as often as they are used.
  ///
  /// - Parameter limit: Where counting ends.
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

  /// What a plain or quoted scalar says, or nil for other nodes.
  package var text: String? {
    if case .scalar(let text, _) = content { text } else { nil }
  }

  /// Whether it is a scalar that says just this.
  package func says(_ text: String) -> Bool {
    if case .scalar(let own, _) = content { own == text } else { false }
  }

  /// Finds a key of a map.
  ///
  /// Linear in the number of keys: what is looked through where it stands takes less time than a hash of
  /// the name as long as there are few.
  ///
  /// - Parameters:
  ///   - name: What the key says.
  ///   - pairs: The keys of the map with their values.
  /// - Returns: The position of the pair.
  package static func position(of name: String, in pairs: [Pair]) -> Int? {
    pairs.firstIndex { $0.key.says(name) }
  }

  /// Whether it is nothing: an empty plain scalar, `~` or `null`, by the core schema of YAML 1.2.
  package var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    switch text.utf8.count {
    case 0: return true
    case 1: return text == "~"
    case 4: return text == "null" || text == "Null" || text == "NULL"
    default: return false
    }
  }

  /// What it is, for people.
  package var kindName: String {
    switch content {
    case .scalar: isNull ? "nothing" : "text"
    case .sequence: "a list"
    case .mapping: "a map"
    }
  }
}
