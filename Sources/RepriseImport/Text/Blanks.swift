// Texts without blanks around them, on one line, and as a name with a value.

extension String {
  /// The text without blanks around it.
  var trimmed: String {
    var text = self[...]
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}

extension Substring {
  /// The text without blanks around it.
  var trimmed: String { String(self).trimmed }
}

extension String {
  /// The text with one blank instead of line breaks and of several blanks.
  var onOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}

extension StringProtocol {
  /// The name before the first `=` and the value after it; no value without one.
  var assignment: (name: String, value: String?) {
    guard let sign = firstIndex(of: "=") else { return (String(self), nil) }
    return (String(self[..<sign]), String(self[index(after: sign)...]))
  }
}
