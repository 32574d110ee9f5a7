// Loads the files that steps with `uses` name, and finds the workflows in them.

import YAML

extension WorkflowReader {
  /// A workflow that a step uses.
  struct UsedFile {
    let source: SourceText
    let path: String
    /// The name of the workflow under `workflows` of the file; nil for the file itself.
    let part: String?

    /// What identifies it among the workflows that use one another.
    var link: String { part.map { path + "#" + $0 } ?? path }
  }

  /// Loads the file with a workflow: `./build.yaml`, `./parts.yaml#build`, or `#build` in this file.
  ///
  /// - Returns: The file; nil after an error.
  mutating func load(_ name: String, _ node: Node, _ context: Context) -> UsedFile? {
    let file = context.file
    let (user, hash) = (readers[file].file, name.firstIndex(of: "#"))
    let fileName = hash.map { String(name[..<$0]) } ?? name
    let part = hash.map { String(name[name.index(after: $0)...]) }
    let isSame = fileName.isEmpty && part != nil
    guard isSame || fileName.hasPrefix("./") || fileName.hasPrefix("../") else {
      readers[file].report(.usesPath(name), at: node)
      return nil
    }
    let path = isSame ? user : SourceFiles.joined(SourceFiles.folder(of: user), fileName)
    guard isSame || isInProject(path) else {
      readers[file].report(.usesOutside(name), at: node)
      return nil
    }
    let used = UsedFile(source: readers[file].source, path: path, part: part)
    let chain = [self.part.map { readers[0].file + "#" + $0 } ?? readers[0].file] + context.chain
    if let first = chain.firstIndex(of: used.link)
      ?? (chain.map(SourceFiles.normalized).firstIndex(of: used.link))
    {
      readers[file].report(.usesCycle(chain[first...] + [used.link]), at: node)
      return nil
    }
    guard chain.count <= Self.usesDepthMax else {
      readers[file].report(.deepUses, at: node)
      return nil
    }
    guard !isSame else {
      return isSmall(readers[file].source.size, node, context) ? used : nil
    }
    guard let source = source(of: path, name, node, context),
      isSmall(source.size, node, context)
    else { return nil }
    return UsedFile(source: source, path: path, part: part)
  }

  private mutating func isInProject(_ path: String) -> Bool {
    let sources = sources
    return sources.isInProject(path, projectFolder)
  }

  /// Returns the text of a used file, and keeps it with the workflow.
  private mutating func source(
    of path: String, _ name: String, _ node: Node, _ context: Context
  ) -> SourceText? {
    do throws(ReadError) {
      let folder = SourceFiles.folder(of: SourceFiles.normalized(readers[0].file))
      let key = SourceFiles.relative(path, to: folder)
      let bytes = try sources.bytes(path, keptAs: key)
      usedSources[key] = String(decoding: bytes, as: UTF8.self)
      return SourceText(bytes)
    } catch {
      readers[context.file].report(.unreadableUse(name, path: path, error), at: node)
      return nil
    }
  }

  /// Returns whether all used files together are small enough, counting each use.
  private mutating func isSmall(_ size: Int, _ node: Node, _ context: Context) -> Bool {
    usedBytes += size
    guard usedBytes > SourceText.bytesMax else { return true }
    readers[context.file].report(.usesTooLarge, at: node)
    return false
  }

  /// Returns the map of a workflow in its file; nil after an error.
  mutating func part(
    _ file: UsedFile, _ node: Node, _ context: Context, _ inner: Context
  ) -> Node? {
    let root = root(of: Document(file.source), file: inner.file)
    guard let root, let name = file.part else { return root }
    if let workflow = root.workflow(named: name) { return workflow }
    readers[context.file].report(.unknownWorkflow(name, alternatives(to: name, in: root)), at: node)
    return nil
  }

  /// Returns the map of the workflow that is read: the file, or the part that was asked for.
  mutating func mainWorkflow(in root: Node) -> Node? {
    guard let part else { return root }
    if let workflow = root.workflow(named: part) { return workflow }
    readers[0].report(
      .unknownWorkflow(part, alternatives(to: part, in: root)), at: root.mark, length: 1)
    return nil
  }

  private func alternatives(to name: String, in root: Node) -> Alternatives {
    Alternatives(to: name, among: root.namedWorkflows.compactMap(\.key.text))
  }

  /// Reports wrong names of the workflows in the main file.
  mutating func readWorkflows(_ node: Node) {
    for (_, _, value) in readers[0].named(node, "workflows", .identifier) {
      _ = readers[0].fields(of: value, .workflow)
    }
  }
}

extension Node {
  /// The workflows under the key `workflows` of this root of a file.
  var namedWorkflows: [Node.Pair] {
    guard case .mapping(let pairs) = content,
      let position = Node.position(of: "workflows", in: pairs),
      case .mapping(let workflows) = pairs[position].value.content
    else { return [] }
    return workflows
  }

  /// Returns the map of a workflow under `workflows`; nil if there is none of that name.
  func workflow(named name: String) -> Node? {
    let named = namedWorkflows
    return Node.position(of: name, in: named).map { named[$0].value }
  }
}
