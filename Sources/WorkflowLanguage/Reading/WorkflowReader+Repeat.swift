// Reads `repeat`.

import YAML

extension WorkflowReader {
  mutating func readRepetition(
    _ node: Node, _ context: Context, _ draft: Int
  ) -> Repetition? {
    let file = context.file
    guard let fields = readers[file].fields(of: node, .repetition) else { return nil }
    if fields["until"] != nil, let key = fields.key("while") {
      readers[file].report(.exclusive("until", "while", in: "repeat"), at: key)
      return nil
    }
    guard let condition = fields["until"] ?? fields["while"] else {
      guard fields.lacks("until"), fields.lacks("while") else { return nil }
      readers[file].report(.missing(.untilOrWhile), at: node)
      return nil
    }
    let every = fields["every"].flatMap { duration($0, "every", context, allowsZero: true) }
    let limit = fields["limit"].flatMap { number($0, "limit", context) }
    guard
      let template = template(
        condition, "a condition", .repetition, context, draft: draft, isExpression: true)
    else { return nil }
    return Repetition(
      condition: template, isWhile: fields["while"] != nil,
      delay: every ?? Repetition.defaultDelay, limit: limit)
  }
}
