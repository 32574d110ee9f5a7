// What a step expects of the steps that it needs, if not the success of each of them.

/// The result that a step expects of a step that it needs.
public enum ExpectedResult: String, Sendable, CaseIterable {
  /// It has succeeded, or was skipped.
  case success
  /// It has ended, with any result.
  case over
  /// It is ready to be used while it runs, or has succeeded.
  ///
  /// A step is ready when it writes the line `ready` to the file named by `REPRISE_PROGRESS`, or
  /// calls `reportReady` of its context; a service, when its check says so.
  case ready
}

/// The needs of a step of which something else is expected than success.
package struct NeedRules: Sendable, Equatable {
  /// The ids of the needs with another expected result than ``ExpectedResult/success``.
  package var results: [String: ExpectedResult] = [:]
  /// The ids of the needs of which one success is enough.
  package var anyOf: Set<String> = []

  /// The results of steps.
  package static let results = ["success", "failure", "cancelled", "skipped"]
  /// The words for what is expected of one need.
  package static let words =
    results + [ExpectedResult.over.rawValue, ExpectedResult.ready.rawValue]

  package init() {}

  /// The rules without those for steps that are not part of the workflow.
  func keeping(_ ids: Set<String>) -> NeedRules? {
    var rules = self
    rules.results = results.filter { ids.contains($0.key) }
    // A step that is left out counts as succeeded.
    if !anyOf.isSubset(of: ids) { rules.anyOf = [] }
    return rules == NeedRules() ? nil : rules
  }

  /// Returns the need as it is shown, such as `lint (over)`.
  func shown(_ id: String) -> String {
    if anyOf.contains(id) { return "\(id) (any)" }
    return results[id].map { "\(id) (\($0.rawValue))" } ?? id
  }
}

extension Workflow.Step {
  /// Removes the needs that are not part of a workflow, as if those steps had succeeded.
  package mutating func keepNeeds(in ids: Set<String>) {
    if let rules = extrasIfAny?.needRules {
      extras.needRules = rules.keeping(ids)
      if !rules.anyOf.isSubset(of: ids) { needs.removeAll(where: rules.anyOf.contains) }
    }
    needs.removeAll { !ids.contains($0) }
  }

  /// Replaces needs by others, of which the same is expected.
  ///
  /// - Parameter others: Returns the ids that replace an id; nil to keep it.
  package mutating func replaceNeeds(_ others: (String) -> [String]?) {
    guard needs.contains(where: { others($0) != nil }) else { return }
    var seen: Set<String> = []
    needs = needs.flatMap { others($0) ?? [$0] }.filter { seen.insert($0).inserted }
    guard let old = extrasIfAny?.needRules else { return }
    var rules = NeedRules()
    for (id, result) in old.results {
      for other in others(id) ?? [id] { rules.results[other] = result }
    }
    rules.anyOf = Set(old.anyOf.flatMap { others($0) ?? [$0] })
    extras.needRules = rules == NeedRules() ? nil : rules
  }
}

extension Plan {
  /// For steps that start after any of several needs, the needs of which one success is enough.
  package var alternatives: [StepIndex: Set<StepIndex>] {
    var alternatives: [StepIndex: Set<StepIndex>] = [:]
    for step in order {
      guard let anyOf = self[step].extrasIfAny?.needRules?.anyOf, !anyOf.isEmpty else { continue }
      alternatives[step] = Set(anyOf.compactMap(graph.index(of:)))
    }
    return alternatives
  }

  /// For steps that start before a need has ended, the needs that only must be ready to be used.
  ///
  /// These are services, except for steps that wait for their ends or are outside of their lists, and
  /// those that are needed with `ready`.
  package var earlyNeeds: [StepIndex: Set<StepIndex>] {
    var early: [StepIndex: Set<StepIndex>] = [:]
    for step in order {
      if self[step].action.isService {
        for user in graph.dependents(of: step)
        where expected(by: user, of: step) != .over && canUse(step, user) {
          early[user, default: []].insert(step)
        }
      }
      for (id, result) in self[step].extrasIfAny?.needRules?.results ?? [:] where result == .ready {
        if let need = graph.index(of: id) { early[step, default: []].insert(need) }
      }
    }
    return early
  }

  /// Returns the result that a step expects of a step that it needs; nil if it is an alternative.
  package func expected(by step: StepIndex, of need: StepIndex) -> ExpectedResult? {
    guard let rules = self[step].extrasIfAny?.needRules else { return .success }
    let id = graph.id(of: need)
    return rules.anyOf.contains(id) ? nil : rules.results[id] ?? .success
  }
}

extension Workflow.Step {
  /// The needs as they are shown, with what is expected of them.
  package var shownNeeds: [String] {
    guard let rules = extrasIfAny?.needRules else { return needs }
    return needs.map(rules.shown)
  }
}
