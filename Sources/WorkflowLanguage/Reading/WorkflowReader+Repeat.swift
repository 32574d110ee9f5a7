// Reads `repeat`.

import YAML

extension WorkflowReader {
  /// Reads the rule for the rounds of a step, or of a group.
  mutating func readRepetition(
    _ node: Node, at place: ExpressionPlace = .repetition, _ context: Context, _ draft: Int
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
        condition, "a condition", place, context, draft: draft, isExpression: true)
    else { return nil }
    return Repetition(
      condition: template, isWhile: fields["while"] != nil,
      delay: every ?? Repetition.defaultDelay, limit: limit)
  }

  // MARK: Groups

  /// Adds the group around one with `repeat`, which runs again as a whole for each round.
  ///
  /// - Returns: The group; that of the context if there is no `repeat`.
  mutating func addRounds(
    _ fields: Fields, around group: Group, _ id: String?, _ context: Context
  ) -> GroupIndex {
    guard let key = fields.key("repeat") else { return context.group }
    if id == nil, fields.lacks("id") {
      readers[context.file].report(.missing(.idOfRepeat), at: key)
    }
    if context.isFinally || context.isCleanUp {
      readers[context.file].report(.misplaced(.repeatOfFinally), at: key)
    }
    var rounds = Group(name: group.name + Group.rounds, in: context.group)
    rounds.isRepeated = true
    return groups.add(rounds)
  }

  /// Adds the step that decides, after the steps of a group, whether there is another round.
  ///
  /// - Returns: Its outline, and the need of what follows the group.
  @inline(never)
  mutating func addRound(
    _ node: Node, _ group: OpenGroup, _ id: String, _ ends: [Need], _ context: Context
  ) -> (Outline, [Need]) {
    let draft = drafts.count
    var step = Workflow.Step(id: fullID(id + "/repeat", scope: context.scope), action: .wait)
    if let other = places[group.context.scope]["repeat"], group.context.scope != context.scope {
      readers[context.file].report(.duplicateID("repeat", line: other.mark.line), at: node)
    }
    step.extras = group.context.extras
    step.extras.scope = group.context.scope
    step.extras.bindings = group.context.bindings
    if let rule = readRepetition(node, at: .condition, group.context, draft),
      let rounds = groups[group.context.group].parent
    {
      step.action = Workflow.Step.Action(RoundStep(rule: rule))
      groups[rounds].retry = Retry(limit: (rule.limit ?? .max) - 1, delay: rule.delay)
      groups[rounds].continuesOnError = groups[group.context.group].continuesOnError
      step.group = rounds
    }
    steps.append(step)
    drafts.append(Draft(needs: ends, file: context.file, mark: node.mark, length: 1))
    return (.step(StepIndex(draft)), [.step(draft)])
  }
}
