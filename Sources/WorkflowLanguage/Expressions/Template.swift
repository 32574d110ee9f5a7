// A text with expressions in it, as files have them: `v${{ params.version }}`. Knows no files.

/// A text in which expressions may stand.
///
/// A template that is one expression and nothing else keeps the kind of its value; any other comes to a
/// text. A text without `${{` is a template of itself.
public struct Template: Sendable, Equatable, ExpressibleByStringLiteral {
  enum Part: Sendable, Equatable {
    case text(String)
    /// With the position of its text in the whole, in characters.
    case expression(Expression, offset: Int)
  }

  /// The text as it was written.
  public let source: String
  /// Empty for a text without expressions.
  let parts: [Part]

  /// Makes a template that is a plain text, whatever stands in it.
  ///
  /// - Parameter text: The text.
  public init(text: String) {
    source = text
    parts = []
  }

  /// Makes a template that is a plain text.
  public init(stringLiteral text: String) {
    self.init(text: text)
  }

  /// Reads a text with expressions.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - isExpression: Whether a text without `${{` is an expression itself, as in `if`.
  /// - Throws: ``ExpressionMistake`` with a range in the text.
  init(parsing source: String, isExpression: Bool = false) throws(ExpressionMistake) {
    self.source = source
    guard source.hasExpression else {
      parts =
        isExpression
        ? [.expression(try ExpressionParser.expression(in: source), offset: 0)] : []
      return
    }
    parts = try Self.parts(of: source)
  }

  private static func parts(of source: String) throws(ExpressionMistake) -> [Part] {
    var parts: [Part] = []
    let bracket: [Unicode.Scalar] = ["$", "{", "{"]
    let scalars = Array(source.unicodeScalars)
    var position = 0
    var textStart = 0
    while position < scalars.count {
      guard scalars[position] == "$", scalars[position...].starts(with: bracket) else {
        position += 1
        continue
      }
      if position > textStart { parts.append(.text(String(scalars[textStart..<position]))) }
      let start = position + 3
      guard let end = Self.end(of: scalars, from: start) else {
        // Behind an open quote no bracket counts.
        let quotes = scalars.indices[start...].filter { scalars[$0] == "'" }
        if quotes.count % 2 == 1, let open = quotes.last {
          throw ExpressionMistake(.unclosedText(isInTemplate: true), open..<open + 1)
        }
        throw ExpressionMistake(.unclosedExpression, position..<start)
      }
      do throws(ExpressionMistake) {
        parts.append(
          .expression(try ExpressionParser.expression(in: scalars[start..<end]), offset: start))
      } catch {
        throw error.moved(by: start)
      }
      position = end + 2
      textStart = position
    }
    if textStart < scalars.count { parts.append(.text(String(scalars[textStart...]))) }
    return parts
  }

  /// Where an expression ends: at `}}` outside of a text in quotes.
  private static func end(of scalars: [Unicode.Scalar], from start: Int) -> Int? {
    var isInText = false
    var position = start
    while position < scalars.count {
      if scalars[position] == "'" { isInText.toggle() }
      if !isInText, scalars[position] == "}", scalars[(position + 1)...].first == "}" {
        return position
      }
      position += 1
    }
    return nil
  }

  /// Whether it is a plain text.
  public var isPlain: Bool { parts.isEmpty }

  /// The expressions, each with its position in the whole.
  var expressions: [(expression: Expression, offset: Int)] {
    parts.compactMap { part in
      if case .expression(let expression, let offset) = part { (expression, offset) } else { nil }
    }
  }

  /// Whether it asks how the steps before have ended.
  var asksForStatus: Bool { expressions.contains { $0.expression.asksForStatus } }

  /// The kinds of value that it may come to.
  ///
  /// - Throws: ``ExpressionMistake`` with a range in the whole text.
  func types(in scope: ExpressionScope) throws(ExpressionMistake) -> ValueTypes {
    var last: ValueTypes = .text
    for (expression, offset) in expressions {
      do throws(ExpressionMistake) {
        last = try expression.types(in: scope)
        if parts.count > 1, last == .list || last == .map {
          throw ExpressionMistake(.notPartOfText(last), expression.range)
        }
      } catch {
        throw error.moved(by: offset)
      }
    }
    return parts.count == 1 ? last : .text
  }

  /// Computes the value.
  ///
  /// - Throws: ``EvaluationError`` with a range in the whole text.
  func value(from source: some ValueSource) throws(EvaluationError) -> Value {
    guard !parts.isEmpty else { return .text(self.source) }
    var result = ""
    for part in parts {
      switch part {
      case .text(let text): result += text
      case .expression(let expression, let offset):
        do throws(EvaluationError) {
          let value = try expression.value(from: source)
          if parts.count == 1 { return value }
          let text = value.asText
          guard source.budget.spend(text.utf8.count),
            result.utf8.count + text.utf8.count <= EvaluationBudget.valueBytesMax
          else { throw expression.mistake(.largeValue) }
          result += text
        } catch {
          switch error {
          case .mistake(let mistake): throw .mistake(mistake.moved(by: offset))
          case .missingOutput(let mistake): throw .missingOutput(mistake.moved(by: offset))
          case .unknown: throw error
          }
        }
      }
    }
    return .text(result)
  }
}

extension ExpressionMistake {
  /// The mistake in a text of which the expression is a part.
  func moved(by offset: Int) -> ExpressionMistake {
    ExpressionMistake(kind, range.lowerBound + offset..<range.upperBound + offset)
  }
}

extension String {
  /// Makes a text of characters.
  init(_ scalars: ArraySlice<Unicode.Scalar>) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(scalars.count)
    for scalar in scalars {
      bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
    self.init(decoding: bytes, as: UTF8.self)
  }

  /// Whether it is written with the same bytes, and not only equal.
  func hasSameBytes(as other: String) -> Bool {
    var (own, other) = (self, other)
    return own.withUTF8 { own in other.withUTF8 { own.elementsEqual($0) } }
  }

  /// Whether an expression begins in it.
  var hasExpression: Bool {
    var text = self
    return text.withUTF8 { bytes in
      var matched = 0
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "$"): matched = 1
        case UInt8(ascii: "{") where matched > 0:
          matched += 1
          if matched == 3 { return true }
        default: matched = 0
        }
      }
      return false
    }
  }
}
