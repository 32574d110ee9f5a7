// Whether a type can be the result of a step, which is known before the step has its effect.

extension Value {
  /// Returns why no value of a type can be encoded as the result of a step.
  ///
  /// - Parameter type: The type of the results of a closure or an action.
  /// - Returns: The reason; nil for a type that is `Encodable`, for `Void`, and for a protocol, whose
  ///   values tell only when they are there.
  package static func problem(ofResults type: Any.Type) -> Diagnostic.Cause? {
    if let optional = type as? any AnyOptional.Type {
      return problem(ofResults: optional.wrapped)
    }
    // The type of a protocol's type is printed as P.Protocol; of all others, as T.Type.
    let isProtocol = "\(Swift.type(of: type as Any))".hasSuffix(".Protocol")
    guard type != Void.self, !(type is any Encodable.Type), !isProtocol else { return nil }
    return Diagnostic.Cause(
      "R0810", "a result of \(type) cannot be encoded, so no other step could read it"
    )
    .hint(
      "make it \"Encodable\" (and \"nonisolated\" where the default isolation is the main actor), or "
        + "return nothing: a closure of one expression returns its value, except after \"_ =\"")
  }
}

private protocol AnyOptional {
  static var wrapped: Any.Type { get }
}

extension Optional: AnyOptional {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
}
