// The parameters of a workflow and the parsing of their arguments.

/// A value that the caller passes to a run.
public struct Parameter: Sendable, Equatable {
  /// The type of a parameter.
  public enum Kind: Sendable, Equatable {
    /// Any text.
    case string
    /// A number.
    case number
    /// `true` or `false`.
    case boolean
    /// One of several texts.
    case choice([String])
    /// A whole number.
    case integer
    /// A list, written as JSON.
    case list
    /// A map, written as JSON.
    case map

    /// The name of the type in workflow files.
    public var name: String {
      switch self {
      case .string: "string"
      case .number: "number"
      case .boolean: "boolean"
      case .choice: "choice"
      case .integer: "integer"
      case .list: "list"
      case .map: "map"
      }
    }
  }

  /// The name of the parameter.
  public var name: String
  /// The type of the parameter.
  public var kind: Kind
  /// The default value; nil if an argument is required.
  public var defaultValue: Value?
  /// A description for users.
  public var description: String?
  /// The limits of its values.
  public var limits: Limits

  /// Declares a parameter.
  public init(
    name: String, kind: Kind = .string, defaultValue: Value? = nil, description: String? = nil,
    limits: Limits = Limits()
  ) {
    self.name = name
    self.kind = kind
    self.defaultValue = defaultValue
    self.description = description
    self.limits = limits
  }

  /// The possible types of the value.
  package var types: ValueTypes {
    switch kind {
    case .string, .choice: .text
    case .number, .integer: .number
    case .boolean: .boolean
    case .list: .list
    case .map: .map
    }
  }

  /// Parses an argument of this parameter.
  ///
  /// - Parameter text: The argument.
  /// - Returns: The value.
  /// - Throws: ``ParameterError`` if the text is not a value of the parameter's type.
  public func value(of text: String) throws(ParameterError) -> Value {
    try checked(try typedValue(of: text))
  }

  private func typedValue(of text: String) throws(ParameterError) -> Value {
    switch kind {
    case .string: return .text(text)
    case .number:
      guard let number = Double(text), number.isFinite else {
        throw ParameterError(.parameterNumber(name, text))
      }
      return Value.number(text, number)
    case .boolean:
      guard text == "true" || text == "false" else {
        throw ParameterError(.parameterBoolean(name, text))
      }
      return .boolean(text == "true")
    case .integer:
      // From 2^53 on, only digits are exact.
      guard let number = Double(text), number == number.rounded(), number.isFinite,
        abs(number) < 0x1p53 || Value.number(text, number) == .digits(text)
      else { throw ParameterError(.parameterKind(name, expected: "a whole number", text)) }
      return Value.number(text, number)
    case .list:
      guard case .list(let values)? = try? Value(json: text) else {
        throw ParameterError(.parameterKind(name, expected: "a list in JSON", text))
      }
      return .list(values)
    case .map:
      guard case .map(let values)? = try? Value(json: text) else {
        throw ParameterError(.parameterKind(name, expected: "a map in JSON", text))
      }
      return .map(values)
    case .choice(let options):
      guard options.contains(text) else {
        throw ParameterError(
          .parameterChoice(name, text, Alternatives(to: text, among: options)))
      }
      return .text(text)
    }
  }
}

/// An error in the arguments of a workflow.
public struct ParameterError: Error, Sendable, Equatable, CustomStringConvertible {
  package let cause: Diagnostic.Cause

  init(_ cause: Diagnostic.Cause) {
    self.cause = cause
  }

  /// The error as a clause without a period.
  public var description: String {
    // The other messages do not need their hints on the command line.
    let hint = cause.code == "R0604" ? cause.hint : nil
    return printable(abridged(cause.message + (hint.map { "; \($0)" } ?? "")))
  }
}

/// The arguments of a run.
public struct Arguments: Sendable, Equatable {
  /// The arguments by parameter name.
  public var texts: [String: String]
  /// Whether required parameters may be missing, as when a file is only validated.
  public var allowsMissing: Bool
  /// The event that starts the run.
  public var trigger: Trigger
  /// Arguments without a name: `args` in expressions.
  public var others: [String]
  /// Whether the run stays up until it is stopped, as with `until: stopped` in the file.
  package var staysUp = false

  /// Creates arguments.
  ///
  /// - Parameters:
  ///   - texts: The arguments by parameter name.
  ///   - allowsMissing: Whether required parameters may be missing. Expressions that use them are
  ///     checked as far as possible.
  ///   - trigger: The event that starts the run.
  ///   - others: Arguments without a name: `args` in expressions.
  public init(
    _ texts: [String: String] = [:], allowsMissing: Bool = false,
    trigger: Trigger = Trigger(.manual, time: ""), others: [String] = []
  ) {
    self.texts = texts
    self.allowsMissing = allowsMissing
    self.trigger = trigger
    self.others = others
  }

  /// Returns the values of all parameters.
  ///
  /// - Parameter parameters: The declarations.
  /// - Returns: The values by name. Parameters without a value are omitted; they are errors unless
  ///   ``allowsMissing`` is set.
  /// - Throws: ``ParameterError`` for the first error.
  func values(for parameters: [Parameter]) throws(ParameterError) -> [String: Value] {
    try checkNames(parameters)
    var values: [String: Value] = [:]
    for parameter in parameters { values[parameter.name] = try value(of: parameter) }
    return values
  }

  /// Checks that there is no argument without a parameter.
  package func checkNames(_ parameters: [Parameter]) throws(ParameterError) {
    let names = Set(parameters.map(\.name))
    for name in texts.keys.sorted() where !names.contains(name) {
      throw ParameterError(
        .unknownParameter(name, Alternatives(to: name, among: parameters.map(\.name))))
    }
  }

  /// Returns the value of a parameter; nil if there is none and ``allowsMissing`` is set.
  package func value(of parameter: Parameter) throws(ParameterError) -> Value? {
    if let text = texts[parameter.name] { return try parameter.value(of: text) }
    guard parameter.defaultValue == nil, !allowsMissing else { return parameter.defaultValue }
    throw ParameterError(.parameterNotGiven(parameter.name, description: parameter.description))
  }
}
