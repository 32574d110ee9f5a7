// Parses `keep`, in a workflow file or as the settings of a project.

import YAML

extension Reader {
  /// Parses `keep`.
  mutating func keep(_ node: Node) -> Retention? {
    guard let fields = fields(of: node, .keep) else { return nil }
    return Retention(
      runs: fields["runs"].flatMap { number($0, "runs", from: 1) },
      age: fields["age"].flatMap { node in
        text(node, "age").flatMap { duration($0, node, "age", allowsZero: false) }
      },
      bytes: fields["bytes"].flatMap { size($0, "bytes", from: 1, "1") },
      logBytes: fields["log"].flatMap { size($0, "log", from: Retention.logBytesMin, "1m") })
  }

  private mutating func size(
    _ node: Node, _ what: String, from minimum: Int64, _ minimumText: String
  ) -> Int64? {
    guard let text = text(node, what) else { return nil }
    guard let size = bytes(inWorkflowText: text), size >= minimum else {
      report(.notASize(what, text, minimum: minimumText), at: node)
      return nil
    }
    return size
  }
}

extension Retention {
  /// Parses the settings of a project: a map with the keys of `keep`.
  ///
  /// - Parameters:
  ///   - bytes: The text of the file.
  ///   - file: Its path for messages.
  /// - Throws: ``WorkflowError`` with all errors.
  package init(_ bytes: [UInt8], file: String) throws(WorkflowError) {
    let source = SourceText(bytes)
    var reader = Reader(file: file, source: source)
    let document = Document(source)
    reader.report(document.problems)
    var retention = Retention()
    if let root = document.root, !root.isNull { retention = reader.keep(root) ?? retention }
    guard reader.errorCount == 0 else {
      throw WorkflowError(
        diagnostics: reader.sortedDiagnostics(), errorCount: reader.errorCount)
    }
    self = retention
  }
}
