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
    "files", .either([.someTexts, .map(Tables.files.keys)]), "files whose changes start a run")

  package var words: [String] { ["files " + patterns.joined(separator: " ")] }

  static func read(
    _ node: Node, _ reader: inout WorkflowReader, _ context: WorkflowReader.Context
  ) -> FileTrigger? {
    if case .mapping = node.content { return Tables.files.read(node, &reader, context) }
    let site = WorkflowReader.Site(what: "files", context: context, draft: nil)
    return Form<[String]>.watchedPatterns.read(node, site, &reader).map { FileTrigger($0) }
  }
}

extension Triggers {
  /// The trigger for changed files, if any.
  public var files: FileTrigger? {
    get { self[FileTrigger.self] }
    set { self[FileTrigger.self] = newValue }
  }
}
