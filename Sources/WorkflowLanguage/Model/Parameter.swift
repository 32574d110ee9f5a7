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

    /// The name of the type in workflow files.
    public var name: String {
      switch self {
      case .string: "string"
      case .number: "number"
      case .boolean: "boolean"
      case .choice: "choice"
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

  /// Declares a parameter.
  public init(
    name: String, kind: Kind = .string, defaultValue: Value? = nil, description: String? = nil
  ) {
    self.name = name
    self.kind = kind
    self.defaultValue = defaultValue
    self.description = description
  }

  /// The possible types of the value.
  var types: ValueTypes {
    switch kind {
    case .string, .choice: .text
    case .number: .number
    case .boolean: .boolean
    }
  }

  /// Parses an argument of this parameter.
  ///
  /// - Parameter text: The argument.
  /// - Returns: The value.
  /// - Throws: ``ParameterError`` if the text is not a value of the parameter's type.
  public func value(of text: String) throws(ParameterError) -> Value {
    switch kind {
    case .string: return .text(text)
    case .number:
      guard let number = Double(text), number.isFinite else {
        throw ParameterError(.parameterNumber(name, text))
      }
      return .number(number)
    case .boolean:
      guard text == "true" || text == "false" else {
        throw ParameterError(.parameterBoolean(name, text))
      }
      return .boolean(text == "true")
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
  let kind: DiagnosticKind

  init(_ kind: DiagnosticKind) {
    self.kind = kind
  }

  /// The error as a clause without a period.
  public var description: String { printable(abridged(kind.text)) }
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
    let names = Set(parameters.map(\.name))
    for name in texts.keys.sorted() where !names.contains(name) {
      throw ParameterError(
        .unknownParameter(name, Alternatives(to: name, among: parameters.map(\.name))))
    }
    var values: [String: Value] = [:]
    for parameter in parameters {
      if let text = texts[parameter.name] {
        values[parameter.name] = try parameter.value(of: text)
      } else if let standard = parameter.defaultValue {
        values[parameter.name] = standard
      } else if !allowsMissing {
        throw ParameterError(
          .parameterNotGiven(parameter.name, description: parameter.description))
      }
    }
    return values
  }
}
