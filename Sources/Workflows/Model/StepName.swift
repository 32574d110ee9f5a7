// The names by which people select steps that were expanded from a list or a matrix.

/// A name of one or several items: `unit[2]`, `unit.2`, or by values, `unit.mac` and `unit[2, mac]`.
///
/// With a dot, no shell needs quotes.
package struct ItemName: Sendable {
  /// The id of the step that was expanded, with what each item must have: its index, or values of
  /// its label.
  private let readings: [(step: Substring, item: Substring)]

  /// Splits a name in each possible way.
  package init(_ name: String) {
    if name.hasSuffix("]"), let bracket = name.lastIndex(of: "[") {
      readings = [(name[..<bracket], name[name.index(after: bracket)...].dropLast())]
    } else {
      readings = name.indices.filter { name[$0] == "." }.map {
        (name[..<$0], name[name.index(after: $0)...])
      }
    }
  }

  /// Returns which steps the name selects; an index counts before a value.
  ///
  /// - Parameter steps: The ids of steps, with the values of their items, separated by commas, as
  ///   displays show them.
  /// - Returns: The positions of the selected ones, in order.
  package func positions(among steps: [(id: String, label: String?)]) -> [Int] {
    guard !readings.isEmpty else { return [] }
    let byIndex = steps.indices.filter { selects(steps[$0].id) { $0 == $1 } }
    guard byIndex.isEmpty else { return byIndex }
    return steps.indices.filter { position in
      guard let label = steps[position].label?[...] else { return false }
      return selects(steps[position].id) { item, _ in
        item == label || !item.isEmpty && Self.values(item).isSubset(of: Self.values(label))
      }
    }
  }

  private func selects(_ id: String, _ fits: (_ item: Substring, _ index: Substring) -> Bool)
    -> Bool
  {
    guard id.hasSuffix("]"), let bracket = id.lastIndex(of: "[") else { return false }
    let (step, index) = (id[..<bracket], id[id.index(after: bracket)...].dropLast())
    return readings.contains { $0.step == step && fits($0.item, index) }
  }

  private static func values(_ text: Substring) -> Set<Substring> {
    Set(text.split(separator: ",").map { $0.drop { $0 == " " } })
  }
}
