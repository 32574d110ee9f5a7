// Reads lists of path patterns. Each list and each pattern is checked once, however many steps it becomes part of.

import Paths
import YAML

/// The patterns of paths that were read already.
struct KnownPatterns {
  /// Where a list is written.
  struct Place: Hashable {
    let file: Int
    let line: Int
    let column: Int
  }

  /// How many characters all patterns of a workflow may have together, with their braces written out.
  static let sizeMax = 4 << 20

  /// The lists in which nothing is computed: they are the same for each of many steps.
  var lists: [Place: [String]] = [:]
  /// The patterns that make sense.
  private var texts: Set<String> = []
  /// How many characters they have, with their braces written out.
  private(set) var size = 0

  /// Whether a pattern was found to make sense.
  ///
  /// Texts that Swift calls equal may spell a letter differently, which matters between `[` and `]`.
  private func has(_ pattern: String) -> Bool {
    guard let index = texts.firstIndex(of: pattern) else { return false }
    return texts[index].hasSameBytes(as: pattern)
  }

  /// Checks a pattern, unless the same one was checked already.
  ///
  /// - Throws: ``GlobError`` when it makes no sense, or all of them together are too large.
  mutating func check(_ pattern: String) throws(GlobError) {
    guard !has(pattern) else { return }
    size += try GlobParser.size(
      of: pattern.hasPrefix("!") ? String(pattern.dropFirst()) : pattern)
    guard size <= Self.sizeMax else {
      throw GlobError(
        pattern: pattern,
        message:
          "the patterns of this workflow are too large: with their braces written out, all of "
          + "them together have at most \(Self.sizeMax >> 20) MiB; use * or fewer patterns")
    }
    texts.insert(pattern)
  }
}

extension WorkflowReader {
  /// Patterns of paths; those that make no sense are reported.
  mutating func patterns(_ node: Node, _ what: String, _ context: Context) -> [String] {
    let place = KnownPatterns.Place(
      file: context.file, line: node.mark.line, column: node.mark.column)
    if let known = knownPatterns.lists[place] { return known }
    var nodes = [node]
    if case .sequence(let items) = node.content { nodes = items }
    let before = mistakeCount
    let patterns = nodes.compactMap { pattern($0, what, context) }
    if mistakeCount == before, !nodes.contains(where: { $0.text?.hasExpression == true }) {
      knownPatterns.lists[place] = patterns
    }
    return patterns
  }

  private mutating func pattern(_ node: Node, _ what: String, _ context: Context) -> String? {
    guard let pattern = text(node, what, context) else { return nil }
    do throws(GlobError) {
      try knownPatterns.check(pattern)
      return pattern
    } catch {
      readers[context.file].report(.pattern(error.message), at: node)
      return nil
    }
  }
}
