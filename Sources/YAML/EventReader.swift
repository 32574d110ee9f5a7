// Drives libyaml: the only place that touches it. Knows nothing of nodes.

import CYaml

/// What libyaml sees in a text, one thing after the other.
struct YAMLEvent {
  enum Kind {
    case documentStart, documentEnd, streamEnd, sequenceStart, sequenceEnd, mappingStart, mappingEnd
    case scalar(String, isPlain: Bool)
    case alias(String)
    case other
  }

  /// What may stand before a value.
  final class Properties {
    let anchor: String?
    /// A tag: `!x`, or in full for one of YAML's own, such as `tag:yaml.org,2002:str` for `!!str`.
    let tag: String?

    init(anchor: String?, tag: String?) {
      self.anchor = anchor
      self.tag = tag
    }
  }

  let kind: Kind
  // Few values have any, so they take the room of one word.
  let properties: Properties?
  let start: Mark
  let end: Mark
}

/// Reads the events of a text.
@safe final class EventReader {
  private let parser: UnsafeMutablePointer<yaml_parser_t>

  /// - Parameter bytes: Well-formed UTF-8; it has to stay where it is as long as events are read.
  @unsafe init(_ bytes: UnsafeBufferPointer<UInt8>) {
    unsafe parser = .allocate(capacity: 1)
    unsafe yaml_parser_initialize(parser)
    unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    unsafe yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
  }

  deinit {
    unsafe yaml_parser_delete(parser)
    unsafe parser.deallocate()
  }

  /// The next event.
  ///
  /// - Throws: ``Problem`` in our words; nothing can be read after it.
  func next() throws(Problem) -> YAMLEvent {
    var event = unsafe yaml_event_t()
    guard unsafe yaml_parser_parse(parser, &event) != 0 else { throw problem() }
    defer { unsafe yaml_event_delete(&event) }
    var anchor: UnsafeMutablePointer<yaml_char_t>?
    var tag: UnsafeMutablePointer<yaml_char_t>?
    let kind: YAMLEvent.Kind
    switch unsafe event.type {
    case YAML_DOCUMENT_START_EVENT: kind = .documentStart
    case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
    case YAML_STREAM_END_EVENT: kind = .streamEnd
    case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
    case YAML_MAPPING_END_EVENT: kind = .mappingEnd
    case YAML_SEQUENCE_START_EVENT:
      kind = .sequenceStart
      unsafe anchor = event.data.sequence_start.anchor
      unsafe tag = event.data.sequence_start.tag
    case YAML_MAPPING_START_EVENT:
      kind = .mappingStart
      unsafe anchor = event.data.mapping_start.anchor
      unsafe tag = event.data.mapping_start.tag
    case YAML_SCALAR_EVENT:
      let scalar = unsafe event.data.scalar
      let value = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      let text = unsafe String(decoding: value, as: UTF8.self)
      kind = .scalar(text, isPlain: unsafe scalar.style == YAML_PLAIN_SCALAR_STYLE)
      unsafe anchor = scalar.anchor
      unsafe tag = scalar.tag
    case YAML_ALIAS_EVENT:
      kind = .alias(unsafe text(event.data.alias.anchor) ?? "")
    default: kind = .other
    }
    let hasProperties = unsafe anchor != nil || tag != nil
    return YAMLEvent(
      kind: kind,
      properties: hasProperties
        ? unsafe YAMLEvent.Properties(anchor: text(anchor), tag: text(tag)) : nil,
      start: unsafe mark(event.start_mark),
      end: unsafe mark(event.end_mark))
  }

  private func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    guard let pointer = unsafe pointer else { return nil }
    return unsafe String(cString: pointer)
  }

  private func mark(_ mark: yaml_mark_t) -> Mark {
    Mark(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }

  private func problem() -> Problem {
    let said = unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? ""
    let context = unsafe parser.pointee.context.map { unsafe String(cString: $0) } ?? ""
    return Problem(
      libyaml: said, context: context, mark: unsafe mark(parser.pointee.problem_mark),
      contextMark: unsafe mark(parser.pointee.context_mark))
  }
}

extension Problem {
  /// Says in our words what libyaml says in its own.
  fileprivate init(libyaml said: String, context: String, mark: Mark, contextMark: Mark) {
    self.init(message: "this is not YAML", mark: mark, length: 1)
    let since = "line \(contextMark.line), column \(contextMark.column)"
    switch said {
    case "found unexpected end of stream":
      self = Problem(
        message: "the quoted text that begins here is never closed", mark: contextMark, length: 1,
        hint: "close it with the same quote")
    case "did not find expected ',' or ']'":
      message = "the list that begins at \(since) is not closed"
      hint = "a comma or ] is expected here"
    case "did not find expected ',' or '}'":
      message = "the map that begins at \(since) is not closed"
      hint = "a comma or } is expected here"
    case "did not find expected key":
      message = "a key of the map that begins at \(since) is expected here"
      hint = "indent it like the keys above"
    case "did not find expected '-' indicator":
      message = "an item of the list that begins at \(since) is expected here"
      hint = "begin it with \"- \", indented like the items above"
    case "mapping values are not allowed in this context":
      message = "a \":\" is not expected here"
      hint = "quote the text if the colon is part of it, or check the indentation"
    case "could not find expected ':'":
      self = Problem(
        message: "a key without \":\"", mark: contextMark, length: 1, hint: "add \": \" and a value"
      )
    case "found character that cannot start any token":
      message = "nothing can begin with this character"
      hint = "quote the text"
    case "found a tab character that violates indentation",
      "found a tab character where an indentation space is expected":
      message = "a tab cannot indent"
      hint = "use spaces"
    case "block sequence entries are not allowed in this context":
      message = "a list cannot begin here"
      hint = "put it on a line of its own"
    case "found unknown escape character":
      message = "there is no such escape in a text in double quotes"
      hint = "write \\\\ for a backslash, or use single quotes"
    case "did not find expected hexdecimal number":
      message = "hexadecimal digits are expected after \\x, \\u and \\U"
      hint = "write \\\\ for a backslash, or use single quotes"
    case "found invalid Unicode character escape code":
      message = "there is no character of this number"
    case "found an indentation indicator equal to 0":
      message = "a number behind | or > is from 1 to 9"
      hint = "leave it out"
    case "found incompatible YAML document":
      message = "this is no version of YAML that is read"
      hint = "write %YAML 1.2, or leave the line out"
    case "did not find expected node content":
      message = "a value is expected here"
      hint = "quote the text if this is part of it"
    case "did not find expected <document start>":
      message = "a second document begins here"
      hint = "put --- before it; or indent all lines alike, if it is part of the first one"
    case _ where context.contains("tag"):
      self = Problem(
        message: "a ! at the beginning means something to YAML", mark: contextMark, length: 1,
        hint: "quote the text")
    case "did not find expected alphabetic or numeric character":
      self.mark.column = max(1, mark.column - 1)
      message = "a name of letters and digits is expected after & or *"
      hint = "quote the text if it begins with & or *"
    case "did not find expected comment or line break":
      message = "after | or > the text begins on the next line"
    case "control characters are not allowed":
      message = "this character cannot be part of a YAML file"
      hint = "remove it"
    default:
      if !context.isEmpty { hint = "it was understood since \(since)" }
    }
  }
}
