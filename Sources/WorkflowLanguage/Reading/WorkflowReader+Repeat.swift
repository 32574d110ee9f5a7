// Reads `repeat`.

import YAML

extension WorkflowReader {
  // MARK: Groups

  /// Adds the group around one with `repeat`, which runs again as a whole for each round.
  ///
  /// - Returns: The group; that of the context if there is no `repeat`.
  mutating func addRounds(
    _ fields: Fields, around group: Group, _ id: String?, _ context: Context
  ) -> GroupIndex {
    guard let key = fields.key("repeat") else { return context.group }
    if id == nil, fields.lacks("id") {
      readers[context.file].report(.missingIDOfRepeat, at: key)
    }
    if context.isFinally || context.isCleanUp {
      readers[context.file].report(.repeatOfFinally, at: key)
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
      readers[context.file].report(
        .duplicateID("repeat", line: readers[context.file].shownLine(other.mark.line)), at: node)
    }
    step.extras = group.context.extras
    step.extras.scope = group.context.scope
    step.extras.bindings = group.context.bindings
    let keys = Tables.roundsOfGroup.read(node, &self, group.context, draft)
    if let rule = keys?.rule, let rounds = groups[group.context.group].parent {
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
