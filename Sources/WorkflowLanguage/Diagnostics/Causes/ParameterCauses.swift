// R06: parameters and secrets.

extension Diagnostic.Cause {
  static let requiredWithDefault = Self("R0601", "a required parameter cannot have a default")
    .hint("remove one of the two")
  static func optionalWithoutDefault(_ name: String) -> Self {
    Self("R0601", "the optional parameter \"\(name)\" needs a default").hint("add a default")
  }

  static func parameterNumber(_ name: String, _ text: String) -> Self {
    Self("R0602", "the parameter \"\(name)\" must be a number, not \"\(text)\"")
  }
  static func parameterBoolean(_ name: String, _ text: String) -> Self {
    Self("R0602", "the parameter \"\(name)\" must be true or false, not \"\(text)\"")
  }
  static func parameterChoice(_ name: String, _ text: String, _ options: Alternatives) -> Self {
    Self(
      "R0602",
      "the parameter \"\(name)\" cannot be \"\(text)\"; \(options.hint("valid values") ?? "")")
  }
  static func parameterKind(_ name: String, expected: String, _ text: String) -> Self {
    let examples = [
      "a list in JSON": "write it like: [\"a\", \"b\"]",
      "a map in JSON": "write it like: {\"a\": 1}",
    ]
    return Self("R0602", "the parameter \"\(name)\" must be \(expected), not \"\(text)\"")
      .hint(examples[expected])
  }
  static func parameterLimit(_ name: String, expected: String, _ text: String) -> Self {
    Self("R0602", "the parameter \"\(name)\" must \(expected), not \"\(text)\"")
  }
  static func parameterPattern(_ name: String, _ pattern: String, _ text: String) -> Self {
    Self("R0602", "the parameter \"\(name)\" must match \(pattern), and \"\(text)\" does not")
  }
  static func parameterType(
    _ name: String, expected: ValueTypes, _ found: ValueTypes
  ) -> Self {
    Self("R0602", "the parameter \"\(name)\" must be \(expected.name), not \(found.name)")
  }
  static func emptyLimits(_ name: String) -> Self {
    Self("R0602", "no value of \"\(name)\" can be within its limits").hint("make min at most max")
  }

  static func unknownParameter(_ name: String, _ others: Alternatives) -> Self {
    let rest = others == .names([]) ? "the workflow has no parameters" : others.hint() ?? ""
    return Self("R0603", "there is no parameter \"\(name)\"; \(rest)")
  }
  static func unknownWith(_ name: String, of file: String, _ others: Alternatives) -> Self {
    Self("R0603", "\"\(file)\" has no parameter \"\(name)\"")
      .hint(others == .names([]) ? "it has no parameters" : others.hint("valid parameters"))
  }

  static func parameterNotGiven(_ name: String, description: String?) -> Self {
    Self("R0604", "the parameter \"\(name)\" is required" + (description.map { "  (\($0))" } ?? ""))
      .hint("give it: -p \(name)=…")
  }
  static func parameterOfUse(_ name: String, of file: String) -> Self {
    Self("R0604", "\"\(file)\" requires the parameter \"\(name)\"")
      .hint("add it, as in: with: { \(name): … }")
  }

  static func secretValue(_ name: String) -> Self {
    Self("R0605", "the secret \"\(name)\" must name its source, not its value")
      .hint(
        "write it like: { env: \(name.uppercased()) }, { file: path } or "
          + "{ command: [pass, \(name)] }")
  }
  static func secretSource(_ name: String) -> Self {
    Self("R0605", "a secret needs exactly one of \"env\", \"file\" and \"command\"")
      .hint("write it like: { env: \(name.uppercased()) }")
  }
}
