// Texts with embedded expressions, such as `v${{ params.version }}`.

/// A text that may contain expressions.
///
/// A template that consists of a single expression keeps the type of its value; any other evaluates
/// to text. A text without `${{` evaluates to itself.
package struct Template: Sendable, Equatable, ExpressibleByStringLiteral {
  package enum Part: Sendable, Equatable {
    case text(String)
    /// An expression, with the offset of its text in the template, in Unicode scalars.
    case expression(Expression, offset: Int)
  }

  /// The source text.
  package let source: String
  /// The parts; empty if the text contains no expressions.
  package let parts: [Part]

  /// Whether it consists of the expression `args`.
  package var isArguments: Bool {
    guard parts.count == 1, case .expression(let expression, _) = parts[0] else { return false }
    return expression.kind == .root(.args)
  }

  /// Creates a template of literal text, even if it contains `${{`.
  ///
  /// - Parameter text: The text.
  package init(text: String) {
    source = text
    parts = []
  }

  /// Creates a template of one expression.
  ///
  /// - Parameters:
  ///   - expression: The expression.
  ///   - source: Its text.
  package init(_ expression: Expression, source: String) {
    self.source = source
    parts = [.expression(expression, offset: 0)]
  }

  /// Creates a template of literal text.
  package init(stringLiteral text: String) {
    self.init(text: text)
  }

  /// Parses a text with expressions.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - isExpression: Whether a text without `${{` is itself an expression, as in `if`.
  /// - Throws: ``ExpressionError`` with a range in the text.
  package init(parsing source: String, isExpression: Bool = false) throws(ExpressionError) {
    self.source = source
    guard source.hasExpression else {
      parts =
        isExpression
        ? [.expression(try ExpressionParser.expression(in: source), offset: 0)] : []
      return
    }
    parts = try Self.parts(of: source)
  }

  private static func parts(of source: String) throws(ExpressionError) -> [Part] {
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
        // After an opening quote, `}}` is part of the string.
        let quotes = scalars.indices[start...].filter { scalars[$0] == "'" }
        if quotes.count % 2 == 1, let open = quotes.last {
          throw ExpressionError(.unclosedText(isInTemplate: true), open..<open + 1)
        }
        throw ExpressionError(.unclosedExpression, position..<start)
      }
      do throws(ExpressionError) {
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

  /// Returns the end of an expression: the first `}}` outside quotes.
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

  /// Whether it contains no expressions.
  package var isPlain: Bool { parts.isEmpty }

  /// The expressions with their offsets in the template.
  package var expressions: [(expression: Expression, offset: Int)] {
    parts.compactMap { part in
      if case .expression(let expression, let offset) = part { (expression, offset) } else { nil }
    }
  }

  /// Whether it tests the status of the previous steps.
  package var testsStatus: Bool { expressions.contains { $0.expression.testsStatus } }

  /// Returns the possible types of the value.
  ///
  /// - Throws: ``ExpressionError`` with a range in the template.
  package func types(in scope: ExpressionScope) throws(ExpressionError) -> ValueTypes {
    var last: ValueTypes = .text
    for (expression, offset) in expressions {
      do throws(ExpressionError) {
        last = try expression.types(in: scope)
        if parts.count > 1, last == .list || last == .map {
          throw ExpressionError(.notPartOfText(last), expression.range)
        }
      } catch {
        throw error.moved(by: offset)
      }
    }
    return parts.count == 1 ? last : .text
  }

  /// Evaluates the template.
  ///
  /// - Throws: ``EvaluationError`` with a range in the template.
  package func value(from source: some ValueSource) throws(EvaluationError) -> Value {
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
          else { throw expression.error(.largeValue) }
          result += text
        } catch {
          throw error.moved(by: offset)
        }
      }
    }
    return .text(result)
  }

  /// Whether it refers to a name.
  package func refers(to root: Expression.Root) -> Bool {
    expressions.contains { $0.expression.refers(to: root) }
  }

  /// Returns the template with all values that do not refer to a name.
  ///
  /// - Parameters:
  ///   - source: The values of the other names.
  ///   - root: The name that is left.
  /// - Returns: The template.
  /// - Throws: ``EvaluationError`` with a range in the template.
  package func settled(
    from source: some ValueSource, leaving root: Expression.Root
  ) throws(EvaluationError) -> Template {
    var settled: [Part] = []
    for part in parts {
      guard case .expression(let expression, let offset) = part else {
        settled.append(part)
        continue
      }
      do throws(EvaluationError) {
        settled.append(
          .expression(try expression.settled(from: source, leaving: root), offset: offset))
      } catch {
        throw error.moved(by: offset)
      }
    }
    return Template(source: self.source, parts: settled)
  }

  private init(source: String, parts: [Part]) { (self.source, self.parts) = (source, parts) }

  /// Evaluates the template as a path pattern: each value that it inserts matches itself.
  ///
  /// - Throws: ``EvaluationError`` with a range in the template.
  package func pattern(from source: some ValueSource) throws(EvaluationError) -> String {
    guard !parts.isEmpty else { return self.source }
    var pattern = ""
    for part in parts {
      switch part {
      case .text(let text): pattern += text
      case .expression(let expression, let offset):
        do throws(EvaluationError) {
          pattern += try expression.pattern(from: source)
        } catch {
          throw error.moved(by: offset)
        }
      }
    }
    return pattern
  }
}

extension EvaluationError {
  /// Returns the error with its range moved from the expression's text to the template.
  fileprivate func moved(by offset: Int) -> EvaluationError {
    switch self {
    case .invalid(let error): .invalid(error.moved(by: offset))
    case .missingOutput(let error): .missingOutput(error.moved(by: offset))
    case .unknown: self
    }
  }
}

extension ExpressionError {
  /// Returns the error with its range moved from the expression's text to the template.
  package func moved(by offset: Int) -> ExpressionError {
    ExpressionError(cause, range.lowerBound + offset..<range.upperBound + offset)
  }
}

extension String {
  /// Creates a text from Unicode scalars.
  package init(_ scalars: ArraySlice<Unicode.Scalar>) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(scalars.count)
    for scalar in scalars {
      bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
    self.init(decoding: bytes, as: UTF8.self)
  }

  /// Returns whether both have the same UTF-8 bytes, instead of being canonically equivalent.
  package func hasSameBytes(as other: String) -> Bool {
    var (own, other) = (self, other)
    return own.withUTF8 { own in other.withUTF8 { own.elementsEqual($0) } }
  }

  /// Whether it contains the start of an expression.
  package var hasExpression: Bool {
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
