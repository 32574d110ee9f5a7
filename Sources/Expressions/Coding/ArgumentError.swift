// An error in a decoded value, with the path of the part that is invalid.

/// An error in a decoded value, such as an argument of an action.
public struct ArgumentError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The path of the value: map keys and list positions from 0.
  public let path: [String]
  package let cause: Diagnostic.Cause
  /// Whether the error concerns the last key of `path` instead of its value.
  package let isOfName: Bool

  package init(_ path: [String], _ cause: Diagnostic.Cause, isOfName: Bool = false) {
    self.path = path
    self.cause = cause
    self.isOfName = isOfName
  }

  /// The error, as a clause.
  public var message: String { printable(cause.message) }
  /// A suggestion for fixing the error.
  public var hint: String? { cause.hint.map { printable($0) } }

  /// The error and its suggestion without a period: `retries must be a whole number, not text`.
  public var description: String { message + (hint.map { "; \($0)" } ?? "") }
}

extension [String] {
  /// The path in source notation: `files[0].name`.
  var asPath: String {
    reduce(into: "") { result, part in
      if Int(part) != nil {
        result += "[\(part)]"
      } else {
        result += result.isEmpty ? part : ".\(part)"
      }
    }
  }
}
