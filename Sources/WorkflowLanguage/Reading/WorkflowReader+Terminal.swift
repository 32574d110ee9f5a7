// Reads `terminal`, which gives the terminal to a step.

extension WorkflowReader {
  /// Reads whether a step owns the terminal, and reports keys that it cannot be combined with.
  ///
  /// - Parameters:
  ///   - fields: The keys of the step.
  ///   - runner: Where the step runs; nil for a process on this machine.
  ///   - context: The inherited settings.
  /// - Returns: Whether it owns the terminal.
  @inline(never)
  mutating func readTerminal(
    _ fields: Fields, runner: RunnerChoice?, _ context: Context
  ) -> Bool {
    guard let node = fields["terminal"], boolean(node, "terminal", context) == true else {
      return false
    }
    var others = ["share", "survive"].filter { fields.key($0) != nil }
    if runner != nil, others.isEmpty { others = ["runner"] }
    for other in others {
      readers[context.file].report(
        .exclusive(other, "terminal", in: "a step"), at: fields.key("terminal") ?? node)
    }
    return true
  }
}
