// A parsed workflow file, which can be read several times.

import WorkflowReading
import YAML

/// A workflow file that is parsed once and can be read several times.
package struct WorkflowText: Sendable {
  /// The bytes of the file, which may be invalid UTF-8.
  package let bytes: [UInt8]
  /// The path for messages; paths of used files are relative to it.
  package let file: String
  /// The name of the workflow under `workflows` of the file; nil for the file itself.
  package private(set) var part: String?
  private let source: SourceText
  private let document: Document

  /// Parses bytes.
  ///
  /// Linear in their number.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of a workflow file.
  ///   - file: The path for messages.
  ///   - part: The name of the workflow under `workflows` of the file; nil for the file itself.
  package init(_ bytes: [UInt8], file: String, part: String? = nil) {
    self.bytes = bytes
    self.file = file
    self.part = part
    source = SourceText(bytes)
    document = Document(source)
  }

  /// Returns a workflow under `workflows` of the file, without parsing it again; nil for the file itself.
  package func part(_ name: String?) -> WorkflowText {
    var other = self
    other.part = name
    return other
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
  ///   - sources: The source of the files that it uses.
  ///   - arguments: The parameters and the trigger of the run.
  ///   - actions: The actions that its steps can call; calls are not checked if nil.
  /// - Returns: The workflow.
  /// - Throws: ``WorkflowError`` with all errors.
  package func workflow(
    from sources: SourceFiles = .disk, with arguments: Arguments, actions: ActionCatalog?
  ) throws(WorkflowError) -> Workflow {
    var reader = WorkflowReader(
      file: file, part: part, source: source, sources: sources, arguments: arguments,
      actions: actions)
    let base = file.split(separator: "/").last ?? "workflow"
    let name = base.split(separator: ".").first ?? base
    return try reader.workflow(from: document, defaultName: part ?? String(name))
  }

  /// The path with the name of the workflow in it: what a command line selects it with.
  package var link: String { part.map { file + "#" + $0 } ?? file }

  /// The names under `workflows` of the file, in its order.
  package var namesOfParts: [String] {
    document.root?.namesOfWorkflows ?? []
  }

  /// How commands name a workflow of a file.
  package struct Naming: Sendable, Equatable {
    /// The name under `workflows` of the file; nil for the file itself.
    package let part: String?
    package let aliases: [String]
    /// Whether it is meant if none is named.
    package let isDefault: Bool
    package let description: String?

    fileprivate init(_ part: String?, _ node: Node?) {
      func value(_ key: String) -> Node? {
        guard case .mapping(let pairs)? = node?.content else { return nil }
        return Node.position(of: key, in: pairs).map { pairs[$0].value }
      }
      self.part = part
      isDefault = value("default")?.text == "true"
      description = value("description")?.text
      switch value("aliases")?.content {
      case .sequence(let items)?: aliases = items.compactMap(\.text)
      case .scalar?: aliases = [value("aliases")?.text].compactMap(\.self)
      default: aliases = []
      }
    }
  }

  /// The workflows of the file that a command can name, as far as the file can be parsed: itself first.
  package var namings: [Naming] {
    let parts = document.root?.namedWorkflows ?? []
    return (hasOnlyParts ? [] : [Naming(nil, document.root)])
      + parts.compactMap { pair in pair.key.text.map { Naming($0, pair.value) } }
  }

  /// Whether the file is a collection of named workflows, and no workflow itself.
  package var hasOnlyParts: Bool {
    document.root?.isCollection == true && !namesOfParts.isEmpty
  }

  /// The file itself, unless it is only a collection of workflows, and the workflows in it; only the
  /// workflow if this is one in a file.
  package var workflows: [WorkflowText] {
    guard part == nil else { return [self] }
    let parts = namesOfParts.map { part($0) }
    return hasOnlyParts ? parts : [self] + parts
  }

  /// Whether the workflow is in the file, as far as the file can be parsed.
  package var isFound: Bool {
    guard let part, document.problems.isEmpty else { return true }
    return namesOfParts.contains(part)
  }

  /// The map of the workflow; nil if the file has none.
  private var root: Node? {
    guard let part else { return document.root }
    return document.root?.workflow(named: part)
  }

  /// The parameters in the order of the file; empty if they are invalid.
  ///
  /// Reading the workflow reports the errors.
  package var parameters: [Parameter] { read("params") { $0.readParameters($1, .init()) } ?? [] }

  /// The sources of the secrets of this file, not of used files; empty if they are invalid.
  package var secretSources: [String: SecretSource] {
    read("secrets") { $0.readSecrets($1, .init()) } ?? [:]
  }

  /// Returns the line of a step; nil if it is not found.
  ///
  /// - Parameter id: The id of the step. For a step that was expanded, or that is in a used file,
  ///   returns the line of the step of this file.
  /// - Returns: The line, from 1.
  package func line(ofStep id: String) -> Int? {
    let name = id.prefix { $0 != "[" && $0 != "/" }
    // A list instead of recursion: a file may be nested deeply.
    var nodes = [root].compactMap(\.self)
    while let node = nodes.popLast() {
      switch node.content {
      case .scalar: break
      case .sequence(let items): nodes += items.reversed()
      case .mapping(let pairs):
        let key = pairs.first { $0.key.text == "id" } ?? pairs.first { $0.key.text == "name" }
        if let key, key.value.text == String(name) || key.value.text?.stepSlug == String(name) {
          return node.mark.line
        }
        nodes += pairs.reversed().map(\.value)
      }
    }
    return nil
  }

  private func read<Result>(
    _ key: String, _ read: (inout WorkflowReader, Node) -> Result
  ) -> Result? {
    var reader = WorkflowReader(
      file: file, source: source, sources: .kept([:]), arguments: Arguments(),
      actions: nil)
    guard let root, case .mapping(let pairs) = root.content,
      let node = pairs.first(where: { $0.key.text == key })?.value
    else { return nil }
    return read(&reader, node)
  }
}
