// R0602 to R0604: the values of parameters.

extension Diagnostic.Cause {
  package static func parameterNumber(_ name: String, _ text: String) -> Self {
    Self("R0602", "the parameter \"\(name)\" must be a number, not \"\(text)\"")
  }
  package static func parameterBoolean(_ name: String, _ text: String) -> Self {
    Self("R0602", "the parameter \"\(name)\" must be true or false, not \"\(text)\"")
  }
  package static func parameterChoice(_ name: String, _ text: String, _ options: Alternatives)
    -> Self
  {
    Self(
      "R0602",
      "the parameter \"\(name)\" cannot be \"\(text)\"; \(options.hint("valid values") ?? "")")
  }
  package static func parameterKind(_ name: String, expected: String, _ text: String) -> Self {
    let examples = [
      "a list in JSON": "write it like: [\"a\", \"b\"]",
      "a map in JSON": "write it like: {\"a\": 1}",
    ]
    return Self("R0602", "the parameter \"\(name)\" must be \(expected), not \"\(text)\"")
      .hint(examples[expected])
  }
  package static func parameterLimit(_ name: String, expected: String, _ text: String) -> Self {
    Self("R0602", "the parameter \"\(name)\" must \(expected), not \"\(text)\"")
  }
  package static func parameterPattern(_ name: String, _ pattern: String, _ text: String) -> Self {
    Self("R0602", "the parameter \"\(name)\" must match \(pattern), and \"\(text)\" does not")
  }
  package static func parameterType(
    _ name: String, expected: ValueTypes, _ found: ValueTypes
  ) -> Self {
    Self("R0602", "the parameter \"\(name)\" must be \(expected.name), not \(found.name)")
  }

  package static func unknownParameter(_ name: String, _ others: Alternatives) -> Self {
    let rest = others == .names([]) ? "the workflow has no parameters" : others.hint() ?? ""
    return Self("R0603", "there is no parameter \"\(name)\"; \(rest)")
  }

  package static func parameterNotGiven(_ name: String, description: String?) -> Self {
    Self("R0604", "the parameter \"\(name)\" is required" + (description.map { "  (\($0))" } ?? ""))
      .hint("give it: -p \(name)=…")
  }
}
