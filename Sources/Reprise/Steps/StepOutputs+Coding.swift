// What steps leave for one another, as values of Swift: texts by name on one side, types on the other. Pure.

import WorkflowLanguage

extension StepOutputs {
  /// The name of the output of a step that leaves one value and not several by name.
  static var soleName: String { "value" }

  /// Writes down what a step leaves.
  ///
  /// - Parameter output: A value; one that is encoded as a map becomes an output for each name, with lists and
  ///   maps in it as JSON; nothing becomes none; any other value the output `value`.
  /// - Throws: What the value throws.
  init(encoding output: some Encodable) throws {
    // Named in full: to a dictionary, `Value` is something else.
    switch try WorkflowLanguage.Value(encoding: output) {
    case .map(let values): self = values.mapValues(\.asText)
    case .null: self = [:]
    case let value: self = [Self.soleName: value.asText]
    }
  }

  /// Writes down what a closure returns: nothing for `Void`, nor for the `Void?` of `try?`.
  ///
  /// - Throws: ``FailureReason`` for any other value that cannot be encoded; what the value throws.
  init<Output>(returned output: Output) throws {
    if output is Void || output is Void? {
      self = [:]
    } else if let output = output as? any Encodable {
      try self.init(encoding: output)
    } else {
      throw FailureReason.badValue(
        "the closure returns \(Output.self), which is not Encodable, so no step could read it: make it "
          + "`Encodable` (and `nonisolated` where the default isolation is the main actor), or return nothing"
      )
    }
  }

  /// Reads what a step has left.
  ///
  /// - Throws: ``ArgumentMistake``.
  func decoded<T: Decodable>(as type: T.Type) throws(ArgumentMistake) -> T {
    let map = mapValues { ArgumentValue(.text($0)) }
    do throws(ArgumentMistake) {
      if let value = try T.decoded(from: map, allowsOthers: true) { return value }
    } catch {
      guard count == 1, let sole = self[Self.soleName] else { throw error }
      if let value = try T.decoded(from: ArgumentValue(.text(sole))) { return value }
    }
    preconditionFailure("BUG: a value that is known was taken for an unknown one")
  }
}
