// Expands steps: one for each item of a `foreach`, or for each combination of a `matrix`.

import WorkflowReading
import YAML

extension WorkflowReader {
  /// A step or group that is expanded to one for each of several items.
  private struct Many {
    let id: String
    /// The full id.
    let group: String
    /// The values of the items.
    let all: [Bindings]
    let keys: [String]?
    /// The context of the items, without their values.
    let context: Context
    var outlines: [Outline] = []
    var ends: [Need] = []
    var members: [String] = []

    func member(_ position: Int) -> String {
      "\(id)[\(keys?[position] ?? String(position))]"
    }
  }

  // This function calls itself for nested groups, so its frame must stay small.
  mutating func readExpanded(
    _ fields: Fields, _ id: String, _ needs: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    if isFan(fields, context) { return readFan(fields, id, needs, context) }
    guard var many = openMany(fields, id, needs, context) else { return (nil, needs) }
    for position in many.all.indices {
      let before = errorCount
      let (outline, ends) = readInstance(
        fields, many.member(position), needs, self.context(ofItem: position, of: many))
      if let outline { many.outlines.append(outline) }
      many.ends += ends
      many.members.append(many.member(position))
      // The other items have the same errors.
      if errorCount > before { break }
    }
    return closeMany(many, needs, context)
  }

  /// Reads a step or the steps of a group for one item.
  mutating func readInstance(
    _ fields: Fields, _ member: String, _ needs: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    fields["steps"] != nil || fields["parallel"] != nil
      ? readMember(fields, member, needs, context) : readSingle(fields, member, needs, context)
  }

  /// Returns the context of an item.
  @inline(never)
  private func context(ofItem position: Int, of many: Many) -> Context {
    var context = many.context
    context.bindings = many.all[position].within(context.bindings)
    return context
  }

  /// Reads the items and their limits; nil after an error.
  @inline(never)
  private mutating func openMany(
    _ fields: Fields, _ id: String, _ needs: [Need], _ context: Context
  ) -> Many? {
    guard mayExpand(fields, context) else { return nil }
    let all: [Bindings]?
    if let node = fields["foreach"] {
      all = readForeach(node, fields, context)
    } else {
      all = fields["matrix"].flatMap { readMatrix($0, context) }
    }
    guard let all, isSmallEnough(fields, becoming: all.count, context),
      isAllowed(all.count, fields, context)
    else { return nil }
    if all.isEmpty {
      // It expands to no steps. Read it anyway, to report its errors.
      var trial = self
      var inner = context
      inner.keepOuterItem()
      inner.bindings = placeholderBinding
      _ = trial.readInstance(fields, "\(id)[0]", needs, inner)
      readers = trial.readers
    }
    let group = scopes[context.scope].prefix + id
    nameGroup(fields["name"], id, context)
    var inner = context
    inner.keepOuterItem()
    var items = Group(name: group, hasID: true, in: context.group)
    readLimits(ofParts: fields, of: &items, context)
    inner.group = groups.add(items)
    return Many(
      id: id, group: group, all: all, keys: readKeys(fields, all, inner), context: inner)
  }

  /// Makes the items known to `needs` and expressions, after all of them have been read.
  @inline(never)
  private mutating func closeMany(
    _ many: Many, _ needs: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    let isSkipped = many.ends.isEmpty
    if isSkipped { emptyGroups[many.group] = needs }
    scopes[context.scope].groups[many.id] = StepGroup(
      kind: .each(many.members), ends: isSkipped ? [] : stepIDs(of: many.ends))
    return (.group(many.group, .parallel(many.outlines)), isSkipped ? needs : many.ends)
  }

  /// Returns whether the expanded steps are within the size limit, or reports an error.
  ///
  /// Each expanded step has all values of the original step.
  private mutating func isSmallEnough(
    _ fields: Fields, becoming count: Int, _ context: Context
  ) -> Bool {
    // `foreach` and `matrix` themselves are read only once.
    let lists = [fields["foreach"], fields["matrix"]].compactMap(\.self)
    let size = lists.reduce(fields.node.nodeCount(upTo: .max)) { $0 - $1.nodeCount(upTo: .max) }
    expandedValueCount += size * count
    guard expandedValueCount > Self.valuesOfManyMax else { return true }
    readers[context.file].report(
      .largeExpansion(steps: count, size: size), at: fields.node.mark, length: 1)
    return false
  }

  // MARK: Foreach

  private mutating func readForeach(
    _ node: Node, _ step: Fields, _ context: Context
  ) -> [Bindings]? {
    let items: [Value]
    switch node.content {
    case .sequence(let nodes):
      var values: [Value] = []
      for node in nodes {
        guard let value = settledItem(node, "an item", context) else { return [placeholderBinding] }
        values.append(value)
      }
      items = values
    case .mapping(let pairs):
      let values =
        pairs.contains { $0.key.says("files") }
        ? readFiles(node, dir: step["dir"], context) : readRange(node, context)
      guard let values else { return nil }
      items = values
    case .scalar:
      let before = errorCount
      guard let template = readers[context.file].template(node, "foreach"), !template.isPlain else {
        if errorCount == before { readers[context.file].report(.foreachText, at: node) }
        return nil
      }
      guard let value = staticValue(template, node, "foreach", context) else {
        // The items are not known yet: use a single placeholder for all.
        return errorCount == before ? [placeholderBinding] : nil
      }
      guard case .list(let values) = value else {
        readers[context.file].report(.foreachValue(value.types), at: node)
        return nil
      }
      items = values
    }
    guard expandsWithinLimit(items.count, node, context) else { return nil }
    return items.enumerated().map { index, item in
      Bindings(item: item, index: index, label: Bindings.label(of: [item]))
    }
  }

  private var placeholderBinding: Bindings { Bindings(item: .null, index: 0, label: "…") }

  private mutating func readRange(_ node: Node, _ context: Context) -> [Value]? {
    guard let range = Tables.range.read(node, &self, context), range.by != 0 else { return nil }
    let (from, to, distance) = (range.from, range.to, range.by)
    let isEmpty = distance > 0 ? to < from : to > from
    guard !isEmpty else { return [] }
    guard expandsWithinLimit(abs(to - from) / abs(distance) + 1, node, context) else { return nil }
    return stride(from: from, through: to, by: distance).map { .number(Double($0)) }
  }

  private mutating func expandsWithinLimit(_ count: Int, _ node: Node, _ context: Context) -> Bool {
    guard count > Self.expansionMax else { return true }
    readers[context.file].report(.expansion(steps: count), at: node)
    return false
  }

  /// Returns an item with its expressions evaluated; nil if their values are not known yet.
  private mutating func settledItem(_ node: Node, _ what: String, _ context: Context) -> Value? {
    switch node.content {
    case .scalar(let text, let isPlain):
      guard text.hasExpression else {
        if isPlain, Value.number(written: text) != nil, Value(node).asText != text {
          readers[context.file].warn(.writtenNumber(text, as: Value(node).asText), at: node)
        }
        if text.utf8.contains(0) {
          readers[context.file].report(.nul(what), at: node)
        }
        return Value(node)
      }
      guard let template = readers[context.file].template(node, what) else { return .null }
      let before = errorCount
      guard let value = staticValue(template, node, what, context) else {
        return errorCount > before ? .null : nil
      }
      return value
    case .sequence(let nodes):
      var values: [Value] = []
      for node in nodes {
        guard let value = settledItem(node, what, context) else { return nil }
        values.append(value)
      }
      return .list(values)
    case .mapping(let pairs):
      var values: [String: Value] = [:]
      for pair in pairs {
        guard let value = settledItem(pair.value, what, context) else { return nil }
        values[pair.key.text ?? ""] = value
      }
      return .map(values)
    }
  }

  // MARK: Matrix

  private mutating func readMatrix(_ node: Node, _ context: Context) -> [Bindings]? {
    let file = context.file
    guard case .mapping(let pairs) = node.content else {
      readers[file].report(.matrixNotAMap(found: node.kindName), at: node)
      return nil
    }
    guard !pairs.isEmpty else {
      readers[file].report(.noMatrixList, at: node)
      return nil
    }
    let before = errorCount
    let matrix = readLists(of: node, context)
    guard errorCount == before else { return nil }
    let names = Set(matrix.lists.map(\.name))
    checkExclusions(of: matrix, pairs.first { $0.key.text == "exclude" }?.value ?? node, file)
    guard errorCount == before, expandsWithinLimit(matrix.listedCount, node, context) else {
      return nil
    }
    guard let combinations = matrix.combinations() else {
      readers[file].report(.largeMatrix, at: node)
      return nil
    }
    if combinations.isEmpty {
      readers[file].report(.emptyMatrix, at: node)
      return nil
    }
    guard expandsWithinLimit(combinations.count, node, context) else { return nil }
    var known = names
    for combination in combinations { known.formUnion(combination.keys) }
    return combinations.map { combination in
      let added = combination.keys.filter { !names.contains($0) }.sorted()
      let shown = (matrix.lists.lazy.map(\.name) + added).lazy.compactMap { combination[$0] }
      var bindings = Bindings(
        matrix: combination, label: Bindings.label(of: shown.prefix(Self.labelValuesMax)))
      bindings.matrixNames = known
      return bindings
    }
  }

  private mutating func readLists(of node: Node, _ context: Context) -> Matrix {
    let file = context.file
    var matrix = Matrix()
    for (name, key, value) in readers[file].named(node, "matrix", .identifier)
    where isKey(name, ofMatrix: key, context) {
      guard let values = settledList(value, name, context) else { continue }
      switch name {
      case "include": matrix.include = combinations(values, "include", value, file)
      case "exclude": matrix.exclude = combinations(values, "exclude", value, file)
      default:
        if values.isEmpty { readers[file].report(.emptyMatrixList(name), at: value) }
        matrix.lists.append((name, values))
      }
    }
    return matrix
  }

  /// Reports excluded values of no list, and warns of values that their list lacks.
  private mutating func checkExclusions(of matrix: Matrix, _ node: Node, _ file: Int) {
    guard !matrix.exclude.isEmpty else { return }
    let values = Dictionary(matrix.lists.map { ($0.name, Set($0.values)) }) { first, _ in first }
    for exclusion in matrix.exclude {
      for name in exclusion.keys.sorted() where values[name] == nil {
        readers[file].report(.matrixExclusion(name), at: node)
      }
    }
    for (position, exclusion) in matrix.exclude.enumerated() {
      for (name, value) in exclusion.sorted(by: { $0.key < $1.key })
      where values[name]?.contains(value) == false {
        var place = node
        if case .sequence(let items) = node.content, position < items.count {
          place = items[position]
        }
        readers[file].warn(.vainExclusion(name), at: place)
      }
    }
  }

  mutating func settledList(_ node: Node, _ name: String, _ context: Context) -> [Value]? {
    let before = errorCount
    guard let value = settledItem(node, "the list \"\(name)\"", context) else {
      return errorCount == before ? [.null] : nil
    }
    guard errorCount == before else { return nil }
    guard case .list(let values) = value else {
      readers[context.file].report(.matrixValue(name, found: node.kindName), at: node)
      return nil
    }
    return values
  }

  private mutating func combinations(
    _ values: [Value], _ name: String, _ node: Node, _ file: Int
  ) -> [[String: Value]] {
    var nodes: [Node] = []
    if case .sequence(let items) = node.content { nodes = items }
    return values.enumerated().compactMap { position, value in
      if case .map(let combination) = value { return combination }
      readers[file].report(
        .matrixCombination(name), at: position < nodes.count ? nodes[position] : node)
      return nil
    }
  }

  /// The maximum number of values of a combination in a label.
  private static let labelValuesMax = 100
}

extension WorkflowReader {
  /// Returns the ids of the needs that refer to steps by position.
  func stepIDs(of needs: [Need]) -> [String] {
    needs.compactMap { if case .step(let position) = $0 { steps[position].id } else { nil } }
  }
}
