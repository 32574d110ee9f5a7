// Reads patterns of paths and paths of files, and checks each list and pattern once for all
// expanded steps.

import Paths
import Workflows
package import YAML

/// A cache of the path patterns that were read.
struct KnownPatterns {
  /// The place of a list.
  struct Place: Hashable {
    let file: Int
    let line: Int
    let column: Int
  }

  /// The maximum number of characters of all patterns of a workflow, with braces expanded.
  static let sizeMax = 4 << 20

  /// The lists without expressions, which are the same for each expanded step.
  var lists: [Place: [String]] = [:]
  /// The valid patterns.
  private var texts: Set<String> = []
  /// The number of characters of the valid patterns, with braces expanded.
  private(set) var size = 0

  /// Returns whether a pattern is known to be valid.
  ///
  /// Compares bytes, because equal Swift strings may differ in Unicode normalization, which matters
  /// between `[` and `]`.
  private func has(_ pattern: String) -> Bool {
    guard let index = texts.firstIndex(of: pattern) else { return false }
    return texts[index].hasSameBytes(as: pattern)
  }

  /// Checks a pattern, unless it is known to be valid.
  ///
  /// - Throws: ``GlobError`` if it is invalid, or if all patterns together are too large.
  mutating func check(_ pattern: String) throws(GlobError) {
    guard !has(pattern) else { return }
    size += try GlobParser.size(
      of: pattern.hasPrefix("!") ? String(pattern.dropFirst()) : pattern)
    guard size <= Self.sizeMax else {
      throw GlobError(
        pattern: pattern,
        message:
          "the patterns of this workflow are too large: the maximum for all patterns together, "
          + "with braces expanded, is \(Self.sizeMax >> 20) MiB; use * or fewer patterns")
    }
    texts.insert(pattern)
  }
}

extension WorkflowReader {
  /// Reads path patterns, and reports invalid patterns.
  package mutating func patterns(_ node: Node, _ what: String, _ context: Context) -> [String] {
    let place = KnownPatterns.Place(
      file: context.file, line: node.mark.line, column: node.mark.column)
    if let known = knownPatterns.lists[place] { return known }
    var nodes = [node]
    if case .sequence(let items) = node.content { nodes = items }
    let before = errorCount
    let patterns = nodes.compactMap { pattern($0, what, context) }
    if errorCount == before, !nodes.contains(where: { $0.text?.hasExpression == true }) {
      knownPatterns.lists[place] = patterns
    }
    return patterns
  }

  private mutating func pattern(_ node: Node, _ what: String, _ context: Context) -> String? {
    guard let pattern = patternText(node, what, context) else { return nil }
    warnOfVariables(in: node, context)
    return check(pattern, node, context) ? pattern : nil
  }

  /// Reads the path of a file, which is no pattern, below the folder of a step.
  package mutating func pathOfFile(_ node: Node, _ what: String, _ context: Context) -> String? {
    guard let written = text(node, what, context) else { return nil }
    let path = SourceFiles.normalized(written)
    return check(GlobParser.escaping(path), node, context) ? path : nil
  }

  private mutating func check(_ pattern: String, _ node: Node, _ context: Context) -> Bool {
    do throws(GlobError) {
      try knownPatterns.check(pattern)
      return true
    } catch {
      readers[context.file].report(.pattern(error.message), at: node)
      return false
    }
  }
}
