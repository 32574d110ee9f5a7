// A YAML document as a tree that knows where everything stands. Plain values; no C.

/// A place in a text, counted as editors do.
public struct Mark: Sendable, Equatable, Comparable {
  /// The line, from 1.
  public var line: Int
  /// The column in characters, from 1.
  public var column: Int

  /// Makes a place.
  ///
  /// - Parameters:
  ///   - line: The line, from 1.
  ///   - column: The column in characters, from 1.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Orders places as they are read.
  public static func < (earlier: Mark, later: Mark) -> Bool {
    (earlier.line, earlier.column) < (later.line, later.column)
  }
}

/// One value of a document.
public struct Node: Sendable {
  /// What kind of value it is.
  public enum Content: Sendable {
    /// Text; `isPlain` when it stands there without quotes, so that it may mean a number.
    case scalar(String, isPlain: Bool)
    /// A list.
    case sequence([Node])
    /// Keys with their values, in file order, merge keys resolved.
    case mapping([(key: Node, value: Node)])
  }

  /// The value itself.
  public var content: Content
  /// Where it begins.
  public var mark: Mark
  /// How many characters of its first line it takes: what a caret underlines.
  public var length: Int
  /// How many nodes it has, itself included, with aliases counted as often as they are used.
  var size: Int

  /// What a plain or quoted scalar says, or nil for other nodes.
  public var text: String? {
    if case .scalar(let text, _) = content { text } else { nil }
  }

  /// Whether it is nothing: an empty plain scalar, `~` or `null`, by the core schema of YAML 1.2.
  public var isNull: Bool {
    if case .scalar(let text, isPlain: true) = content {
      ["", "~", "null", "Null", "NULL"].contains(text)
    } else {
      false
    }
  }

  /// What it is, for people.
  public var kindName: String {
    switch content {
    case .scalar: isNull ? "nothing" : "a text"
    case .sequence: "a list"
    case .mapping: "a map"
    }
  }
}

/// Something that is wrong with a text as YAML.
public struct Problem: Error, Sendable, Equatable {
  /// What is wrong.
  public var message: String
  /// Where.
  public var mark: Mark
  /// How many characters are meant.
  public var length: Int
  /// How to mend it, to stand beside the caret.
  public var hint: String?
}
