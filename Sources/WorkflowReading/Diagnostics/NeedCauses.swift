// R04: needs.

package import Workflows

extension Diagnostic.Cause {
  package static let needWithoutResult = Self("R0204", "needs as a map need a result for each step")
    .hint("write needs: [a, b], or { a: success, b: over }")

  package static func unknownNeed(_ name: String, of step: String, nearest: String?) -> Self {
    Self("R0401", "step \"\(step)\" needs \"\(name)\", which does not exist")
      .hint(nearest.map(didYouMean))
  }
  package static func needsAsText(_ text: String) -> Self {
    Self("R0401", "\"\(text)\" is not a step id").hint("write a list of ids: [\(text)]")
  }

  package static func cycle(_ ids: [String]) -> Self {
    Self("R0402", GraphError.cycle(ids).description).hint("remove one of these needs")
  }

  package static func needsItself(_ name: String) -> Self {
    Self("R0403", GraphError.needsItself(name).description).hint("remove it")
  }

  package static func neededTwice(_ id: String) -> Self {
    Self("R0404", "\"\(id)\" is listed twice in needs").hint("list it once")
  }

  package static func finallyStep(_ name: String, isNeed: Bool) -> Self {
    Self("R0405", "\"\(name)\" is under \"finally\", so it runs after all other steps")
      .hint(
        isNeed
          ? "move it to \"steps\", or remove the need"
          : "move the expression to a step under \"finally\"")
  }

  package static let tooManyNeeds = Self(
    "R0406",
    "the steps have more than \(Workflow.needsMax) needs in total: each step here needs "
      + "every step of a group"
  )
  .hint("insert a step after the group that joins it, such as { id: joined, exec: [\"true\"] }")

  package static func positionalID(_ id: String) -> Self {
    Self("R0407", "\"\(id)\" names a step by its position, which changes when steps are added")
      .hint("give the step an id, such as: id: build")
  }

  package static let itemsWaiting = Self(
    "R0408", "with this limit, these steps could wait for one another forever"
  )
  .hint("write the steps that other branches need before the group")

  package static func serviceCycle(_ ids: [String]) -> Self {
    Self(
      "R0409",
      "these steps wait for one another, because of the end of a service: "
        + (ids + ids.prefix(1)).joined(separator: " -> ")
    )
    .hint("a service ends when the steps that use it have ended; remove a need")
  }

  package static func poolOfService(pool: String, service: String) -> Self {
    Self(
      "R0410",
      "this step waits forever: the service \"\(service)\", which it uses, holds the places of "
        + "pool \"\(pool)\" that it needs"
    )
    .hint("use another pool for the service, or make the pool larger")
  }

  package static func serviceOutside(_ service: String, of group: String?) -> Self {
    let end = group.map { "the group \"\($0)\"" } ?? "the list of steps in which it is written"
    return Self("R0411", "the service \"\(service)\" ends with \(end), so this step cannot use it")
      .hint("move it to the list that contains all steps that use it")
  }
}
