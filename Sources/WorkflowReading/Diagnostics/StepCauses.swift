// R03: steps, foreach and matrix.

package import Workflows

extension Diagnostic.Cause {
  package static let noAction = Self("R0301", "this step does nothing")
    .hint("add \"run\" with a script, or \"exec\" with a program and its arguments")

  package static func stepID(_ id: String) -> Self {
    Self("R0302", "\"\(id)\" is not a valid step id")
      .hint("use at most 64 letters, digits, _ and -, beginning with a letter or digit")
  }

  package static func duplicateID(_ id: String, line: Int) -> Self {
    Self("R0303", "the id \"\(id)\" is already used at line \(line)").hint("choose another id")
  }

  package static func scriptWithExpression(bindings: String, line: String?) -> Self {
    Self("R0304", "a script cannot contain an expression, because its value could run as code")
      .hint(
        bindings.isEmpty
          ? "write: \(line ?? "the variable of env that has the value")"
          : "bind it in env: { \(bindings) } and "
            + (line.map { "write: \($0)" } ?? "read that variable in the script"))
  }

  package static let tooManySteps = Self(
    "R0305",
    "foreach, matrix and uses create more than \(WorkflowReader.expansionsMax) steps in total")
  package static func tooManyItems(_ count: Int, maximum: Int) -> Self {
    Self("R0305", "there are \(count) items, and \"max-items\" is \(maximum)")
  }
  package static func expansion(steps count: Int) -> Self {
    Self("R0305", "this expands to \(count) steps; the maximum is \(WorkflowReader.expansionMax)")
  }
  package static func largeExpansion(steps count: Int, size: Int) -> Self {
    Self(
      "R0305",
      "this expands to \(count) steps with \(size) keys and values each; the maximum for all "
        + "expanded steps together is \(WorkflowReader.valuesOfManyMax)"
    )
    .hint("expand to fewer or smaller steps")
  }
  package static let largeMatrix = Self(
    "R0305", "this matrix is too large: its combinations have more than \(Matrix.valuesMax) values"
  )
  .hint("use fewer or shorter lists")
  package static let tooManyUses = Self(
    "R0305", "\"uses\" reads more than \(WorkflowReader.filesMax) files in total")
  package static let deepUses = Self(
    "R0305", "\"uses\" is nested more than \(WorkflowReader.usesDepthMax) levels deep"
  )
  .hint("nest fewer workflows")

  package static let foreachText = Self(
    "R0306", "foreach must be a list, a range or an expression, not text"
  )
  .hint("write it like: [a, b], or: { from: 1, to: 5 }, or: ${{ fromJSON(…) }}")
  package static func foreachValue(_ types: ValueTypes) -> Self {
    Self("R0306", "foreach must be a list, not \(types.name)")
      .hint("fromJSON(…) converts text such as '[\"a\", \"b\"]' to a list")
  }
  package static func filesOfForeach(_ problem: String) -> Self { Self("R0306", problem) }
  package static let statusOfItem = Self(
    "R0306",
    "a condition that depends on an item which is only known during the run cannot test the status"
  )
  .hint("split it into two steps")
  package static func itemKey(_ key: String) -> Self {
    Self("R0306", "\"\(key)\" cannot be the item-id of an item")
      .hint("use letters, digits and _-./@+:=,~#%")
  }
  package static func longItemKey(_ key: String, bytesMax: Int) -> Self {
    Self(
      "R0306",
      "the item-id \"\(key.prefix(40))…\" is too long: it has \(key.utf8.count) bytes"
    )
    .hint("use at most \(bytesMax) bytes, such as a part of the item or ${{ index }}")
  }
  package static func itemKeyTwice(_ key: String, _ first: Int, _ second: Int) -> Self {
    Self("R0306", "items \(first) and \(second) have the same item-id \"\(key)\"")
      .hint("compute it from more of the item, or remove it")
  }

  package static let noMatrixList = Self("R0307", "this matrix has no lists")
    .hint("write it like: { os: [linux, mac], version: [5, 6] }")
  package static func emptyMatrixList(_ name: String) -> Self {
    Self("R0307", "the list \"\(name)\" of the matrix is empty")
  }
  package static let emptyMatrix = Self("R0307", "this matrix has no combinations")
    .hint("exclude fewer combinations, or include some")

  package static func matrixValue(_ name: String, found: String) -> Self {
    Self("R0308", "\"\(name)\" of a matrix must be a list, not \(found)")
      .hint("write it like: [linux, mac]")
  }
  package static func matrixCombination(_ name: String) -> Self {
    Self("R0308", "\(name) must be a list of maps").hint("write it like: [{ os: mac, version: 6 }]")
  }

  package static func matrixExclusion(_ name: String) -> Self {
    Self("R0309", "\"\(name)\" in exclude is not a list of the matrix")
  }

  package static let approvalOfExpandedStep = Self(
    "R0310", "a step with \"foreach\" or \"matrix\" cannot wait for approval"
  )
  .hint("put a step with \"approval\" before it")
}
