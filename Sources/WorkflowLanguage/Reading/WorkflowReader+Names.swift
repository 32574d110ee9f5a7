// Reads the ids and names of steps, and generates the ids of steps without one.

import YAML

/// The ids of the steps of a file.
struct StepIDs {
  /// The number of steps that were read.
  var count = 0
  /// The written ids, if some step has none.
  var written: Set<String> = []
  /// The ids generated from the positions of steps.
  ///
  /// Nothing can refer to them, because they change when steps are added.
  var positional: Set<String> = []
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
