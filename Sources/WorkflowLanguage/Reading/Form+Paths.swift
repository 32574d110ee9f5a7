// Reads patterns of paths and paths of files, and checks each list and pattern once for all expanded
// steps.

import Paths
import YAML

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
  mutating func patterns(_ node: Node, _ what: String, _ context: Context) -> [String] {
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
  mutating func pathOfFile(_ node: Node, _ what: String, _ context: Context) -> String? {
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

extension WorkflowReader {
  /// Returns the files that match the patterns, in byte order; nil if they are not known.
  ///
  /// The list is kept with the run, so that a resumed run has the same steps.
  mutating func readFiles(
    _ node: Node, dir: Node?, _ context: Context
  ) -> [Value]? {
    let file = context.file
    guard let fields = readers[file].fields(of: node, Tables.itemFiles) else { return nil }
    guard let files = fields["files"] else {
      guard fields.lacks("files") else { return nil }
      readers[file].report(.missingFiles, at: node)
      return nil
    }
    let before = errorCount
    let patterns = patterns(files, "files", context)
    guard let folder = folder(dir, files, context), errorCount == before else {
      return errorCount == before ? [.null] : nil
    }
    // Not the path of a file, so it cannot be one of a used file.
    let key = "foreach: \(folder): " + patterns.joined(separator: "\n")
    let text: String
    if let known = usedSources[key] ?? sources.keptText(key) {
      text = known
    } else {
      do throws(FileError) {
        text = try found(patterns, in: folder).joined(separator: "\n")
      } catch {
        readers[file].report(.filesOfForeach("\(error)"), at: files)
        return nil
      }
    }
    usedSources[key] = text
    return text.isEmpty ? [] : text.split(separator: "\n").map { .text(String($0)) }
  }

  private func found(_ patterns: [String], in folder: String) throws(FileError) -> [String] {
    // The patterns have been checked.
    guard let search = try? FileSearch(patterns, .entries) else { return [] }
    // A line feed separates the names that are kept.
    return try search.files(in: folder).filter { !$0.contains("\n") }
  }

  /// Returns the folder in which a step runs; nil if it is not known, with or without an error.
  private mutating func folder(_ dir: Node?, _ files: Node, _ context: Context) -> String? {
    var folder = "."
    for (template, scope, bindings) in directories(around: context) {
      do throws(EvaluationError) {
        let source = StaticValues(
          scope: scopes[scope], bindings: bindings, what: "files", budget: budget)
        folder = SourceFiles.joined(folder, below: try template.value(from: source).asText)
      } catch {
        if case .invalid = error {
          readers[context.file].report(
            .filesOfForeach("the directory of these files is not known before the run"), at: files)
        }
        return nil
      }
    }
    guard let dir else { return folder }
    return text(dir, "dir of a step with files", context).map {
      SourceFiles.joined(folder, below: $0)
    }
  }

  /// Returns the directories of the files and groups around a step, each relative to the one before
  /// it, with the scope and the values of its expression.
  private func directories(
    around context: Context
  ) -> [(template: Template, scope: Int, bindings: Bindings?)] {
    var chain: [Int] = []
    var next: Int? = context.scope
    while let scope = next {
      chain.append(scope)
      next = scopes[scope].parent
    }
    var found: [(template: Template, scope: Int, bindings: Bindings?)] = []
    for position in chain.reversed() {
      let scope = scopes[position]
      for directory in scope.callerDirectories {
        found.append((directory, scope.parent ?? 0, scope.bindings))
      }
      if let directory = scope.directory { found.append((directory, position, scope.bindings)) }
    }
    for directory in context.extras.directories {
      found.append((directory, context.scope, context.bindings))
    }
    return found
  }
}

extension SourceFiles {
  /// Returns a path, relative to a folder unless it is absolute.
  fileprivate static func joined(_ folder: String, below path: String) -> String {
    path.hasPrefix("/") ? path : folder == "." ? path : folder + "/" + path
  }
}
