// What is wrong with a value that an action is given, and where in it. Plain values.

/// What is wrong with the values that something was to be made of.
public struct ArgumentMistake: Error, Sendable, Equatable, CustomStringConvertible {
  /// The way to the value: names of maps and positions in lists, from 0.
  public let path: [String]
  let kind: DiagnosticKind
  /// Whether the name is meant that the path ends with, and not its value.
  let isOfName: Bool

  init(_ path: [String], _ kind: DiagnosticKind, isOfName: Bool = false) {
    self.path = path
    self.kind = kind
    self.isOfName = isOfName
  }

  /// What is wrong, as a clause.
  public var message: String { printable(kind.text) }
  /// How to fix it.
  public var hint: String? { kind.hint.map { printable($0) } }

  /// The mistake as a sentence without a full stop, such as `retries is a whole number, not a text`.
  public var description: String { message + (hint.map { "; \($0)" } ?? "") }
}

extension [String] {
  /// A path as people write it: `files[0].name`.
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
