// Reads `approval`: a question, or a map with a question and its settings.

import YAML

extension WorkflowReader {
  mutating func readApproval(_ node: Node, _ context: Context, into extras: inout StepExtras) {
    guard case .mapping = node.content else {
      extras.approval = text(node, "approval", context)
      return
    }
    let file = context.file
    guard let fields = readers[file].fields(of: node, .approval) else { return }
    if fields.lacks("message") { readers[file].report(.missing(.messageOfApproval), at: node) }
    extras.approval = fields["message"].flatMap { text($0, "message", context) }
    var rule = ApprovalRule()
    rule.values = fields["values"].map { readers[file].parameters($0) } ?? []
    rule.timeout = fields["timeout"].flatMap {
      duration($0, "timeout", context, allowsZero: false)
    }
    rule.isAfter = fields["after"].flatMap { boolean($0, "after", context) } ?? false
    if let node = fields["default"] {
      let names = ApprovalRule.Answer.allCases.map(\.rawValue)
      rule.answer =
        readers[file].choice(node, "default", of: names).flatMap(ApprovalRule.Answer.init)
        ?? .reject
      if fields.lacks("timeout") {
        readers[file].report(.missing(.timeoutOfDefault), at: fields.key("default") ?? node)
      }
      let isOpen = rule.values.first { $0.defaultValue == nil }
      if rule.answer == .approve, let isOpen {
        readers[file].report(.missing(.defaultOfValue(isOpen.name)), at: node)
      }
    }
    extras.approvalRule = rule
  }
}
