// What tags such as !!str make of values, by the core schema of YAML 1.2.

/// A tag before a value.
enum Tag {
  case text, whole, decimal, boolean, null, list, map
  /// One of YAML's own that no value here has, such as `!!set`; by its name.
  case unsupported(String)
  /// One that is not YAML's own, such as `!x`.
  case foreign(length: Int)

  /// - Parameter tag: The tag in full.
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

  /// The value of a scalar with this tag; nothing where the tag does not fit.
  ///
  /// - Parameter text: What is written there, in quotes or not.
  /// - Returns: The value.
  func content(of text: String) -> Node.Content {
    switch self {
    case .text: .scalar(text, isPlain: false)
    // What a foreign tag has swallowed is not what was meant, so nothing is made of it.
    case _ where refusal(of: text) != nil: .scalar("", isPlain: true)
    default: .scalar(text, isPlain: true)
    }
  }

  /// What is wrong with a tag where it is.
  func problem(with event: YAMLEvent) -> Problem? {
    let reason: String?
    switch (self, event.kind) {
    case (.foreign(let length), _):
      return Problem(
        message: "a ! at the beginning means something to YAML", mark: event.start, length: length,
        hint: "quote the text")
    case (.unsupported(let name), _): reason = "there is no !!\(name) in a workflow file"
    case (_, .scalar(let text, _)): reason = refusal(of: text)
    case (.list, .sequenceStart), (.map, .mappingStart): reason = nil
    case (.list, _): reason = "!!seq is for lists"
    case (.map, _): reason = "!!map is for maps"
    default: reason = "the tag is for a text or a number, not for a list or a map"
    }
    return reason.map {
      Problem(message: $0, mark: event.start, length: 1, hint: "leave the tag out")
    }
  }

  /// Why a scalar cannot have this tag; nil when it can.
  private func refusal(of text: String) -> String? {
    switch self {
    case .text: return nil
    case .whole: return Int(text) == nil ? "\"\(text)\" is not a whole number" : nil
    case .decimal:
      let isNumber =
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || "-+.eE".utf8.contains($0) }
        && Double(text)?.isFinite == true
      return isNumber ? nil : "\"\(text)\" is not a number"
    case .boolean:
      let words = ["true", "True", "TRUE", "false", "False", "FALSE"]
      return words.contains(text) ? nil : "\"\(text)\" is neither true nor false"
    case .null:
      return ["", "~", "null", "Null", "NULL"].contains(text) ? nil : "\"\(text)\" is not nothing"
    case .list: return "!!seq is for lists"
    case .map: return "!!map is for maps"
    case .unsupported, .foreign: return ""
    }
  }
}
