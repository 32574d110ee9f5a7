// The success of other workflows as a trigger: `on: { after: … }`.

import YAML

/// Successful runs of other workflows, each of which starts a run.
package struct AfterTrigger: TriggerKey {
  /// The names of the workflows.
  package var workflows: [String]

  static let key = Key("after", .texts, "workflows whose successful runs start one")

  package var words: [String] { workflows.map { "after " + $0 } }

  static func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context
  ) -> AfterTrigger? {
    let workflows = reader.texts(node, "after", context)
    return workflows.isEmpty ? nil : AfterTrigger(workflows: workflows)
  }
}

extension Triggers {
  /// The workflows whose successful runs start one.
  public var after: [String] {
    get { self[AfterTrigger.self]?.workflows ?? [] }
    set { self[AfterTrigger.self] = newValue.isEmpty ? nil : .init(workflows: newValue) }
  }
}
