// Matches many patterns at once against a path that is read name by name. Knows no files.

/// The components of patterns in a row, each pattern with an end behind it.
///
/// A set of positions in this row says which parts of the patterns the names so far have matched.
/// Each name of a path is compared at most once with each component: nothing is ever tried twice.
struct GlobAutomaton: Sendable, Equatable {
  /// A position in the row.
  struct Position: Sendable, Equatable {
    /// What the next name has to match, or nil where the pattern is at its end.
    let component: GlobComponent?
    /// The number of the pattern to which it belongs.
    let pattern: Int

    /// Whether the next name is written out.
    var isName: Bool {
      if case .name = component { true } else { false }
    }
  }

  private(set) var positions: [Position] = []
  /// Where a path begins; in order, as all sets are.
  private(set) var start: [Int] = []

  /// Adds a pattern, or one alternative of it.
  ///
  /// - Parameters:
  ///   - components: Its components.
  ///   - pattern: The number of the pattern.
  mutating func add(_ components: [GlobComponent], pattern: Int) {
    let first = positions.count
    positions += components.map { Position(component: $0, pattern: pattern) }
    positions.append(Position(component: nil, pattern: pattern))
    enter(first, into: &start)
  }

  /// Goes on by one name.
  ///
  /// - Parameters:
  ///   - set: Where the names so far lead to.
  ///   - name: The next name.
  ///   - isAllowed: Whether a position may match the name.
  /// - Returns: Where the names lead to, with this one.
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

  /// Where all the names of a path lead to.
  func positions(after path: String) -> [Int] {
    var set = start
    for name in path.utf8.split(separator: UInt8(ascii: "/")) where !set.isEmpty {
      set = advance(set, by: Array(name)) { _ in true }
    }
    return set
  }

  /// Adds a position to a set, and the one behind it where any folders may also be none.
  private func enter(_ index: Int, into set: inout [Int]) {
    // Positions are entered in order but for those that follow `anyFolders`, and these are there
    // already: they were entered together with it.
    if index > set.last ?? -1 { set.append(index) }
    if positions[index].component == .anyFolders && index + 1 > set.last ?? -1 {
      set.append(index + 1)
    }
  }
}
