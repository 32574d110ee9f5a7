// Warnings about constructs that are valid but probably not intended.

import Platform
import YAML

extension WorkflowReader {
  /// Reports all warnings about a valid workflow.
  mutating func warn(about graph: Graph) {
    warnOfImpliedNeeds(graph)
    warnOfUnusedOutputs()
    warnOfConstantConditions()
    warnOfCancelled()
    warnOfUnsetVariables()
    warnOfImpossibleComparisons()
  }

  /// Warns of a need that another need already implies.
  private mutating func warnOfImpliedNeeds(_ graph: Graph) {
    for (position, draft) in drafts.enumerated() where draft.needs.count > 1 {
      let needs = graph.needs(of: StepIndex(position))
      // In a wide fan-in, redundant needs are rare, and the search takes quadratic time.
      guard needs.count <= 100 else { continue }
      // Check only direct needs: a deeper search would take more than linear time.
      func other(_ index: StepIndex) -> StepIndex? {
        needs.first {
          $0 != index && graph.needs(of: $0).contains(index)
            && steps[$0.position].extrasIfAny?.needRules == nil
        }
      }
      // That a need is over does not imply that what it needs has succeeded.
      guard steps[position].extrasIfAny?.needRules == nil else { continue }
      guard needs.contains(where: { other($0) != nil }) else { continue }
      for need in draft.needs {
        guard case .name(let number) = need else { continue }
        let (name, scope) = (needNames[number].text, needNames[number].scope)
        guard scopes[scope].groups.isEmpty || scopes[scope].groups[name] == nil,
          let index = needs.first(where: { isNamed(graph.id(of: $0), name, scope) }),
          let other = other(index)
        else { continue }
        readers[needNames[number].file].report(
          .redundantNeed(name, by: graph.id(of: other)), at: needNames[number].mark,
          length: needNames[number].length, severity: .warning)
      }
    }
  }

  /// Warns of `cancelled()` outside `finally`, where it is never true, and of `always()`.
  ///
  /// A cancelled run starts only the steps under `finally`.
  private mutating func warnOfCancelled() {
    for check in checks where check.place == .condition {
      guard let position = check.draft, position < steps.count,
        steps[position].extrasIfAny?.finally == nil
      else { continue }
      for (expression, offset) in check.template.expressions {
        let causes: [(Expression.Function, Diagnostic.Cause)] = [
          (.cancelled, .neverCancelled), (.always, .alwaysIsNotOnCancel),
        ]
        for (function, cause) in causes {
          guard let range = expression.range(of: function) else { continue }
          readers[check.file].report(
            ExpressionError(cause, range).moved(by: offset), in: check.node, severity: .warning)
        }
      }
    }
  }

  /// Warns of a variable that is not set and has no default after `||`.
  private mutating func warnOfUnsetVariables() {
    // A step that writes to this file sets variables that are only known during the run.
    let setsVariables = readers.map { $0.source.contains("REPRISE_ENV") }
    for check in checks where !setsVariables[check.file] {
      for (expression, offset) in check.template.expressions {
        for (name, range) in expression.expectedVariables {
          let isSearched = readers[check.file].searchesSuggestions
          let scope = scopes[check.scope]
          let isOfFile = scope.environment[name] != nil
          let isSeen = isOfFile && check.place != .workflowEnvironment
          guard !isSeen, scope.dotenv[name] == nil, environmentVariable(name) == nil else {
            continue
          }
          let step = check.draft.flatMap { $0 < steps.count ? steps[$0] : nil }
          let cause: Diagnostic.Cause =
            isOfFile
            ? .variableOfSameFile(name)
            : step?.environment[name] != nil
              ? .variableOfStep(name)
              : .unsetVariable(
                name,
                nearest: isSearched
                  ? nearest(to: name, among: Array(scope.environment.keys) + scope.dotenv.keys)
                  : nil)
          readers[check.file].report(
            ExpressionError(cause, range).moved(by: offset),
            in: check.node, severity: .warning)
        }
      }
    }
  }

  /// Warns of an output that is never used.
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
