// `JobPattern`: how a line of a scheduler's command is read.

/// A line of text with fields, such as `Job <{job}>` or `{job} {} {} {state}`.
///
/// A blank matches any blanks, and a field the characters up to the next part of the pattern, or up to
/// a blank. `{}` is a field that does not matter, `{reason}` takes the rest of the line, and `{index}` at
/// the end of the pattern takes the last word of it.
struct JobPattern: Sendable, Equatable {
  /// A field with a name.
  enum Field: String, CaseIterable, Sendable {
    case job, state, reason, index
    case other = ""
  }

  private enum Part: Sendable, Equatable {
    case blank
    case text(String)
    case field(Field)
  }

  private let parts: [Part]

  private init(parts: [Part]) { self.parts = parts }

  /// Reads a pattern; nil if a field is not known.
  init?(parsing text: String) {
    var parts: [Part] = []
    var rest = text[...]
    while let first = rest.first {
      if first.isWhitespace {
        parts.append(.blank)
        rest = rest.drop(while: \.isWhitespace)
      } else if first == "{", let end = rest.firstIndex(of: "}") {
        guard let field = Field(rawValue: String(rest[rest.index(after: rest.startIndex)..<end]))
        else { return nil }
        parts.append(.field(field))
        rest = rest[rest.index(after: end)...]
      } else {
        let end = rest.dropFirst().firstIndex { $0.isWhitespace || $0 == "{" } ?? rest.endIndex
        parts.append(.text(String(rest[..<end])))
        rest = rest[end...]
      }
    }
    if parts.first == .blank { parts.removeFirst() }
    self.parts = parts
  }

  /// Whether it has a field.
  func has(_ field: Field) -> Bool { parts.contains(.field(field)) }

  /// Returns a line with some fields.
  func text(with fields: [Field: String]) -> String {
    parts.reduce(into: "") { line, part in
      switch part {
      case .blank: line += " "
      case .text(let text): line += text
      case .field(let field): line += fields[field] ?? ""
      }
    }
  }

  /// Returns the fields of a line that begins as the pattern does; nil if it does not match.
  func fields(of line: some StringProtocol) -> [Field: String]? {
    fields(Substring(line).drop(while: \.isWhitespace))
  }

  /// Returns the number of a job in the first line that matches from somewhere on; nil if none does.
  ///
  /// Not a word of a greeting: a number has a digit, or begins as those of Flux do.
  func number(in text: String) -> String? {
    for line in text.split(whereSeparator: \.isNewline) {
      for start in line.indices where !line[start].isWhitespace {
        guard let found = fields(line[start...])?[.job] else { continue }
        if found.contains(where: \.isNumber) || found.hasPrefix("\u{192}") { return found }
      }
    }
    return nil
  }

  private func fields(_ line: Substring) -> [Field: String]? {
    var rest = line
    var found: [Field: String] = [:]
    for (position, part) in parts.enumerated() {
      switch part {
      case .blank:
        // What follows may be missing: a reason of which there is none.
        guard rest.first?.isWhitespace == true || rest.isEmpty else { return nil }
        rest = rest.drop(while: \.isWhitespace)
      case .text(let text):
        guard rest.hasPrefix(text) else { return nil }
        rest = rest.dropFirst(text.count)
      case .field(.reason):
        found[.reason] = String(rest)
        rest = ""
      case .field(.index) where position == parts.count - 1:
        guard let last = rest.split(whereSeparator: \.isWhitespace).last else { return nil }
        found[.index] = String(last)
        rest = ""
      case .field(let field):
        var end = rest.firstIndex(where: \.isWhitespace) ?? rest.endIndex
        if position + 1 < parts.count, case .text(let text) = parts[position + 1] {
          guard let range = rest[..<end].firstRange(of: text) else { return nil }
          end = range.lowerBound
        }
        guard end > rest.startIndex else { return nil }
        if field != .other { found[field] = String(rest[..<end]) }
        rest = rest[end...]
      }
    }
    return found
  }
}

extension JobPattern: ExpressibleByStringLiteral {
  /// A pattern of this program, whose fields are known.
  init(stringLiteral text: String) {
    self = JobPattern(parsing: text) ?? JobPattern(parts: [.text(text)])
  }
}

extension JobPattern: Decodable {
  /// Decodes a pattern; one with an unknown field, or without a job, is an error.
  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let pattern = JobPattern(parsing: text), pattern.has(.job) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "\"\(text)\" is no pattern: write {job} for the number of the job, and "
            + "{state}, {index}, {reason} or {} for other fields"))
    }
    self = pattern
  }
}
