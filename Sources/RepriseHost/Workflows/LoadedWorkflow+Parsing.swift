// Parses a workflow file, or one of the workflows in it: `ci.yaml#release`.

package import Reprise
import RepriseJournal
import RepriseTerminal

extension LoadedWorkflow {
  /// Parses a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file; followed by `#` and a name, that workflow under `workflows` of
  ///     the file, unless there is a file of the whole name.
  ///   - known: The previously parsed file, which is reused if the file has not changed.
  /// - Returns: The parsed file, which can be loaded with any arguments.
  /// - Throws: ``Problem`` if the file cannot be read, or has no such workflow.
  package static func parse(
    _ path: String, ifNot known: WorkflowText? = nil
  ) throws(Problem) -> WorkflowText {
    let (file, part) = WorkflowFiles.parts(of: path)
    return try parse(file, part: part, ifNot: known)
  }

  /// Parses a file for one of the workflows in it, or for itself.
  static func parse(
    _ path: String, part: String?, ifNot known: WorkflowText? = nil
  ) throws(Problem) -> WorkflowText {
    let source: WorkflowText
    do throws(WorkflowError) {
      let bytes = try Workflow.bytes(of: path)
      source =
        if let known, known.file == path, known.bytes == bytes {
          known.part(part)
        } else {
          WorkflowText(bytes, file: path, part: part)
        }
    } catch {
      throw Problem(error)
    }
    if let part, !source.isFound { throw unknown(part, in: source) }
    return source
  }

  /// Returns the workflows of a file, each with its path; with nil if the file cannot be read.
  ///
  /// - Parameter path: The path of the file, as in ``parse(_:ifNot:)``.
  /// - Returns: The file itself, unless it is only a collection of workflows, and the workflows in it.
  package static func all(in path: String) -> [(path: String, source: WorkflowText?)] {
    guard let source = try? parse(path) else { return [(path, nil)] }
    return source.workflows.map { ($0.link, $0) }
  }

  /// Returns the error that a file is only a collection of workflows.
  static func choice(in source: WorkflowText) -> Problem {
    let names = source.namesOfParts
    let list = names.map { TerminalSafe($0) }.joined(separator: ", ")
    return Problem(
      """
      error: the file \(source.file) has no steps of its own; add the name of a workflow in it, as \
      in: \(source.file)#\(names.first ?? "")
        workflows there: \(list)
      """)
  }

  private static func unknown(_ part: String, in source: WorkflowText) -> Problem {
    let names = source.namesOfParts
    var text: TerminalSafe =
      "error: the file \(source.file) has no workflow \"\(part)\" under \"workflows\""
    if let near = nearest(to: part, among: names) { text += "; did you mean \"\(near)\"?" }
    let list = names.map { TerminalSafe($0) }.joined(separator: ", ")
    if !names.isEmpty { text += "\n  workflows there: \(list)" }
    return Problem(text)
  }
}

extension RunRecord {
  /// Reads the workflow by which a run runs, from what was recorded.
  ///
  /// - Parameter arguments: The arguments for its parameters.
  /// - Returns: The workflow.
  /// - Throws: ``WorkflowError``.
  package func recordedWorkflow(with arguments: Arguments) throws(WorkflowError) -> Workflow {
    let source = WorkflowText(
      Array(request.source.utf8), file: request.path, part: request.part)
    return try source.workflow(
      from: .kept(request.definition.uses), with: arguments, actions: nil)
  }
}
