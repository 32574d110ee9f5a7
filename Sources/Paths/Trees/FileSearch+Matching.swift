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

  /// Returns the numbers of the patterns that match none of the paths, in order.
  ///
  /// Patterns that exclude need not match. Stops at the path by which all have matched.
  package func unmatched(among paths: some Sequence<String>) -> [Int] {
    var rest = Set(isExclusion.indices.filter { !isExclusion[$0] })
    for path in paths {
      guard !rest.isEmpty else { break }
      rest.subtract(patterns(matching: path))
    }
    return rest.sorted()
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

  /// Returns whether the patterns select a file whose path leads to the given positions, or a folder
  /// itself.
  func isWanted(_ matched: [Int], asFolder: Bool = false) -> Bool {
    let last = lastMatch(matched, isExclusion: false, asFolder: asFolder) ?? -1
    return last > lastMatch(matched, isExclusion: true) ?? -1
  }

  /// Returns the last pattern that matches the whole path, and therefore everything below it.
  ///
  /// Considers either the excluding or the including patterns.
  func lastMatch(
    _ matched: [Int], isExclusion wantsExclusion: Bool, asFolder: Bool = false
  ) -> Int? {
    matched.last { index in
      let position = automaton.positions[index]
      return position.component == nil && isExclusion[position.pattern] == wantsExclusion
        && selectsFolders[position.pattern] == asFolder
    }.map { automaton.positions[$0].pattern }
  }
}
