// Reads the script of a step or of a condition.

import YAML

extension WorkflowReader {
  /// Returns a script; nil, with an error, if it is a list or contains an expression.
  mutating func readScript(_ node: Node, _ context: Context) -> String? {
    let file = context.file
    if case .sequence = node.content {
      readers[file].report(.scriptIsList, at: node)
      return nil
    }
    guard let text = node.text, text.hasExpression else {
      if let text = node.text { warnOfBraces(in: text, node, context) }
      return readers[file].nonEmptyText(node, "run")
    }
    let rewrite = ScriptRewrite(text)
    readers[file].report(
      ExpressionError(
        .scriptWithExpression(bindings: rewrite.bindings, line: rewrite.line), rewrite.range),
      in: node)
    return nil
  }
}
