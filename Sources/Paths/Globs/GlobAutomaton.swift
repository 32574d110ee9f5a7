// Matches several patterns at once against a path, name by name.

/// A nondeterministic automaton over the components of all patterns.
///
/// A set of positions represents the parts of the patterns matched by the names so far. There is no
/// backtracking: each name is compared at most once with each component.
struct GlobAutomaton: Sendable, Equatable {
  /// A state of the automaton: a position in a pattern.
  struct Position: Sendable, Equatable {
    /// The component that the next name must match, or nil at the end of the pattern.
    let component: GlobComponent?
    /// The number of the pattern.
    let pattern: Int

    /// Whether the component is a literal name.
    var isName: Bool {
      if case .name = component { true } else { false }
    }
  }

  private(set) var positions: [Position] = []
  /// The initial positions, in ascending order like all sets of positions.
  private(set) var start: [Int] = []

  /// Adds a pattern or one of its alternatives.
  ///
  /// - Parameters:
  ///   - components: The components.
  ///   - pattern: The number of the pattern.
  mutating func add(_ components: [GlobComponent], pattern: Int) {
    let first = positions.count
    positions += components.map { Position(component: $0, pattern: pattern) }
    positions.append(Position(component: nil, pattern: pattern))
    enter(first, into: &start)
  }

  /// Returns the positions after one more name.
  ///
  /// - Parameters:
  ///   - set: The current positions.
  ///   - name: The next name.
  ///   - isAllowed: Returns whether a position may consume the name.
  /// - Returns: The next positions.
  func advance(_ set: [Int], by name: [UInt8], where isAllowed: (Position) -> Bool) -> [Int] {
    var result: [Int] = []
    for index in set {
      let position = positions[index]
      guard let component = position.component, isAllowed(position), component.matches(name) else {
        continue
      }
      enter(component == .anyFolders ? index : index + 1, into: &result)
    }
    return result
  }

  /// Returns the positions after all names of a path.
  func positions(after path: String) -> [Int] {
    var set = start
    for name in path.utf8.split(separator: UInt8(ascii: "/")) where !set.isEmpty {
      set = advance(set, by: Array(name)) { _ in true }
    }
    return set
  }

  /// Adds a position to a set, and the next one after `anyFolders`, which may match no name.
  private func enter(_ index: Int, into set: inout [Int]) {
    // Positions are entered in ascending order, except those after `anyFolders`, which are already
    // in the set.
    if index > set.last ?? -1 { set.append(index) }
    if positions[index].component == .anyFolders && index + 1 > set.last ?? -1 {
      set.append(index + 1)
    }
  }
}
