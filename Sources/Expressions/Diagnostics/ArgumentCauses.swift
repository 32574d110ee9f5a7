// R0802 to R0804: the arguments of actions.

extension Diagnostic.Cause {
  package static func argumentMissing(_ path: String, nearest: String?) -> Self {
    Self("R0802", "\"\(path)\" is missing")
      .hint(nearest.map { "did you misspell it as \"\($0)\"?" })
  }
  package static func fewArguments(_ name: String, _ count: Int) -> Self {
    Self("R0802", "\(name) has too few values: \(count)")
  }

  package static func unknownArgument(_ path: String, _ others: Alternatives) -> Self {
    Self("R0803", "unknown name \"\(path)\"")
      .hint(
        others == .names([])
          ? "no values are expected here" : others.hint("valid names", atMost: 100))
  }

  package static func argumentKind(
    _ name: String, expected: String, found: String, isDuration: Bool
  ) -> Self {
    Self("R0804", "\(name) must be \(expected), not \(found)").hint(isDuration ? durationHint : nil)
  }
  package static func argumentRange(_ name: String, _ minimum: String, _ maximum: String) -> Self {
    Self("R0804", "\(name) must be a whole number from \(minimum) to \(maximum)")
  }
  package static func argumentChoice(_ name: String, _ text: String, _ others: Alternatives) -> Self
  {
    Self("R0804", "\(name) cannot be \"\(text)\"").hint(others.hint("valid values"))
  }
  /// An error that a custom `Decodable` type has thrown.
  package static func argument(_ message: String) -> Self { Self("R0804", message) }

  package static let durationHint = "write it like 500ms, 10s, 1m30s or 2h"
}
