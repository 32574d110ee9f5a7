// What can be checked only once all steps are known: needs, circles, expressions; and what is probably not
// meant.

import YAML

extension WorkflowReader {
  /// Resolves what steps need, and checks that nothing needs itself.
  ///
  /// - Returns: The graph, or nil when there is none.
  mutating func checkedGraph() -> Graph? {
    let before = mistakeCount
    for position in drafts.indices {
      steps[position].needs = resolved(drafts[position].needs, of: steps[position])
    }
    // Expressions are checked even where needs are wrong, as far as that goes.
    guard mistakeCount == before else {
      checkExpressions(in: nil)
      return nil
    }
    do throws(GraphError) {
      let graph = try Graph(ids: steps.map(\.id), needs: steps.map(\.needs))
      checkExpressions(in: graph)
      return graph
    } catch {
      if case .cycle(let cycle) = error { tell(cycle: cycle, error) }
      checkExpressions(in: nil)
      return nil
    }
  }

  private mutating func tell(cycle: [String], _ error: GraphError) {
    guard let position = steps.firstIndex(where: { $0.id == cycle.first }) else { return }
    let draft = drafts[position]
    let next = cycle[1 % cycle.count]
    var node: Node?
    for case .name(let name, let scope, _, let number) in draft.needs
    where ids(of: name, scope: scope)?.contains(next) == true {
      node = node ?? needNodes[number]
    }
    readers[draft.file].tell(
      error.description, at: node?.mark ?? draft.mark, length: node?.length ?? draft.length,
      hint: "one of them must not need the next")
  }

  /// The ids of the steps that a name of a file stands for; nil where there is no such step.
  private func ids(of name: String, scope: Int) -> [String]? {
    if let group = scopes[scope].groups[name] { return group.ends }
    return places[scope][name] == nil ? nil : [scopes[scope].prefix + name]
  }

  private mutating func resolved(_ needs: [Need], of step: Step) -> [String] {
    var result: [String] = []
    result.reserveCapacity(needs.count)
    for need in needs {
      switch need {
      case .step(let id):
        result.append(id)
      case .name(let name, let scope, let file, let number):
        let node = needNodes[number]
        let ids = ids(of: name, scope: scope)
        let isItself =
          ids == [step.id]
          || step.extrasIfAny?.groups.contains(scopes[scope].prefix + name) == true
        if finallyIDs.contains(scopes[scope].prefix + name), step.extrasIfAny?.finally == nil {
          readers[file].tell(
            "\"\(name)\" stands under \"finally\": it runs when all others are over", at: node,
            hint: "move it to \"steps\", or do not need it")
        } else if isItself {
          readers[file].tell("step \"\(name)\" needs itself", at: node, hint: "remove it")
        } else if let ids {
          // A step that could not be read is missing; that has been told.
          result += ids
        } else {
          if name.contains(",") {
            readers[file].tell(
              "\"\(name)\" is no id", at: node, hint: "write a list of ids: [\(name)]")
            continue
          }
          let near = readers[file].givesHints ? nearest(to: name, among: places[scope].keys) : nil
          readers[file].tell(
            "step \"\(step.id)\" needs \"\(name)\", which does not exist", at: node,
            hint: near.map { "did you mean \"\($0)\"?" })
        }
      }
    }
    // Names differ, so only what groups stand for can come twice.
    guard result.count > needs.count else { return result }
    var seen: Set<String> = []
    return result.filter { seen.insert($0).inserted }
  }

  // MARK: Expressions

  private mutating func checkExpressions(in graph: Graph?) {
    var reach = Reach(graph)
    for check in checks {
      let scope = expressionScope(of: check.place, scope: check.scope, check.bindings)
      do throws(ExpressionMistake) {
        let types = try check.template.types(in: scope)
        try checkKind(types, check)
        try checkSteps(check, &reach)
      } catch {
        readers[check.file].tell(error, in: check.node)
      }
    }
  }

  private func checkKind(_ types: ValueTypes, _ check: Check) throws(ExpressionMistake) {
    let whole = 0..<max(1, check.template.source.unicodeScalars.count)
    switch check.place {
    case .condition:
      if check.template.parts.count > 1 {
        throw ExpressionMistake(
          message: "a condition is one expression",
          hint: "write one ${{ … }} around all of it, or none", range: whole)
      }
      let known = types.subtracting(.null)
      guard !known.isEmpty, !known.contains(.boolean) else { return }
      throw ExpressionMistake(
        message: "if is true or false, not \(types.name)",
        hint: known == .text ? "compare it, as in: … == 'true'" : "compare it with something",
        range: whole)
    case .environment, .workflowEnvironment, .workflowDirectory, .setting, .cacheKey:
      guard types.isDisjoint(with: [.text, .number, .boolean, .null]) else { return }
      throw ExpressionMistake(
        message: "a text is expected here, not \(types.name)",
        hint: "make one with toJSON(…) or join(…)", range: whole)
    case .with, .outputs, .workflowOutputs, .triggers, .settled: return
    }
  }

  /// Whatever a step refers to has to be over when it starts.
  private func checkSteps(_ check: Check, _ reach: inout Reach) throws(ExpressionMistake) {
    guard let position = check.draft, position < drafts.count else { return }
    let step = steps[position]
    for (expression, offset) in check.template.expressions {
      var mistake: ExpressionMistake?
      expression.visit { part in
        guard mistake == nil, case .member(let base, let name) = part.kind,
          case .root(.steps) = base.kind, let ids = ids(of: name, scope: check.scope)
        else { return }
        let own = scopes[check.scope].prefix + name
        let isAfter = finallyIDs.contains(own)
        if step.extrasIfAny?.finally != nil && !isAfter { return }
        if isAfter && step.extrasIfAny?.finally == nil {
          mistake = ExpressionMistake(
            message: "\"\(name)\" stands under \"finally\": it runs when all others are over",
            hint: "use it there", range: part.range)
        } else if own == step.id && check.place != .outputs {
          mistake = ExpressionMistake(
            message: "a step cannot use its own outputs",
            hint: "only \"outputs\" of it can, as outputs.name",
            range: part.range)
        } else if own == step.id {
          mistake = ExpressionMistake(
            message: "a step's own outputs are \"outputs.…\"", hint: "write outputs.name",
            range: part.range)
        } else if own == step.id || !reach.covers(ids, step.id) {
          mistake = ExpressionMistake(
            message: "\"\(name)\" may not be over when this step starts",
            hint: reach.covers([step.id], ids.first ?? "")
              ? "\"\(name)\" needs this step itself"
              : "add \"\(name)\" to its needs, directly or through others",
            range: part.range)
        }
      }
      if let mistake { throw mistake.moved(by: offset) }
    }
  }

  // MARK: Warnings

  /// Tells what is legal and probably not meant.
  mutating func warn(about graph: Graph) {
    warnOfImpliedNeeds(graph)
    warnOfUnusedOutputs()
    warnOfStepsThatNeverRun()
  }

  /// A need that another need has already.
  private mutating func warnOfImpliedNeeds(_ graph: Graph) {
    for (position, draft) in drafts.enumerated() where draft.needs.count > 1 {
      let needs = graph.needs(of: StepIndex(position))
      // In a wide fan-in one need hides in another rarely, and looking for it costs its square.
      guard needs.count <= 100 else { continue }
      for need in draft.needs {
        guard case .name(let name, let scope, let file, let number) = need,
          scopes[scope].groups.isEmpty || scopes[scope].groups[name] == nil,
          let index = needs.first(where: { isNamed(graph.id(of: $0), name, scope) })
        else { continue }
        // One step back only: looking further would take time that grows faster than the file.
        let other = needs.first { other in
          other != index && graph.needs(of: other).contains(index)
        }
        guard let other else { continue }
        readers[file].warn(
          "\"\(name)\" is needed already, by \"\(graph.id(of: other))\"", at: needNodes[number],
          hint: "it can be left out")
      }
    }
  }

  private func isNamed(_ id: String, _ name: String, _ scope: Int) -> Bool {
    let prefix = scopes[scope].prefix
    return prefix.isEmpty ? id == name : id == prefix + name
  }

  /// A condition that is false whatever happens: nothing reaches the step.
  private mutating func warnOfStepsThatNeverRun() {
    for check in checks where check.place == .condition {
      guard let value = try? check.template.value(from: NothingKnown()), !value.isTruthy else {
        continue
      }
      readers[check.file].warn(
        "this condition is never true, so nothing reaches the step", at: check.node,
        hint: "remove the step, or let it depend on something")
    }
  }

  /// An output that is computed and never used.
  private mutating func warnOfUnusedOutputs() {
    var used: Set<String> = []
    for check in checks {
      for (expression, _) in check.template.expressions {
        expression.visit { part in
          guard case .member(let outputs, let name) = part.kind,
            case .member(let step, "outputs") = outputs.kind,
            case .member(let steps, let id) = step.kind, case .root(.steps) = steps.kind
          else { return }
          used.insert("\(check.scope) \(id) \(name)")
        }
      }
    }
    for check in checks where check.place == .outputs {
      guard let position = check.draft else { continue }
      let extras = steps[position].extras
      let id = steps[position].id.dropFirst(scopes[extras.scope].prefix.count)
        .prefix { $0 != "[" }
      guard let name = extras.outputs.first(where: { $0.value == check.template })?.key,
        !used.contains("\(check.scope) \(id) \(name)")
      else { continue }
      readers[check.file].warn(
        "the output \"\(name)\" of \"\(id)\" is never used in this file", at: check.node)
    }
  }
}

/// The values of expressions of which nothing is known: only what is written out has a value.
private struct NothingKnown: ValueSource {
  func value(of root: Expression.Root, member: String?) throws(ValueProblem) -> Value {
    throw .unknown
  }

  func status() throws(ValueProblem) -> StepsStatus { throw .unknown }

  func hash(ofFiles patterns: [String]) throws(ValueProblem) -> String { throw .unknown }
}

/// Answers whether steps come before another one, whatever the way.
///
/// Asking about steps that are needed directly costs next to nothing; each other step that is asked about
/// costs a walk over what depends on it, once.
private struct Reach {
  private let graph: Graph?
  private var dependents: [StepIndex: Set<StepIndex>] = [:]

  init(_ graph: Graph?) {
    self.graph = graph
  }

  mutating func covers(_ ids: [String], _ id: String) -> Bool {
    // Without a graph there are other mistakes to be mended first.
    guard let graph, let step = graph.index(of: id) else { return true }
    let needs = graph.needs(of: step)
    for id in ids {
      guard let index = graph.index(of: id) else { continue }
      if needs.contains(index) { continue }
      if dependents[index] == nil { dependents[index] = Set(graph.withDependents([index])) }
      guard dependents[index]?.contains(step) == true else { return false }
    }
    return true
  }
}
