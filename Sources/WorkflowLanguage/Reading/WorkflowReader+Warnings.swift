// What is legal and probably not meant.

import Platform
import YAML

extension WorkflowReader {
  /// Reports what is legal and probably not meant.
  mutating func warn(about graph: Graph) {
    warnOfImpliedNeeds(graph)
    warnOfUnusedOutputs()
    warnOfStepsThatNeverRun()
    warnOfCancelled()
    warnOfUnsetVariables()
  }

  /// A need that another need has already.
  private mutating func warnOfImpliedNeeds(_ graph: Graph) {
    for (position, draft) in drafts.enumerated() where draft.needs.count > 1 {
      let needs = graph.needs(of: StepIndex(position))
      // In a wide fan-in one need hides in another rarely, and looking for it costs its square.
      guard needs.count <= 100 else { continue }
      // One step back only: looking further would take time that grows faster than the file.
      func other(_ index: StepIndex) -> StepIndex? {
        needs.first { $0 != index && graph.needs(of: $0).contains(index) }
      }
      guard needs.contains(where: { other($0) != nil }) else { continue }
      for need in draft.needs {
        guard case .name(let number) = need else { continue }
        let (name, scope) = (needNames[number].text, needNames[number].scope)
        guard scopes[scope].groups.isEmpty || scopes[scope].groups[name] == nil,
          let index = needs.first(where: { isNamed(graph.id(of: $0), name, scope) }),
          let other = other(index)
        else { continue }
        readers[needNames[number].file].report(
          .impliedNeed(name, by: graph.id(of: other)), at: needNames[number].mark,
          length: needNames[number].length, severity: .warning)
      }
    }
  }

  /// A condition that is false in every case: nothing reaches the step.
  private mutating func warnOfStepsThatNeverRun() {
    for check in checks where check.place == .condition {
      do throws(EvaluationError) {
        guard try !check.template.value(from: NothingKnown(budget: budget)).isTruthy else {
          continue
        }
      } catch {
        if case .mistake(let mistake) = error, mistake.kind == .largeValue {
          readers[check.file].warn(.largeValue, at: check.node)
        }
        continue
      }
      readers[check.file].warn(.neverTrue, at: check.node)
    }
  }

  /// `cancelled()` where it is never true: a run that is cancelled starts no step but those under `finally`.
  private mutating func warnOfCancelled() {
    for check in checks where check.place == .condition {
      guard let position = check.draft, position < steps.count,
        steps[position].extrasIfAny?.finally == nil
      else { continue }
      for (expression, offset) in check.template.expressions {
        guard let range = expression.range(of: .cancelled) else { continue }
        readers[check.file].report(
          ExpressionMistake(.neverCancelled, range).moved(by: offset), in: check.node,
          severity: .warning)
      }
    }
  }

  /// A variable that nothing sets here, and that no `||` gives another value.
  private mutating func warnOfUnsetVariables() {
    for check in checks {
      for (expression, offset) in check.template.expressions {
        for (name, range) in expression.expectedVariables {
          let isSearched = readers[check.file].givesHints
          let scope = scopes[check.scope]
          let isOfFile = scope.environment[name] != nil
          let isSeen = isOfFile && check.place != .workflowEnvironment
          guard !isSeen, scope.dotenv[name] == nil, environmentVariable(name) == nil else {
            continue
          }
          let step = check.draft.flatMap { $0 < steps.count ? steps[$0] : nil }
          let reason: UnsetVariable =
            isOfFile
            ? .isOfSameFile
            : step?.environment[name] != nil
              ? .isOfStep
              : .unknown(
                nearest: isSearched
                  ? nearest(to: name, among: Array(scope.environment.keys) + scope.dotenv.keys)
                  : nil)
          readers[check.file].report(
            ExpressionMistake(.unsetVariable(name, reason), range).moved(by: offset),
            in: check.node, severity: .warning)
        }
      }
    }
  }

  /// An output that is computed and never used.
  private mutating func warnOfUnusedOutputs() {
    guard checks.contains(where: { $0.place == .outputs }) else { return }
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
      readers[check.file].warn(.unusedOutput(name, of: String(id)), at: check.node)
    }
  }
}

/// The values of expressions of which nothing is known: only what is written out has a value.
private struct NothingKnown: ValueSource {
  let budget: EvaluationBudget

  func value(of root: Expression.Root, member: String?) throws(ValueProblem) -> Value {
    throw .unknown
  }

  func status() throws(ValueProblem) -> RunEnding { throw .unknown }

  func hash(ofFiles patterns: [String]) throws(ValueProblem) -> String { throw .unknown }
}
