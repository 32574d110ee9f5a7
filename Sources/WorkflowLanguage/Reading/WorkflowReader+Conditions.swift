// Reads conditions that a command decides, and the condition of a workflow.

import YAML

extension WorkflowReader {
  /// Reads `{ run: test -f x }`.
  mutating func readConditionCommand(_ node: Node, _ context: Context) -> ConditionCommand? {
    guard let fields = readers[context.file].fields(of: node, .condition) else { return nil }
    let limit = fields["timeout"].flatMap {
      duration($0, "timeout", context, allowsZero: false)
    }
    guard let run = fields["run"] else {
      guard fields.lacks("run") else { return nil }
      readers[context.file].report(.missing(.runOfCondition), at: node)
      return nil
    }
    guard let script = readScript(run, context) else { return nil }
    return ConditionCommand(script: script, limit: limit ?? ConditionCommand.defaultLimit)
  }

  /// Reads `if` of a group or of a step with `uses`.
  mutating func readGroupCondition(
    _ node: Node, _ context: Context, _ draft: Int?
  ) -> StepExtras.Condition? {
    guard case .mapping = node.content else { return readCondition(node, context, draft) }
    readers[context.file].report(.misplaced(.commandOfGroup), at: node)
    return nil
  }

  /// Reads `if` of a workflow.
  mutating func readWorkflowCondition(_ node: Node, _ context: Context) -> WorkflowCondition? {
    if case .mapping = node.content {
      return readConditionCommand(node, context).map(WorkflowCondition.command)
    }
    return template(
      node, "if", .workflowCondition, context, draft: nil, isExpression: true
    ).map(WorkflowCondition.expression)
  }
}
