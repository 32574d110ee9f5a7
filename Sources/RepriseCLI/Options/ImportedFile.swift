// Reads a file of another tool, for `reprise import` and `reprise validate --from`.

import Reprise
import RepriseHost
import RepriseImport
import RepriseTerminal

extension ImportedWorkflow {
  /// Reads and translates a file.
  ///
  /// - Parameters:
  ///   - file: The path of the file.
  ///   - given: The tool; if nil, it is recognized by the file.
  /// - Returns: The translation, and the tool.
  /// - Throws: ``Problem``.
  static func read(
    _ file: String, from given: ImportFormat?
  ) throws(Problem) -> (ImportedWorkflow, ImportFormat) {
    let bytes: [UInt8]
    do throws(WorkflowError) {
      bytes = try Workflow.bytes(of: file)
    } catch {
      throw Problem(error)
    }
    guard let format = given ?? ImportFormat(path: file, bytes: bytes) else {
      throw Problem(
        """
        error: "\(file)" is not recognized; choose the tool: --from github, taskfile, dagu or make
        """)
    }
    do throws(ImportError) {
      let folder = folder(of: file, format)
      let workflow = try ImportedWorkflow(bytes, from: format, path: file) { path in
        try? Workflow.bytes(of: folder + "/" + path)
      }
      return (workflow, format)
    } catch {
      throw Problem("error: \"\(file)\" cannot be imported: \(error.description)")
    }
  }

  /// The folder of other files that a file uses: the repository of a workflow of GitHub.
  private static func folder(of file: String, _ format: ImportFormat) -> String {
    var parts = file.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast()
    if format == .github, parts.suffix(2) == [".github", "workflows"] { parts.removeLast(2) }
    return parts.isEmpty ? "." : parts.joined(separator: "/")
  }

  /// The file, with what it is and how much is in it.
  func title(of file: String, _ format: ImportFormat) -> String {
    "\(file): \(format.title), \(stepCount) \(stepCount == 1 ? "step" : "steps")"
  }
}

extension ImportRemark {
  /// The place in the file of the other tool.
  func place(in file: String) -> String { line > 0 ? "\(file):\(line)" : file }
}
