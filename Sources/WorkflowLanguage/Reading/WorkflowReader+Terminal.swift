// Reports what a step that owns the terminal cannot be combined with.

extension WorkflowReader {
  /// Reports keys of a step that owns the terminal, where it must be the only one to run its work, here.
  @inline(never)
  mutating func refuseOfTerminal(
    _ fields: Fields, runner: RunnerChoice?, _ context: Context
  ) {
    var others = ["share", "survive"].filter { fields.key($0) != nil }
    if runner != nil, others.isEmpty { others = ["runner"] }
    for other in others {
      readers[context.file].report(
        .exclusive(other, "terminal", in: "a step"), at: fields.key("terminal") ?? fields.node)
    }
  }
}
