// Encodes and decodes Swift values as step outputs: strings by name.

import Workflows

extension StepOutputs {
  /// The name of the output of a step that returns a single value instead of a map.
  static var soleName: String { "value" }

  /// Encodes a Swift value as outputs.
  ///
  /// - Parameter output: The value. If it is encoded as a map, each key becomes an output, with
  ///   nested lists and maps as JSON; nil becomes no output; any other value the output `value`.
  /// - Throws: The error of the value's encoding.
  package init(encoding output: some Encodable) throws {
    // Qualified: in an extension of a dictionary, `Value` is the dictionary's own type.
    switch try Workflows.Value(encoding: output) {
    case .map(let values): self = values.mapValues(\.asText)
    case .null: self = [:]
    case let value: self = [Self.soleName: value.asText]
    }
  }

  /// Encodes the result of a closure; `Void`, and the `Void?` of `try?`, become no outputs.
  ///
  /// - Throws: ``FailureReason`` if the result is not `Encodable`, for which its type was a protocol;
  ///   otherwise the error of its encoding.
  init<Output>(returned output: Output) throws {
    if output is Void || output is Void? {
      self = [:]
    } else if let output = output as? any Encodable {
      try self.init(encoding: output)
    } else {
      let problem = Workflows.Value.problem(ofResults: type(of: output as Any))
      throw FailureReason.badValue(problem?.message ?? "the result cannot be encoded")
    }
  }

  /// Decodes the outputs of a step.
  ///
  /// - Throws: ``ArgumentError`` if they do not match the type.
  func decoded<T: Decodable>(as type: T.Type) throws(ArgumentError) -> T {
    if isEmpty, let optional = T.self as? any ExpressibleByNilLiteral.Type,
      let nothing = optional.init(nilLiteral: ()) as? T
    {
      return nothing
    }
    let map = mapValues { ArgumentValue(.text($0)) }
    do throws(ArgumentError) {
      if let value = try T.decoded(from: map, areOutputs: true) { return value }
    } catch {
      guard count == 1, let sole = self[Self.soleName] else { throw error }
      let value = ArgumentValue(.text(sole))
      if let value = try T.decoded(from: value, areOutputs: true) { return value }
    }
    preconditionFailure("BUG: a known value was decoded as unknown")
  }
}
