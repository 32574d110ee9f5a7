// What a run of a workflow may be given from outside: the declarations, and how what was given is
// understood. Knows neither command lines nor files.

/// A value that a run of a workflow is given from outside.
public struct Parameter: Sendable, Equatable {
  /// What values it takes.
  public enum Kind: Sendable, Equatable {
    /// Any text.
    case string
    /// A number.
    case number
    /// `true` or `false`.
    case boolean
    /// One of some texts.
    case choice([String])

    /// What it is called in files.
    public var name: String {
      switch self {
      case .string: "string"
      case .number: "number"
      case .boolean: "boolean"
      case .choice: "choice"
      }
    }
  }

  /// Its name.
  public var name: String
  /// What values it takes.
  public var kind: Kind
  /// What it is where it is not given; nil when it has to be given.
  public var defaultValue: Value?
  /// What it is for.
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

  /// The kinds of value that it may come to.
  var types: ValueTypes {
    switch kind {
    case .string, .choice: .text
    case .number: .number
    case .boolean: .boolean
    }
  }

  /// Understands a text that was given for it.
  ///
  /// - Parameter text: What was given.
  /// - Returns: The value.
  /// - Throws: ``ParameterError`` when it is none of its kind.
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

/// What is wrong with what was given for the parameters of a workflow.
public struct ParameterError: Error, Sendable, Equatable, CustomStringConvertible {
  let kind: DiagnosticKind

  init(_ kind: DiagnosticKind) {
    self.kind = kind
  }

  /// The error as a sentence without a full stop.
  public var description: String { printable(abridged(kind.text)) }
}

/// What a run is given for the parameters of its workflow.
public struct Arguments: Sendable, Equatable {
  /// The texts by the names of the parameters.
  public var texts: [String: String]
  /// Whether parameters without a value are left open, as when a file is only checked.
  public var leavesOpen: Bool
  /// What starts the run.
  public var trigger: Trigger

  /// Gives values for parameters.
  ///
  /// - Parameters:
  ///   - texts: What is given, by the names of the parameters.
  ///   - leavesOpen: Whether parameters that must be given may be left out: what depends on them is then
  ///     checked as far as it can be.
  ///   - trigger: What starts the run.
  public init(
    _ texts: [String: String] = [:], leavesOpen: Bool = false,
    trigger: Trigger = Trigger(.manual, time: "")
  ) {
    self.texts = texts
    self.leavesOpen = leavesOpen
    self.trigger = trigger
  }

  /// The values of all parameters.
  ///
  /// - Parameter parameters: The declarations.
  /// - Returns: The values by name; those that are left open are missing.
  /// - Throws: ``ParameterError`` for the first thing that is wrong.
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
      } else if !leavesOpen {
        throw ParameterError(
          .parameterNotGiven(parameter.name, description: parameter.description))
      }
    }
    return values
  }
}
