// A cache of parsed file searches.

import Synchronization

/// Parses lists of patterns and caches the most recent ones.
///
/// The steps expanded from one `foreach` or `matrix` have the same patterns, which would otherwise
/// be parsed for each step.
package final class FileSearches: Sendable {
  private struct Known {
    let patterns: [String]
    let scope: FileSearch.Scope
    let search: FileSearch
  }

  private struct State {
    /// The cached searches, most recently added first.
    var known: [Known] = []
    var readCount = 0
  }

  /// The maximum number of cached searches: enough for the steps that run at about the same time.
  private static let knownMax = 16

  private let state = Mutex(State())

  package init() {}

  /// The number of lists parsed.
  var readCount: Int { state.withLock { $0.readCount } }

  /// Returns the search for a list of patterns.
  ///
  /// - Parameters:
  ///   - patterns: The texts of the patterns.
  ///   - scope: What a pattern selects.
  /// - Returns: The search.
  /// - Throws: ``GlobError`` for the first invalid pattern.
  package func search(
    for patterns: [String], _ scope: FileSearch.Scope = .trees
  ) throws(GlobError) -> FileSearch {
    let known = state.withLock { state in
      state.known.first { $0.scope == scope && Self.areSame($0.patterns, patterns) }
    }
    if let known { return known.search }
    let search = try FileSearch(patterns, scope)
    state.withLock { state in
      state.readCount += 1
      state.known.insert(Known(patterns: patterns, scope: scope, search: search), at: 0)
      if state.known.count > Self.knownMax { state.known.removeLast() }
    }
    return search
  }

  /// Compares bytes: texts that are equal in Swift may match different names.
  private static func areSame(_ left: [String], _ right: [String]) -> Bool {
    left.count == right.count
      && zip(left, right).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
  }
}
