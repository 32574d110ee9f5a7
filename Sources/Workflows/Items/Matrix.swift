// Computes the combinations of a matrix from its lists, `exclude` and `include`.

/// The lists of a matrix, with combinations to add and to remove.
///
/// The rules are those of GitHub Actions ("Running variations of jobs in a workflow"). The matches
/// of `include` and `exclude` are computed from the positions of values in their lists, without a
/// search through the combinations.
package struct Matrix {
  /// The maximum number of values in all combinations, and of values that `include` adds.
  package static let valuesMax = 1_000_000

  package var lists: [(name: String, values: [Value])] = []
  package var include: [[String: Value]] = []
  package var exclude: [[String: Value]] = []

  package init() {}

  /// The number of combinations of the lists, capped at `Int32.max` to prevent an overflow.
  package var listedCount: Int {
    lists.reduce(1) { min($0 * max(1, $1.values.count), Int(Int32.max)) }
  }

  /// Returns the combinations, the last list changing fastest; nil if they have too many values.
  package func combinations() -> [[String: Value]]? {
    let grid = Grid(lists)
    guard lists.count * grid.count <= Self.valuesMax else { return nil }
    var isExcluded = [Bool](repeating: false, count: grid.count)
    for exclusion in Set(exclude) {
      for position in grid.positions(matching: exclusion) ?? [] { isExcluded[position] = true }
    }
    var result: [[String: Value]?] = (0..<grid.count).map { position in
      isExcluded[position] ? nil : grid.combination(at: position)
    }
    var added: [[String: Value]] = []
    var valuesLeft = Self.valuesMax
    for addition in include {
      // Add it to every combination whose list values it does not change; if there is none, it
      // becomes a combination of its own.
      var isUnmatched = true
      let positions = grid.positions(matching: addition) ?? []
      valuesLeft -= positions.count * max(1, addition.count)
      guard valuesLeft >= 0 else { return nil }
      for position in positions where !isExcluded[position] {
        isUnmatched = false
        result[position]?.merge(addition) { $1 }
      }
      if isUnmatched { added.append(addition) }
    }
    return result.compactMap(\.self) + added
  }
}

/// The combinations of lists, numbered with the last list changing fastest.
private struct Grid {
  private struct Dimension {
    let name: String
    let values: [Value]
    /// The positions of each value in the list.
    let positions: [Value: [Int]]
    /// The distance between combinations that differ by one position in this list.
    let stride: Int
  }

  private let dimensions: [Dimension]
  /// The indices of the lists, by name.
  private let numbers: [String: Int]
  /// The indices of the lists with several values.
  private let varying: [Int]
  /// The number of combinations; 0 without lists.
  let count: Int

  init(_ lists: [(name: String, values: [Value])]) {
    var dimensions: [Dimension] = []
    var stride = 1
    for (name, values) in lists.reversed() {
      dimensions.append(
        Dimension(
          name: name, values: values,
          positions: Dictionary(grouping: values.indices) { values[$0] }, stride: stride))
      stride *= values.count
    }
    dimensions.reverse()
    self.dimensions = dimensions
    numbers = Dictionary(lists.indices.map { (lists[$0].name, $0) }) { first, _ in first }
    varying = lists.indices.filter { lists[$0].values.count > 1 }
    count = lists.isEmpty ? 0 : stride
  }

  /// Returns the combination with a number.
  func combination(at position: Int) -> [String: Value] {
    var combination: [String: Value] = [:]
    combination.reserveCapacity(dimensions.count)
    for dimension in dimensions {
      combination[dimension.name] =
        dimension.values[position / dimension.stride % dimension.values.count]
    }
    return combination
  }

  /// Returns the numbers of the combinations that have the given values; nil if there is none.
  ///
  /// Ignores names that are not lists. Linear in names and results.
  func positions(matching values: [String: Value]) -> [Int]? {
    guard count > 0 else { return nil }
    var fixed: [Int: [Int]] = [:]
    for (name, value) in values {
      guard let number = numbers[name] else { continue }
      guard let positions = dimensions[number].positions[value] else { return nil }
      fixed[number] = positions
    }
    var result = [0]
    for number in varying {
      let dimension = dimensions[number]
      let choices = fixed[number] ?? Array(dimension.values.indices)
      result = result.flatMap { start in choices.map { start + $0 * dimension.stride } }
    }
    return result
  }
}
