// R06: parameters and secrets.

package import Workflows

extension Diagnostic.Cause {
  package static let requiredWithDefault = Self(
    "R0601", "a required parameter cannot have a default"
  )
  .hint("remove one of the two")
  package static func optionalWithoutDefault(_ name: String) -> Self {
    Self("R0601", "the optional parameter \"\(name)\" needs a default").hint("add a default")
  }

  package static func emptyLimits(_ name: String) -> Self {
    Self("R0602", "no value of \"\(name)\" can be within its limits").hint("make min at most max")
  }

  package static func unknownWith(_ name: String, of file: String, _ others: Alternatives) -> Self {
    Self("R0603", "\"\(file)\" has no parameter \"\(name)\"")
      .hint(others == .names([]) ? "it has no parameters" : others.hint("valid parameters"))
  }

  package static func parameterOfUse(_ name: String, of file: String) -> Self {
    Self("R0604", "\"\(file)\" requires the parameter \"\(name)\"")
      .hint("add it, as in: with: { \(name): … }")
  }

  package static func secretValue(_ name: String) -> Self {
    Self("R0605", "the secret \"\(name)\" must name its source, not its value")
      .hint(
        "write it like: { env: \(name.uppercased()) }, { file: path } or "
          + "{ command: [pass, \(name)] }")
  }
  package static func secretSource(_ name: String) -> Self {
    Self("R0605", "a secret needs exactly one of \"env\", \"file\" and \"command\"")
      .hint("write it like: { env: \(name.uppercased()) }")
  }
}
