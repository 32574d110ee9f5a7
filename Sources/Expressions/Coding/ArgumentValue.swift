// The value of an argument of an action, as far as it is known before a run.

/// The value of an argument, as far as it is known.
package indirect enum ArgumentValue: Sendable, Equatable {
  /// A scalar: its value and its source text.
  case scalar(Value, text: String)
  case list([ArgumentValue])
  case map([String: ArgumentValue])
  /// A value that is known only when the step starts.
  case unknown

  /// Creates an argument from a computed value.
  package init(_ value: Value) {
    switch value {
    case .list(let values): self = .list(values.map(ArgumentValue.init))
    case .map(let values): self = .map(values.mapValues(ArgumentValue.init))
    case .null, .boolean, .number, .digits, .text: self = .scalar(value, text: value.asText)
    }
  }

  /// The value; unknown parts are null.
  package var value: Value {
    switch self {
    case .scalar(let value, _): value
    case .list(let values): .list(values.map(\.value))
    case .map(let values): .map(values.mapValues(\.value))
    case .unknown: .null
    }
  }

  /// A short description of the value for messages.
  ///
  /// Never shows part of a text: the masker would not recognize part of a secret.
  var shown: String {
    switch self {
    case .scalar(.text, let text) where text.utf8.count <= 60: "\"\(text)\""
    case .scalar(.number, let text), .scalar(.boolean, let text): text
    case .scalar, .list, .map, .unknown: kindName
    }
  }

  /// The kind of the value, for messages.
  var kindName: String {
    switch self {
    case .scalar(let value, _): value.types.name
    case .list: "a list"
    case .map: "a map"
    case .unknown: "any value"
    }
  }
}
