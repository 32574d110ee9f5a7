// A workflow file with the corrections that its diagnostics know.

import Platform
package import Reprise
package import RepriseTerminal

/// A file and its corrections, which are shown before they are written.
package struct FixedFile: Sendable {
  /// The path of the file.
  package let path: String
  private let fixed: FixedText

  /// The changes as a unified diff.
  package var difference: TerminalSafe { TerminalSafe(lines: fixed.difference(in: path)) }

  /// Returns the files that diagnostics correct, in the order of their paths.
  ///
  /// A correction after which a file has more errors than before is left out.
  ///
  /// - Parameter diagnostics: The errors and warnings of a workflow and of the files that it uses.
  /// - Returns: The files.
  package static func files(correctedBy diagnostics: [Diagnostic]) -> [FixedFile] {
    Dictionary(grouping: diagnostics.filter { !$0.edits.isEmpty }, by: \.file)
      .sorted { $0.key < $1.key }
      .compactMap { path, diagnostics in
        guard let bytes = fileContents(path) else { return nil }
        let before = errorCount(bytes, path)
        func fixed(_ edits: [Diagnostic.Edit]) -> FixedText? {
          let text = FixedText(bytes, edits)
          return text.bytes != bytes && errorCount(text.bytes, path) <= before ? text : nil
        }
        if let all = fixed(diagnostics.flatMap(\.edits)) {
          return FixedFile(path: path, fixed: all)
        }
        var edits: [Diagnostic.Edit] = []
        for diagnostic in diagnostics where fixed(edits + diagnostic.edits) != nil {
          edits += diagnostic.edits
        }
        return fixed(edits).map { FixedFile(path: path, fixed: $0) }
      }
  }

  private static func errorCount(_ bytes: [UInt8], _ path: String) -> Int {
    do throws(WorkflowError) {
      _ = try Workflow(bytes: bytes, file: path, with: Arguments(allowsMissing: true))
      return 0
    } catch {
      return error.diagnostics.count { $0.severity == .error }
    }
  }

  /// Replaces the file, or that to which a link points, at once.
  ///
  /// - Throws: ``Problem`` if it cannot be written.
  package func write() throws(Problem) {
    let real = realPath(path) ?? path
    let new = real + ".new"
    do throws(Errno) {
      let permissions = try OpenFile(real).status().permissions
      try writeFile(fixed.bytes, to: new)
      try changePermissions(of: new, to: permissions)
      try renameFile(new, to: real)
    } catch {
      if error != .fileExists { try? removeFile(new) }
      throw Problem("error: cannot write \(path): \(error)")
    }
  }
}
