// Reads the settings of a project: a file with the keys of `keep`.

import WorkflowReading
import YAML

extension Retention {
  /// Parses the settings of a project: a map with the keys of `keep`.
  ///
  /// - Parameters:
  ///   - bytes: The text of the file.
  ///   - file: Its path for messages.
  /// - Throws: ``WorkflowError`` with all errors.
  package init(_ bytes: [UInt8], file: String) throws(WorkflowError) {
    let source = SourceText(bytes)
    var reader = WorkflowReader(
      file: file, source: source, sources: .kept([:]), arguments: Arguments(),
      actions: nil)
    let document = Document(source)
    reader.readers[0].report(document.problems)
    var retention = Retention()
    if let root = document.root, !root.isNull {
      retention =
        Tables.keep.read(root, &reader, WorkflowReader.Context()) ?? retention
    }
    guard reader.errorCount == 0 else {
      throw WorkflowError(
        diagnostics: reader.readers[0].sortedDiagnostics(), errorCount: reader.errorCount)
    }
    self = retention
  }
}
