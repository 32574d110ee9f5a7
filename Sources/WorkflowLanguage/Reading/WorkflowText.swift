// A workflow file that was parsed, and that can be read as often as needed.

import YAML

/// The text of a workflow file, parsed once.
package struct WorkflowText: Sendable {
  /// Its bytes, which need not be well-formed.
  package let bytes: [UInt8]
  /// The name that messages give to it; files that it uses are looked for beside it.
  package let file: String
  private let source: SourceText
  private let document: Document

  /// Parses bytes; linear in their number.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of a workflow file.
  ///   - file: The name that messages give to it.
  package init(_ bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
    source = SourceText(bytes)
    document = Document(source)
  }

  /// Parses a file.
  ///
  /// - Parameter path: The path of the file.
  /// - Throws: ``WorkflowError`` with the reason why it cannot be read.
  package init(contentsOf path: String) throws(WorkflowError) {
    self.init(try Workflow.bytes(of: path), file: path)
  }

  /// Reads the workflow.
  ///
  /// - Parameters:
  ///   - sources: Where the files come from that it uses.
  ///   - arguments: What the run is given.
  ///   - actions: What its steps may call; what they call is not checked when nil.
  /// - Returns: The workflow.
  /// - Throws: ``WorkflowError`` with every error.
  package func workflow(
    from sources: SourceFiles = .disk, with arguments: Arguments, actions: ActionCatalog?
  ) throws(WorkflowError) -> Workflow {
    var reader = WorkflowReader(
      file: file, source: source, sources: sources, arguments: arguments, actions: actions)
    let base = file.split(separator: "/").last ?? "workflow"
    let name = base.split(separator: ".").first ?? base
    return try reader.workflow(from: document, defaultName: String(name))
  }

  /// What a run may be given, in the order of the file; none where that cannot be read.
  ///
  /// Errors are reported when all of the file is read.
  package var parameters: [Parameter] { read("params") { $0.parameters($1) } ?? [] }

  /// Where the secrets of the file itself come from, not those of files that it uses; none where they
  /// cannot be read.
  package var secretSources: [String: SecretSource] { read("secrets") { $0.secrets($1) } ?? [:] }

  private func read<Result>(_ key: String, _ read: (inout Reader, Node) -> Result) -> Result? {
    var reader = Reader(file: file, source: source)
    guard let root = document.root, case .mapping(let pairs) = root.content,
      let node = pairs.first(where: { $0.key.text == key })?.value
    else { return nil }
    return read(&reader, node)
  }
}
