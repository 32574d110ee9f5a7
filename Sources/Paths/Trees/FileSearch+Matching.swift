// Whether a path is one of those that patterns mean, without a look at any folder.

extension FileSearch {
  /// Whether a file is meant.
  ///
  /// - Parameter path: Its path, relative to the folder that the patterns are relative to.
  /// - Returns: What ``files(in:)`` would say of it, were it there; symbolic links are not looked at.
  package func names(_ path: String) -> Bool { isWanted(automaton.positions(after: path)) }

  /// The numbers of the patterns that match a path as a whole, whatever others take away.
  package func patterns(matching path: String) -> [Int] {
    automaton.positions(after: path).lazy.map { automaton.positions[$0] }
      .filter { $0.component == nil }.map(\.pattern)
  }

  /// Whether files may be meant that are below a folder.
  ///
  /// - Parameter folder: Its path, relative to the folder that the patterns are relative to.
  /// - Returns: Whether they may.
  package func mayName(below folder: String) -> Bool { mayFind(automaton.positions(after: folder)) }

  /// Whether a pattern may find something that none behind it takes away.
  func mayFind(_ matched: [Int]) -> Bool {
    let lastTaking = ends(matched, takingAway: true) ?? -1
    return matched.contains { index in
      let pattern = automaton.positions[index].pattern
      return pattern > lastTaking && !takesAway[pattern]
    }
  }

  /// Whether a file is meant when so much of the patterns is matched by its path.
  func isWanted(_ matched: [Int]) -> Bool {
    (ends(matched, takingAway: false) ?? -1) > (ends(matched, takingAway: true) ?? -1)
  }

  /// The last pattern of a kind that has matched as a whole, and so matches all that is below.
  func ends(_ matched: [Int], takingAway: Bool) -> Int? {
    matched.last { index in
      let position = automaton.positions[index]
      return position.component == nil && takesAway[position.pattern] == takingAway
    }.map { automaton.positions[$0].pattern }
  }
}
