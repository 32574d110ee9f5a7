// The names of steps for displays.

extension RunState {
  /// Returns the text by which displays refer to a step: its name, or else its id.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: The name; the id for a step without a name, and for one that the run does not have.
  public func name(of id: String) -> String {
    position(ofStep: id).flatMap { plan?.steps[$0].name } ?? id
  }

  /// Returns the name of a step and, in parentheses, its id or label.
  ///
  /// For displays whose readers need the id for a command.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: Such as `Build all (build)` or `build[0] (linux)`.
  public func title(of id: String) -> String {
    guard let position = position(ofStep: id), let step = plan?.steps[position] else { return id }
    if let name = step.name { return "\(name) (\(id))" }
    return id + (step.label.map { " (\($0))" } ?? "")
  }
}
