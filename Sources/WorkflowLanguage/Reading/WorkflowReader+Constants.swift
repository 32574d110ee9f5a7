// Warnings about anchors that are never used, and conditions whose value does not depend on anything.

import YAML

extension WorkflowReader {
  /// Warns of anchors that no alias refers to, at the anchor.
  mutating func warn(ofAnchorsIn document: Document, _ file: Int) {
    for anchor in document.unusedAnchors.prefix(100) {
      let mark = readers[file].source.mark(of: anchor)
      readers[file].report(
        .unusedAnchor(anchor.name), at: mark, length: anchor.name.unicodeScalars.count + 1,
        severity: .warning)
    }
  }

  /// Warns of conditions that are always true or always false.
  mutating func warnOfConstantConditions() {
    for check in checks {
      let isRound = check.place == .repetition
      guard isRound || check.place == .condition || check.place == .workflowCondition else {
        continue
      }
      guard let value = constantValue(of: check) else { continue }
      if !isRound {
        readers[check.file].warn(value ? .alwaysTrue : .neverTrue, at: check.node)
      } else if let position = check.draft, position < steps.count,
        let rule = steps[position].extrasIfAny?.repetition, rule.condition == check.template,
        rule.isWhile != value
      {
        // `while: true` and `until: false` are deliberate: it repeats up to its limit.
        readers[check.file].warn(.oneRound(isWhile: rule.isWhile), at: check.node)
      }
    }
  }

  /// Returns the value of a condition that depends on nothing; nil for any other.
  private mutating func constantValue(of check: Check) -> Bool? {
    guard !check.template.testsStatus else {
      return nil
    }
    do throws(EvaluationError) {
      return try check.template.value(from: NothingKnown(budget: budget)).isTruthy
    } catch {
      if case .invalid(let error) = error, error.cause == .largeValue {
        readers[check.file].warn(.largeValue, at: check.node)
      }
      return nil
    }
  }
}

extension SourceText {
  /// Returns the place of an anchor, which may be after the tag of its value.
  fileprivate func mark(of anchor: Document.Anchor) -> Mark {
    let name = Array("&\(anchor.name)".unicodeScalars)
    let line = Array(line(anchor.mark.line).unicodeScalars)
    let last = line.count - name.count
    guard anchor.mark.column - 1 <= last,
      let start = (anchor.mark.column - 1...last).first(where: {
        line[$0..<$0 + name.count].elementsEqual(name)
      })
    else { return anchor.mark }
    return Mark(line: anchor.mark.line, column: start + 1)
  }
}

/// A source without values, which makes only constant expressions computable.
private struct NothingKnown: ValueSource {
  let budget: EvaluationBudget

  func value(of root: Expression.Root, member: String?) throws(ValueProblem) -> Value {
    throw .unknown
  }

  func status() throws(ValueProblem) -> RunEnding { throw .unknown }

  func hash(ofFiles patterns: [String]) throws(ValueProblem) -> String { throw .unknown }
  func files(matching patterns: [String]) throws(ValueProblem) -> [String] { throw .unknown }
}
