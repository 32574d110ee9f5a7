// A workflow file that is being written: a tree of values with comments.

import Workflows

/// A value of the file that is written.
enum Draft {
  /// A text, which is quoted if necessary.
  case text(String)
  /// A number, a boolean or another word that is written as it is.
  case word(String)
  case list([Item])
  case map([Item])

  /// An element of a list, or a key of a map with its value.
  struct Item {
    /// The key; empty for an element of a list.
    var key: String
    var value: Draft
    /// The lines of the comment above it.
    var comments: [String]

    init(_ key: String = "", _ value: Draft, comments: [String] = []) {
      self.key = key
      self.value = value
      self.comments = comments
    }
  }

  static func texts(_ texts: [String]) -> Draft { .list(texts.map { Item("", .text($0)) }) }

  /// A parameter with a default value, in its short form if possible.
  static func parameter(_ value: String) -> Draft {
    value.isEmpty ? .map([Item("default", .text(value))]) : .text(value)
  }

  /// The items of a list or map.
  var items: [Item] {
    get {
      switch self {
      case .text, .word: []
      case .list(let items), .map(let items): items
      }
    }
    set {
      switch self {
      case .text, .word: break
      case .list: self = .list(newValue)
      case .map: self = .map(newValue)
      }
    }
  }

  /// The value of a key of a map.
  subscript(key: String) -> Draft? {
    get { items.first { $0.key == key }?.value }
    set {
      guard let newValue else { return items.removeAll { $0.key == key } }
      if let position = items.firstIndex(where: { $0.key == key }) {
        items[position].value = newValue
      } else {
        items.append(Item(key, newValue))
      }
    }
  }

  /// The item at a path of positions.
  subscript(path: ArraySlice<Int>) -> Item? {
    guard let first = path.first, items.indices.contains(first) else { return nil }
    return path.count == 1 ? items[first] : items[first].value[path.dropFirst()]
  }

  /// Removes the item at a path and adds a comment in its place.
  ///
  /// The comment moves to the next item, or to the item that contains the list or map.
  ///
  /// - Returns: The comment if there is no item in the same list or map that can have it.
  mutating func remove(at path: ArraySlice<Int>, leaving comment: [String]) -> [String] {
    guard let first = path.first, items.indices.contains(first) else { return comment }
    if path.count > 1 {
      let rest = items[first].value.remove(at: path.dropFirst(), leaving: comment)
      items[first].comments += rest
      return []
    }
    let comments = items[first].comments + comment
    items.remove(at: first)
    guard items.indices.contains(first) else { return comments }
    items[first].comments = comments + items[first].comments
    return []
  }
}

extension Draft {
  /// The lines of the file, each with the path of the item that it belongs to.
  struct Lines {
    fileprivate(set) var texts: [String] = []
    fileprivate(set) var paths: [[Int]] = []

    fileprivate mutating func add(_ text: String, _ path: [Int]) {
      texts.append(text)
      paths.append(path)
    }
  }

  /// The maximum number of columns of comments and of lists on one line.
  private static let columnsMax = 100

  /// Returns the text of the file by lines.
  func lines() -> Lines {
    var lines = Lines()
    write(to: &lines, indentation: 0, path: [])
    return lines
  }

  private func write(to lines: inout Lines, indentation: Int, path: [Int], prefix: String = "") {
    var prefix = prefix
    for (position, item) in items.enumerated() {
      let own = path + [position]
      let space = String(repeating: " ", count: indentation)
      for comment in item.comments {
        // A comment cannot follow the hyphen of a list element.
        for line in Self.wrapped(comment, columns: Self.columnsMax - indentation - 2) {
          lines.add(space + (line.isEmpty ? "#" : "# " + line), own)
        }
      }
      let start = prefix.isEmpty ? space : prefix
      prefix = ""
      item.write(to: &lines, after: start, indentation: indentation, path: own)
    }
  }

  /// Splits a comment into lines without characters that a terminal or YAML would interpret.
  private static func wrapped(_ comment: String, columns: Int) -> [String] {
    var lines: [String] = []
    for text in comment.split(separator: "\n", omittingEmptySubsequences: false) {
      let safe = String(
        String.UnicodeScalarView(
          text.unicodeScalars.map {
            $0 == "\t" ? " " : Self.isSafe($0) ? $0 : "\u{FFFD}"
          }))
      // The blanks at the start show the structure of an original.
      let start = safe.prefix { $0 == " " }
      var line = String(start)
      for word in safe[start.endIndex...].split(separator: " ", omittingEmptySubsequences: false) {
        if line.count > start.count, line.count + word.count + 1 > max(columns, 40) {
          lines.append(line)
          line = String(word)
        } else {
          line += (line.count > start.count ? " " : "") + word
        }
      }
      while line.last == " " { line.removeLast() }
      lines.append(line)
    }
    return lines
  }

  /// Whether a character can be written without an escape.
  static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: false
    default: !scalar.isTerminalControl
    }
  }

  /// The value on one line; nil if it needs several.
  fileprivate func line(columns: Int) -> String? {
    switch self {
    case .word(let word): return word
    case .text(let text): return ScalarText.inline(text)
    case .list(let items):
      if items.isEmpty { return "[]" }
      var words: [String] = []
      for item in items {
        guard item.comments.isEmpty else { return nil }
        switch item.value {
        case .word(let word): words.append(word)
        case .text(let text): words.append(ScalarText.flow(text))
        case .list, .map: return nil
        }
      }
      let line = "[\(words.joined(separator: ", "))]"
      return line.count <= columns ? line : nil
    case .map(let items): return items.isEmpty ? "{}" : nil
    }
  }
}

extension Draft.Item {
  /// Writes the item after its indentation, or after the hyphen of the list element that it begins.
  fileprivate func write(
    to lines: inout Draft.Lines, after start: String, indentation: Int, path: [Int]
  ) {
    let name = key.isEmpty ? "-" : ScalarText.key(key) + ":"
    if case .text(let text) = value, let block = ScalarText.block(text) {
      let space = String(repeating: " ", count: indentation + 2)
      lines.add("\(start)\(name) \(block.header)", path)
      for line in block.lines { lines.add(line.isEmpty ? "" : space + line, path) }
      return
    }
    if let line = value.line(columns: 100 - start.count - name.count - 1) {
      lines.add("\(start)\(name) \(line)", path)
      return
    }
    if key.isEmpty, value.items.first?.comments.isEmpty == true {
      // The first key of a list element follows the hyphen.
      value.write(to: &lines, indentation: indentation + 2, path: path, prefix: start + "- ")
      return
    }
    lines.add(start + name, path)
    value.write(to: &lines, indentation: indentation + 2, path: path)
  }
}
