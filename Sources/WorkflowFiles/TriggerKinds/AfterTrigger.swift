// The trigger `on: { after: … }`: successful runs of other workflows.

import WorkflowReading
import YAML

/// A trigger that starts a run after each successful run of other workflows.
package struct AfterTrigger: TriggerKey {
  /// The names of the workflows.
  package var workflows: [String]

  static let key = Key("after", .texts, "workflows whose successful runs start a run")

  package var words: [String] { workflows.map { "after " + $0 } }

  static func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context
  ) -> AfterTrigger? {
    let workflows = reader.texts(node, "after", context)
    return workflows.isEmpty ? nil : AfterTrigger(workflows: workflows)
  }
}

extension Triggers {
  /// The names of the workflows whose successful runs start a run.
  package var after: [String] {
    get { self[AfterTrigger.self]?.workflows ?? [] }
    set { self[AfterTrigger.self] = newValue.isEmpty ? nil : .init(workflows: newValue) }
  }
}
