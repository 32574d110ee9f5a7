// The trigger `on: { files: … }`: changed files.

import WorkflowReading
import YAML

/// A trigger that starts a run when files change.
package struct FileTrigger: Sendable, Equatable {
  /// The path patterns, relative to the directory in which the engine runs.
  ///
  /// A pattern that begins with `!` excludes files that earlier patterns include.
  package var patterns: [String]
  /// Whether files in `.gitignore` are ignored.
  package var respectsGitignore = true

  /// Creates a trigger for the files that match the patterns.
  package init(_ patterns: [String]) {
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
  package var files: FileTrigger? {
    get { self[FileTrigger.self] }
    set { self[FileTrigger.self] = newValue }
  }
}

extension Tables {
  static let files = Table(
    "files", FileTrigger([]), missing: .missingPaths,
    [
      Field(
        "paths", \.patterns, .watchedPatterns, "patterns of the watched files", isRequired: true),
      Field("ignore", \.ignored, .ignoredPatterns, "patterns of files to ignore"),
      Field("gitignore", \.respectsGitignore, .boolean, "whether files in .gitignore are ignored"),
    ])
}

extension FileTrigger {
  /// Further patterns, of files that are ignored.
  fileprivate var ignored: [String] {
    get { [] }
    set { patterns += newValue.map { "!" + $0 } }
  }
}

extension Form where Content == [String] {
  /// Patterns of which one includes files.
  static let watchedPatterns = Form(
    .someTexts,
    read: { node, site, reader in
      let before = reader.errorCount
      let found = reader.patterns(node, site.what, site.context)
      if reader.errorCount == before, !found.contains(where: { !$0.hasPrefix("!") }) {
        reader.readers[site.context.file].report(.noFile(site.what), at: node)
      }
      return found
    })

  fileprivate static let ignoredPatterns = Form(
    .texts,
    read: { node, site, reader in
      reader.patterns(node, site.what, site.context).filter { pattern in
        guard pattern.hasPrefix("!") else { return true }
        reader.readers[site.context.file].report(.ignorePattern, at: node)
        return false
      }
    })
}
