// Reads conditions that a command decides, and the condition of a workflow.

import YAML

extension WorkflowReader {
  /// Reads `if` of a group or of a step with `uses`.
  mutating func readGroupCondition(
    _ node: Node, _ context: Context, _ draft: Int?
  ) -> StepExtras.Condition? {
    guard case .mapping = node.content else { return readCondition(node, context, draft) }
    readers[context.file].report(.commandOfGroup, at: node)
    return nil
  }

  /// Reads `if` of a workflow.
  mutating func readWorkflowCondition(_ node: Node, _ context: Context) -> WorkflowCondition? {
    if case .mapping = node.content {
      return Tables.condition.read(node, &self, context).map(WorkflowCondition.command)
    }
    return template(
      node, "if", .workflowCondition, context, draft: nil, isExpression: true
    ).map(WorkflowCondition.expression)
  }
}
