// Reads documents and the workflows in them, and the ids and names of steps.

import WorkflowReading
import YAML

extension WorkflowReader {
  /// A workflow that a step uses.
  struct UsedFile {
    let file: ParsedFile
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
    let link = part.map { path + "#" + $0 } ?? path
    let chain = [self.part.map { readers[0].file + "#" + $0 } ?? readers[0].file] + context.chain
    if let first = chain.firstIndex(of: link)
      ?? (chain.map(SourceFiles.normalized).firstIndex(of: link))
    {
      readers[file].report(.usesCycle(chain[first...] + [link]), at: node)
      return nil
    }
    guard chain.count <= Self.usesDepthMax else {
      readers[file].report(.deepUses, at: node)
      return nil
    }
    guard let parsed = parsed(path, isSame ? readers[file].source : nil, name, node, context)
    else { return nil }
    return UsedFile(file: parsed, path: path, part: part)
  }

  /// Returns a used file, which is read and parsed once for all of its uses.
  private mutating func parsed(
    _ path: String, _ known: SourceText?, _ name: String, _ node: Node, _ context: Context
  ) -> ParsedFile? {
    if let parsed = usedFiles[path] { return parsed }
    guard let source = known ?? source(of: path, name, node, context),
      isSmall(source.size, node, context)
    else { return nil }
    let parsed = ParsedFile(source: source, document: Document(source))
    usedFiles[path] = parsed
    return parsed
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
      let bytes = try sources.bytes(path, keptAs: key, upTo: SourceText.bytesMax)
      usedSources[key] = String(decoding: bytes, as: UTF8.self)
      return SourceText(bytes)
    } catch {
      readers[context.file].report(.unreadableUse(name, path: path, error), at: node)
      return nil
    }
  }

  /// Returns whether all used files together are small enough.
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
    let root = root(of: file.file.document, file: inner.file)
    guard let root, let name = file.part else { return root }
    if let workflow = root.workflow(named: name) { return workflow }
    readers[context.file].report(.unknownWorkflow(name, alternatives(to: name, in: root)), at: node)
    return nil
  }

  /// Returns the map of the workflow that is read: the file, or the part that was asked for.
  mutating func mainWorkflow(in root: Node) -> Node? {
    guard let part else { return root }
    if root.isCollection { _ = readers[0].fields(of: root, Tables.collection) }
    if let workflow = root.workflow(named: part) { return workflow }
    readers[0].report(
      .unknownWorkflow(part, alternatives(to: part, in: root)), at: root.mark, length: 1)
    return nil
  }

  private func alternatives(to name: String, in root: Node) -> Alternatives {
    Alternatives(to: name, among: root.namesOfWorkflows)
  }

  /// Reports wrong names and forms of the workflows in the main file.
  mutating func readWorkflows(_ node: Node) {
    for (_, key, value) in readers[0].named(node, "workflows", .identifier) {
      switch value.content {
      case .scalar: _ = readers[0].text(value, "a workflow")
      case .sequence(let steps):
        if steps.isEmpty { readers[0].report(.missingSteps, at: value) }
        for step in steps {
          guard case .mapping = step.content else {
            _ = readers[0].fields(of: step, .step)
            continue
          }
        }
      case .mapping:
        _ = readers[0].fields(of: value.workflow(called: key), Tables.workflow.keys)
      }
    }
  }
}

extension WorkflowReader {
  // MARK: Ids

  /// Returns the id of a step, written or generated; nil if it is invalid.
  mutating func readID(_ fields: Fields, _ context: Context) -> String? {
    let file = context.file
    guard let node = fields["id"] else {
      return fields.lacks("id") ? generatedID(fields, context) : nil
    }
    guard let id = readers[file].text(node, "id") else { return nil }
    guard id.isStepID else {
      readers[file].report(.stepID(id), at: node)
      return nil
    }
    let place = Place(mark: node.mark, step: drafts.count)
    if let first = places[context.scope].updateValue(place, forKey: id) {
      places[context.scope][id] = first
      // An expanded step is read once per item.
      guard first.mark != node.mark || context.bindings == nil else { return id }
      readers[file].report(
        .duplicateID(id, line: readers[file].shownLine(first.mark.line)), at: node)
      return nil
    }
    return id
  }

  /// Generates the id of a step from its name, or else from its position in the file.
  private mutating func generatedID(_ fields: Fields, _ context: Context) -> String {
    let scope = context.scope
    let slug = fields["name"]?.text.flatMap(\.stepSlug)
    let base = slug ?? "step-\(stepIDs[scope].count)"
    var id = base
    var number = 1
    while places[scope][id] != nil || stepIDs[scope].written.contains(id)
      || stepIDs[scope].positional.contains(id)
    {
      number += 1
      id = "\(base)-\(number)"
    }
    if slug == nil {
      stepIDs[scope].positional.insert(id)
    } else {
      places[scope][id] = Place(mark: fields.node.mark, step: drafts.count)
    }
    return id
  }

  /// Collects the written ids of a file, so that generated ids differ from them.
  ///
  /// A file whose steps all have ids needs no collection.
  mutating func collectIDs(in lists: [Node?], scope: Int) {
    var written: Set<String> = []
    var isComplete = true
    for collects in [false, true] where collects == !isComplete {
      var lists = lists.compactMap(\.self)
      while let list = lists.popLast() {
        guard case .sequence(let items) = list.content else { continue }
        for item in items {
          guard case .mapping(let pairs) = item.content else { continue }
          let group =
            Node.position(of: "steps", in: pairs) ?? Node.position(of: "parallel", in: pairs)
          if let group { lists.append(pairs[group].value) }
          let id = Node.position(of: "id", in: pairs)
          if collects, let id { pairs[id].value.text.map { _ = written.insert($0) } }
          if id == nil, group == nil { isComplete = false }
        }
      }
    }
    stepIDs[scope].written = written
  }

  // MARK: Names

  /// Returns the name of a step for displays, given the value of `name`; nil to show its id.
  mutating func stepName(_ node: Node?, _ id: String, _ context: Context) -> String? {
    let outer = scopes[context.scope].title
    let hasExpression = node?.text?.hasExpression == true
    guard let node = node.map({ withLabel($0, context) }),
      let name = settled(node, "name", context).flatMap({ readers[context.file].name($0) })
    else { return outer.map { $0 + id } }
    let prefix = outer ?? scopes[context.scope].prefix
    guard let label = context.bindings?.label, !hasExpression else { return prefix + name }
    return "\(prefix)\(name) (\(label))"
  }

  /// Returns a name with the label of the item in place of an item that is only known during the
  /// run, or behind the name.
  ///
  /// - Parameters:
  ///   - node: The name.
  ///   - context: The context of the step.
  ///   - label: The label; nil for the mark that the label replaces later.
  /// - Returns: The name; unchanged if it does not depend on such an item.
  func withLabel(_ node: Node, _ context: Context, label: String? = nil) -> Node {
    guard let bindings = context.bindings, let number = bindings.openItem ?? bindings.openMatrix,
      let text = node.text, text.hasExpression, let template = try? Template(parsing: text),
      template.depends(onOpen: bindings)
    else { return node }
    let mark = label ?? ItemNames.mark(of: number)
    let isItem = template.expressions.allSatisfy { $0.expression.kind == .root(.item) }
    var named = node
    named.content = .scalar(
      isItem
        ? text.replacingExpressions(with: mark)
        : text.replacingExpressions(with: "…") + " (\(mark))", isPlain: false)
    return named
  }

  /// Records the name of a group of steps for displays.
  mutating func nameGroup(_ node: Node?, _ id: String, _ context: Context) {
    let outer = scopes[context.scope].title
    guard let text = node.map({ withLabel($0, context) })?.text else {
      if let outer { groupNames[scopes[context.scope].prefix + id] = outer + id }
      return
    }
    groupNames[scopes[context.scope].prefix + id] =
      (outer ?? scopes[context.scope].prefix) + text.replacingExpressions(with: "…")
  }
}

extension String {
  /// The maximum length of an id that is generated from a name; a number may follow.
  private static let slugMax = 48

  /// The id of a step with this name and no id; nil if the name has no ASCII letters or digits.
  var stepSlug: String? {
    var slug = ""
    for byte in replacingExpressions(with: " ").utf8 {
      switch byte {
      case 0x30...0x39, 0x61...0x7A: slug.unicodeScalars.append(Unicode.Scalar(byte))
      case 0x41...0x5A: slug.unicodeScalars.append(Unicode.Scalar(byte + 0x20))
      default: if !slug.isEmpty && !slug.hasSuffix("-") { slug += "-" }
      }
    }
    slug = String(slug.prefix(Self.slugMax))
    while slug.hasSuffix("-") { slug.removeLast() }
    return slug.isEmpty ? nil : slug
  }

  /// Returns the text with another text in place of each `${{ … }}`.
  func replacingExpressions(with replacement: String) -> String {
    guard hasExpression else { return self }
    var result = ""
    var rest = self[...]
    while let start = rest.firstRange(of: "${{") {
      result += rest[..<start.lowerBound] + replacement
      rest = rest[start.upperBound...].firstRange(of: "}}").map { rest[$0.upperBound...] } ?? ""
    }
    return result + rest
  }
}
