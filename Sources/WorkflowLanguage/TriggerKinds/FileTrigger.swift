// The trigger `on: { files: … }`: changed files.

import YAML

/// A trigger that starts a run when files change.
public struct FileTrigger: Sendable, Equatable {
  /// The path patterns, relative to the directory in which the engine runs.
  ///
  /// A pattern that begins with `!` excludes files that earlier patterns include.
  public var patterns: [String]
  /// Whether files in `.gitignore` are ignored.
  public var respectsGitignore = true

  /// Creates a trigger for the files that match the patterns.
  public init(_ patterns: [String]) {
    self.patterns = patterns
  }
}

extension FileTrigger: TriggerKey {
  static let key = Key(
    "files", .either([.someTexts, .map(.files)]), "files whose changes start a run")

  package var words: [String] { ["files " + patterns.joined(separator: " ")] }

  static func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context
  ) -> FileTrigger? {
    reader.readFiles(node, context)
  }
}

extension Triggers {
  /// The trigger for changed files, if any.
  public var files: FileTrigger? {
    get { self[FileTrigger.self] }
    set { self[FileTrigger.self] = newValue }
  }
}

extension WorkflowReader {
  fileprivate mutating func readFiles(_ node: Node, _ context: Context) -> FileTrigger? {
    guard case .mapping = node.content else {
      return FileTrigger(nonEmptyPatterns(node, "files", context))
    }
    guard let fields = readers[0].fields(of: node, .files) else { return nil }
    guard let paths = fields["paths"] else {
      guard fields.lacks("paths") else { return nil }
      readers[0].report(.missing(.paths), at: node)
      return nil
    }
    var trigger = FileTrigger(nonEmptyPatterns(paths, "paths", context))
    if let node = fields["ignore"] {
      for pattern in patterns(node, "ignore", context) {
        guard !pattern.hasPrefix("!") else {
          readers[0].report(.ignorePattern, at: node)
          continue
        }
        trigger.patterns.append("!" + pattern)
      }
    }
    trigger.respectsGitignore =
      fields["gitignore"].flatMap { readers[0].boolean($0, "gitignore") } ?? true
    return trigger
  }

  private mutating func nonEmptyPatterns(
    _ node: Node, _ what: String, _ context: Context
  ) -> [String] {
    let before = errorCount
    let found = patterns(node, what, context)
    if errorCount == before, !found.contains(where: { !$0.hasPrefix("!") }) {
      readers[0].report(.noFile(what), at: node)
    }
    return found
  }
}
