// Matches paths with the patterns of a search without accessing the file system.

extension FileSearch {
  /// Returns whether the patterns select a file.
  ///
  /// - Parameter path: The path of the file, relative to the folder of the patterns.
  /// - Returns: Whether ``files(in:)`` would return the file if it existed, ignoring symbolic
  ///   links.
  package func names(_ path: String) -> Bool { isWanted(automaton.positions(after: path)) }

  /// Returns the numbers of the patterns that match a whole path, regardless of exclusions.
  package func patterns(matching path: String) -> [Int] {
    automaton.positions(after: path).lazy.map { automaton.positions[$0] }
      .filter { $0.component == nil }.map(\.pattern)
  }

  /// Returns whether the patterns may select files below a folder.
  ///
  /// - Parameter folder: The path of the folder, relative to the folder of the patterns.
  /// - Returns: Whether files below the folder may be selected.
  package func mayName(below folder: String) -> Bool { mayFind(automaton.positions(after: folder)) }

  /// Returns whether a pattern may select a file that no later pattern excludes.
  func mayFind(_ matched: [Int]) -> Bool {
    let lastExclusion = lastMatch(matched, isExclusion: true) ?? -1
    return matched.contains { index in
      let pattern = automaton.positions[index].pattern
      return pattern > lastExclusion && !isExclusion[pattern]
    }
  }

  /// Returns whether the patterns select a file whose path leads to the given positions.
  func isWanted(_ matched: [Int]) -> Bool {
    (lastMatch(matched, isExclusion: false) ?? -1) > (lastMatch(matched, isExclusion: true) ?? -1)
  }

  /// Returns the last pattern that matches the whole path, and therefore everything below it.
  ///
  /// Considers either the excluding or the including patterns.
  func lastMatch(_ matched: [Int], isExclusion wantsExclusion: Bool) -> Int? {
    matched.last { index in
      let position = automaton.positions[index]
      return position.component == nil && isExclusion[position.pattern] == wantsExclusion
    }.map { automaton.positions[$0].pattern }
  }
}
