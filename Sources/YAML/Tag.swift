// YAML tags such as `!!str`, by the core schema of YAML 1.2.

/// The tag of a value.
enum Tag {
  case text, whole, decimal, boolean, null, list, map
  /// The name of a standard YAML tag that is not supported, such as `set` for `!!set`.
  case unsupported(String)
  /// A tag that is not a standard YAML tag, such as `!x`.
  case foreign(length: Int)

  /// - Parameter tag: The tag in its full form.
  init(_ tag: String) {
    let prefix = "tag:yaml.org,2002:"
    guard tag.hasPrefix(prefix) else {
      self = .foreign(length: tag.unicodeScalars.count)
      return
    }
    let name = String(tag.dropFirst(prefix.count))
    self =
      switch name {
      case "str": .text
      case "int": .whole
      case "float": .decimal
      case "bool": .boolean
      case "null": .null
      case "seq": .list
      case "map": .map
      default: .unsupported(name)
      }
  }

  /// Returns the contents of a scalar with this tag; null if the tag does not match.
  ///
  /// - Parameter text: The text of the scalar, quoted or not.
  /// - Returns: The contents.
  func content(of text: String) -> Node.Content {
    switch self {
    case .text: .scalar(text, isPlain: false)
    // A foreign tag may have consumed part of the intended text, so ignore the rest.
    case _ where refuses(text): .scalar("", isPlain: true)
    default: .scalar(text, isPlain: true)
    }
  }

  /// Returns the error for a tag that does not match its value.
  func problem(with event: YAMLEvent) -> Problem? {
    let kind: Problem.Kind?
    var length = 1
    switch (self, event.kind) {
    case (.foreign(let count), _):
      kind = .foreignTag
      length = count
    case (.unsupported(let name), _): kind = .unsupportedTag(name)
    case (_, .scalar(let text, _)): kind = refusal(of: text).map(Problem.Kind.tag)
    case (.list, .sequenceStart), (.map, .mappingStart): kind = nil
    case (.list, _): kind = .tag(.onlyLists)
    case (.map, _): kind = .tag(.onlyMaps)
    default: kind = .tag(.onlyScalars)
    }
    return kind.map { Problem(kind: $0, mark: event.start, length: length) }
  }

  /// Returns whether the tag does not match a scalar.
  private func refuses(_ text: String) -> Bool {
    switch self {
    case .unsupported, .foreign: true
    default: refusal(of: text) != nil
    }
  }

  /// Returns the mismatch between this standard tag and a scalar; nil if they match.
  private func refusal(of text: String) -> Problem.TagMismatch? {
    switch self {
    case .text, .unsupported, .foreign: return nil
    case .whole: return Int(text) == nil ? .notWhole(text) : nil
    case .decimal:
      let isNumber =
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || "-+.eE".utf8.contains($0) }
        && Double(text)?.isFinite == true
      return isNumber ? nil : .notNumber(text)
    case .boolean:
      let words = ["true", "True", "TRUE", "false", "False", "FALSE"]
      return words.contains(text) ? nil : .notBoolean(text)
    case .null: return ["", "~", "null", "Null", "NULL"].contains(text) ? nil : .notNull(text)
    case .list: return .onlyLists
    case .map: return .onlyMaps
    }
  }
}
