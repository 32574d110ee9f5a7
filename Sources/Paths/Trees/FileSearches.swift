// The searches that were read last, since many steps have the same patterns.

import Synchronization

/// Reads lists of patterns, and remembers the last ones.
///
/// Steps that a foreach or matrix makes of one have the same list, which would be read again for each of
/// them otherwise.
package final class FileSearches: Sendable {
  private struct Known {
    let patterns: [String]
    let search: FileSearch
  }

  private struct State {
    /// The last one first.
    var known: [Known] = []
    var readCount = 0
  }

  /// How many lists are remembered: those of the steps that run at about the same time.
  private static let knownMax = 16

  private let state = Mutex(State())

  package init() {}

  /// How often a list was read.
  var readCount: Int { state.withLock { $0.readCount } }

  /// The search for some patterns.
  ///
  /// - Parameter patterns: The texts of the patterns.
  /// - Returns: The search.
  /// - Throws: ``GlobError`` for the first that makes no sense.
  package func search(for patterns: [String]) throws(GlobError) -> FileSearch {
    let known = state.withLock { state in
      state.known.first { Self.areSame($0.patterns, patterns) }
    }
    if let known { return known.search }
    let search = try FileSearch(patterns)
    state.withLock { state in
      state.readCount += 1
      state.known.insert(Known(patterns: patterns, search: search), at: 0)
      if state.known.count > Self.knownMax { state.known.removeLast() }
    }
    return search
  }

  /// Whether two lists have the same bytes: texts that Swift calls equal may match different names.
  private static func areSame(_ left: [String], _ right: [String]) -> Bool {
    left.count == right.count
      && zip(left, right).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
  }
}
