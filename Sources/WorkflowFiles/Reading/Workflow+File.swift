// The initializers that read workflows from files, text and bytes.

import Platform
import WorkflowReading
import YAML

extension Workflow {
  /// Reads a workflow from a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - arguments: The parameters and the trigger of the run.
  ///   - actions: The actions that its steps can call; calls are not checked if nil.
  /// - Throws: ``WorkflowError`` with all errors of the file, or the reason why it cannot be read.
  public init(
    contentsOf path: String, with arguments: Arguments = Arguments(),
    actions: ActionCatalog? = nil
  ) throws(WorkflowError) {
    try self.init(bytes: try Self.bytes(of: path), file: path, with: arguments, actions: actions)
  }

  /// Reads a workflow from text.
  ///
  /// - Parameters:
  ///   - text: The text of a workflow file.
  ///   - file: Its path for messages; paths of used files are relative to it.
  ///   - arguments: The parameters and the trigger of the run.
  ///   - actions: The actions that its steps can call; calls are not checked if nil.
  /// - Throws: ``WorkflowError`` with all errors.
  public init(
    text: String, file: String, with arguments: Arguments = Arguments(),
    actions: ActionCatalog? = nil
  ) throws(WorkflowError) {
    try self.init(bytes: Array(text.utf8), file: file, with: arguments, actions: actions)
  }

  /// Reads a workflow from bytes, which may be invalid UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of a workflow file.
  ///   - file: Its path for messages; paths of used files are relative to it.
  ///   - sources: The source of the files that it uses.
  ///   - arguments: The parameters and the trigger of the run.
  ///   - actions: The actions that its steps can call; calls are not checked if nil.
  /// - Throws: ``WorkflowError`` with all errors.
  package init(
    bytes: [UInt8], file: String, sources: SourceFiles = .disk,
    with arguments: Arguments = Arguments(), actions: ActionCatalog? = nil
  ) throws(WorkflowError) {
    self = try WorkflowText(bytes, file: file).workflow(
      from: sources, with: arguments, actions: actions)
  }

  /// Reads a whole file, up to one byte more than the maximum size.
  ///
  /// - Parameter path: The path of the file.
  /// - Returns: Its bytes.
  /// - Throws: ``WorkflowError`` if it cannot be read.
  package static func bytes(of path: String) throws(WorkflowError) -> [UInt8] {
    do throws(Errno) {
      let file = try OpenFile(path)
      return try file.readAll(upTo: SourceText.bytesMax)
    } catch {
      throw WorkflowError(diagnostics: [
        Diagnostic(.unreadable(.failed("\(error)")), file: path)
      ])
    }
  }
}

extension Arguments {
  /// Parses a parameter file: a map in YAML or JSON.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the file.
  ///   - file: Its path for messages.
  /// - Returns: The values as text, by name.
  /// - Throws: ``WorkflowError`` with all errors.
  package static func texts(in bytes: [UInt8], file: String) throws(WorkflowError) -> [String:
    String]
  {
    let source = SourceText(bytes)
    var reader = Reader(file: file, source: source)
    // JSON strings may contain characters that YAML does not allow. What is an error in YAML is one
    // here, too, and is found there.
    if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"),
      let text = String(validating: bytes, as: UTF8.self), let texts = Value.texts(ofMap: text)
    {
      return texts
    }
    let document = Document(source)
    reader.report(document.problems)
    var texts: [String: String] = [:]
    if let root = document.root, !root.isNull {
      for (name, _, value) in reader.named(root, "a parameter file", .identifier) {
        switch value.content {
        case .sequence, .mapping: texts[name] = Value(value).json
        case .scalar: texts[name] = reader.scalar(value, "the parameter \"\(name)\"")
        }
      }
    }
    guard reader.errorCount == 0 else {
      throw WorkflowError(
        diagnostics: reader.sortedDiagnostics(), errorCount: reader.errorCount)
    }
    return texts
  }
}
