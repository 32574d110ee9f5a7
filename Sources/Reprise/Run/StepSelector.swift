// Selectors of steps, by which requests to a live run name several steps.

import Paths
import Workflows

extension Plan {
  /// Returns the steps that selectors select, in file order.
  ///
  /// A selector is the id of a step, the id of a step that was expanded to several, a pattern in
  /// which `*` is any text and `?` any character, or one of `:failed`, `:cancelled` (on request)
  /// and `:running`. Brackets are literal, because ids contain them.
  ///
  /// - Parameters:
  ///   - selectors: The selectors.
  ///   - state: The current state of the run.
  /// - Returns: The steps.
  /// - Throws: ``SelectionError`` for the first selector that selects no step.
  func selected(
    by selectors: [String], in state: RunState
  ) throws(SelectionError) -> [StepIndex] {
    var found: Set<StepIndex> = []
    for selector in selectors { found.formUnion(try selected(by: selector, in: state)) }
    return order.filter(found.contains)
  }

  private func selected(
    by selector: String, in state: RunState
  ) throws(SelectionError) -> [StepIndex] {
    if selector.hasPrefix(":") {
      guard let phase = SelectedPhase(rawValue: String(selector.dropFirst())) else {
        throw .unknownSelector(selector, known: SelectedPhase.allCases.map { ":" + $0.rawValue })
      }
      let steps = order.filter { phase.contains(state[$0].phase) }
      guard !steps.isEmpty else { throw .noneSelected(selector) }
      return steps
    }
    let named = steps(named: selector)
    guard named.isEmpty, selector.contains(where: { $0 == "*" || $0 == "?" }) else {
      return try self.found(selector)
    }
    let pattern = GlobMatch(tokens(of: selector), of: .characters)
    let steps = order.filter { pattern.matches(Array(graph.id(of: $0).utf8)[...]) }
    guard !steps.isEmpty else { throw .noneSelected(selector) }
    return steps
  }

  private func tokens(of pattern: String) -> [GlobToken] {
    pattern.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "*"): .anything
      case UInt8(ascii: "?"): .anyCharacter
      default: .byte(byte)
      }
    }
  }
}

/// The selectors of steps by their phase.
private enum SelectedPhase: String, CaseIterable {
  case failed, cancelled, running

  func contains(_ phase: StepPhase) -> Bool {
    switch (self, phase) {
    case (.failed, .failed), (.running, .waiting), (.running, .running): true
    // A step that a dependency keeps from running is selected with that dependency.
    case (.cancelled, .cancelled(.failure)), (.cancelled, .cancelled(.cancellation)): false
    case (.cancelled, .cancelled): true
    default: false
    }
  }
}
