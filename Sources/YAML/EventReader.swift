// Wraps the event parser of libyaml. No other file calls libyaml.

import CYaml

/// A parser event.
struct YAMLEvent {
  enum Kind {
    case documentStart, documentEnd, streamEnd, sequenceStart, sequenceEnd, mappingStart, mappingEnd
    case scalar(String, isPlain: Bool)
    case alias(String)
    case other
  }

  /// The anchor and tag of a value.
  final class Properties {
    let anchor: String?
    /// The tag: `!x`, or the full form for a YAML tag, such as `tag:yaml.org,2002:str` for `!!str`.
    let tag: String?

    init(anchor: String?, tag: String?) {
      self.anchor = anchor
      self.tag = tag
    }
  }

  let kind: Kind
  // A class, to save memory: most values have neither anchor nor tag.
  let properties: Properties?
  let start: Mark
  let end: Mark
}

/// Reads the parser events of a text.
@safe final class EventReader {
  private let parser: UnsafeMutablePointer<yaml_parser_t>

  /// - Parameter bytes: Well-formed UTF-8, which must stay valid until the last call of `next()`.
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

  /// Returns the next event.
  ///
  /// - Throws: ``Problem``, after which `next()` must not be called again.
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
  /// Maps an error message of libyaml to a problem.
  fileprivate init(libyaml said: String, context: String, mark: Mark, contextMark: Mark) {
    let kind: Kind
    var mark = mark
    switch said {
    case "found unexpected end of stream": (kind, mark) = (.unclosedQuote, contextMark)
    case "did not find expected ',' or ']'":
      kind = .unclosed(.list, since: contextMark, found: .other)
    case "did not find expected ',' or '}'":
      kind = .unclosed(.map, since: contextMark, found: .other)
    case "did not find expected key": kind = .keyExpected(since: contextMark)
    case "did not find expected '-' indicator": kind = .itemExpected(since: contextMark)
    case "mapping values are not allowed in this context": kind = .colon(key: nil, above: nil)
    case "could not find expected ':'": (kind, mark) = (.keyWithoutColon, contextMark)
    case "found character that cannot start any token": kind = .characterAtStart
    case "found a tab character that violates indentation",
      "found a tab character where an indentation space is expected":
      kind = .tab(mayBeginValue: false)
    case "block sequence entries are not allowed in this context": kind = .listHere
    case "found unknown escape character": kind = .escape(.unknown)
    case "did not find expected hexdecimal number": kind = .escape(.digits)
    case "found invalid Unicode character escape code": kind = .escape(.number)
    case "found an indentation indicator equal to 0": kind = .blockIndentation
    case "found incompatible YAML document": kind = .version
    case "did not find expected node content": kind = .valueExpected
    case "did not find expected <document start>": kind = .secondDocument(isMarked: false)
    case _ where context.contains("tag"): (kind, mark) = (.foreignTag, contextMark)
    case "did not find expected alphabetic or numeric character":
      kind = .anchorName
      mark.column = max(1, mark.column - 1)
    case "did not find expected comment or line break": kind = .blockOnSameLine
    case "control characters are not allowed": kind = .character(nil)
    default: kind = .notYAML(since: context.isEmpty ? nil : contextMark)
    }
    self.init(kind: kind, mark: mark, length: 1)
  }
}
