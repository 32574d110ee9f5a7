import TestSupport

@testable import WorkflowFiles

/// Writes random workflows: trees of groups with all of their settings, written and computed items,
/// waits, services and steps under `finally`.
struct RandomGroupWriter {
  private var random: SeededGenerator
  /// The ids of the steps and groups outside of items.
  private(set) var ids: [String] = []
  private var count = 0

  init(_ random: SeededGenerator) { self.random = random }

  private mutating func chance(_ part: Double) -> Bool {
    Double.random(in: 0..<1, using: &random) < part
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  /// Where an item is written.
  private struct Place {
    var depth = 0
    var isInMutex = false
    var isInItems = false
  }

  mutating func workflow() -> String {
    var settings: [String] = []
    if chance(0.3) { settings.append("max-parallel: \(number(1...3))") }
    if chance(0.15) { settings.append("fail-fast: \(number(1...2))") }
    settings.append("steps: [{ id: list, run: x }, \(list(Place()))]")
    if chance(0.4) { settings.append("finally: [{ id: f, run: x }]") }
    return settings.joined(separator: "\n") + "\n"
  }

  private mutating func list(_ place: Place) -> String {
    (0..<number(1...3)).map { _ in item(place) }.joined(separator: ", ")
  }

  private mutating func item(_ place: Place) -> String {
    guard place.depth < 4, chance(0.45) else { return step(place) }
    return group(place)
  }

  private mutating func newID(_ letter: String, _ place: Place) -> String {
    count += 1
    if !place.isInItems { ids.append("\(letter)\(count)") }
    return "\(letter)\(count)"
  }

  private mutating func step(_ place: Place) -> String {
    if chance(0.06) {
      // Its user follows it, in a list of their own.
      let (service, user) = (newID("d", place), newID("s", place))
      return "{ steps: [{ id: \(service), service: x }, { id: \(user), run: x }] }"
    }
    var keys = ["id: \(newID("s", place))"]
    if chance(0.08) {
      keys.append("wait: \(number(1...9))s")
    } else {
      keys.append("run: x")
      if chance(0.1) { keys.append("retry: { limit: 1, delay: 3s }") }
    }
    if chance(0.1) { keys.append("continue-on-error: true") }
    if chance(0.08), !place.isInMutex { keys.append("mutex: m") }
    if chance(0.08) { keys.append("if: \(chance(0.5) ? "failure()" : "always()")") }
    if chance(0.08) { keys.append("needs: []") }
    return "{ \(keys.joined(separator: ", ")) }"
  }

  private mutating func group(_ place: Place) -> String {
    var inner = place
    inner.depth += 1
    let kind = number(0...5)
    if kind == 0 { return "{ steps: [\(list(inner))] }" }
    var keys = ["id: \(newID("g", place))"]
    if chance(0.3), !place.isInMutex {
      keys.append("mutex: \(chance(0.6) ? "m" : "n")")
      inner.isInMutex = true
    }
    if chance(0.3) { keys.append("retry: { limit: \(number(1...2)), delay: 5s }") }
    if chance(0.2) { keys.append("timeout: \(number(5...60))s") }
    if chance(0.2) { keys.append("continue-on-error: true") }
    if kind >= 2 {
      if chance(0.5) { keys.append("max-parallel: \(number(1...2))") }
      if chance(0.3) { keys.append("fail-fast: true") }
    }
    switch kind {
    case 1: keys.append("steps: [\(list(inner))]")
    case 2, 3:
      let branches = (0..<number(2...3)).map { _ in item(inner) }
      keys.append("parallel: [\(branches.joined(separator: ", "))]")
    default:
      inner.isInItems = true
      keys.append(
        "foreach: \(kind == 4 ? "[1, 2]" : "\"${{ fromJSON(steps.list.outputs.l) }}\"")")
      if kind == 5, !place.isInItems { keys.append("needs: list") }
      keys.append("steps: [\(list(inner))]")
    }
    return "{ \(keys.joined(separator: ", ")) }"
  }
}
