// R0522: values that an expression cannot have.

extension Diagnostic.Cause {
  package static func notKnownBeforeRun(_ root: Expression.Root) -> Self {
    let isOfItem = [.item, .index, .matrix].contains(root)
    return Self("R0522", "\"\(root.rawValue)\" is not known before the run starts")
      .hint(
        isOfItem
          ? "a step computes the items during the run; they can be used in env, exec, dir, if and "
            + "with" : nil)
  }
  package static func parameterBeforeRun(_ name: String, _ what: String) -> Self {
    Self(
      "R0522", "\(what) must be known before the run starts, but \"\(name)\" is computed by a step"
    )
    .hint("pass a fixed value in \"with\"")
  }
  package static let hashBeforeRun = Self("R0522", "files cannot be hashed before the run starts")
    .hint("use it in env or in cache.key")
  package static let filesBeforeRun = Self("R0522", "files cannot be listed before the run starts")
    .hint("use it in env or in cache.key")
  /// The folder of the run, with the reason why it could not be created.
  package static func noRunDirectory(_ problem: String?) -> Self {
    problem.map { Self("R0522", "the folder of the run cannot be created: \($0)") }
      ?? Self("R0522", "this engine keeps no folder for its runs")
      .hint("set \"runFolders\" of the engine")
  }
  package static func noItemMember(_ name: String, _ types: ValueTypes) -> Self {
    Self("R0522", "the item has no \"\(name)\": it is \(types.name)")
  }
  package static func noParameter(_ name: String) -> Self {
    Self("R0522", "there is no parameter \"\(name)\"")
  }
  package static func noValue(ofParameter name: String) -> Self {
    Self("R0522", "the parameter \"\(name)\" has no value")
  }
  package static func notText(variable: String) -> Self {
    Self("R0522", "the value of the variable \"\(variable)\" is not valid UTF-8")
      .hint("read it in the step itself")
  }
  package static let nulInValue = Self(
    "R0522",
    "the value contains a NUL character, which cannot be passed to a program")
  package static func noSecret(_ name: String) -> Self {
    Self("R0522", "the secret \"\(name)\" is not known")
  }
  package static func notWritten(_ name: String, written names: [String]) -> Self {
    Self("R0522", "the step has not written an output \"\(name)\"")
      .hint(
        names.isEmpty
          ? "it has not written any" : "it has written: " + names.joined(separator: ", "))
  }
  package static func notInRun(_ step: String) -> Self {
    Self("R0522", "the step \"\(step)\" is not part of this run")
  }
  /// An error of the source of the value, with its message.
  package static func failed(_ message: String) -> Self { Self("R0522", message) }
}
