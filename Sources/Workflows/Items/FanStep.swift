// The step kind of a `foreach` or `matrix` whose items are only known during a run.

/// A step that computes items; the run then adds the steps of its template for each of them.
package struct FanStep: StepKind {
  /// A list of a matrix, or of its `include` or `exclude`.
  package enum List: Sendable, Equatable {
    case known(Value)
    case computed(Template)
  }

  /// Where the items come from.
  package enum Source: Sendable, Equatable {
    case foreach(Template)
    /// One expression for the whole matrix.
    case matrix(Template)
    case lists([String], [String: List])
  }

  /// The maximum number of items if the step does not set it.
  package static let itemsMax = 1000
  /// The highest limit that a step can set.
  package static let limitMax = 100_000

  let source: Source
  let key: Template?
  let limit: Int
  /// Distinguishes it from the other such steps of the workflow.
  package let number: Int
  /// The steps for each item.
  package var template = FanTemplate()
  /// The items of the last expansion; nil if there was none.
  var items: [ExpandedItem]?

  package init(source: Source, key: Template?, limit: Int, number: Int) {
    (self.source, self.key, self.limit, self.number) = (source, key, limit, number)
  }

  package var shown: [String] {
    ["for each of \(sourceText)"] + template.shown
  }

  package var declared: [String] {
    // Not the template: a change of it is a change of the steps to which this one is expanded.
    ["items: \(sourceText)"] + (key.map { ["key: \($0.source)"] } ?? [])
  }

  package var templates: [Template] {
    var templates = [key].compactMap(\.self)
    switch source {
    case .foreach(let template), .matrix(let template): templates.append(template)
    case .lists(let names, let lists):
      for name in names {
        if case .computed(let template)? = lists[name] { templates.append(template) }
      }
    }
    return templates
  }

  package var isExpanded: Bool { true }

  package func resolved(_ source: StepSource) -> ResolvedStep.Action { .wait }

  /// The source as it is written.
  private var sourceText: String {
    switch source {
    case .foreach(let template), .matrix(let template): template.source
    case .lists(let names, let lists):
      names.map { name in
        switch lists[name] {
        case .known(let value)?: "\(name): \(value.asText)"
        case .computed(let template)?: "\(name): \(template.source)"
        case nil: name
        }
      }.joined(separator: ", ")
    }
  }

  // MARK: Items

  /// Computes the items.
  ///
  /// - Parameter values: Evaluates the templates, without an item.
  /// - Returns: The items, at most as many as the limit.
  /// - Throws: ``ResolutionError`` if there are no valid items.
  func items(_ values: StepSource) throws(ResolutionError) -> [ExpandedItem] {
    let bindings: [Bindings]
    switch source {
    case .foreach(let template):
      let value = try values.value(of: template, "foreach")
      guard case .list(let list) = value else {
        throw ResolutionError(
          text: "foreach must be a list, not \(value.found)"
            + (value.types == .text ? "; fromJSON(…) converts text to a list" : ""))
      }
      try expectFew(list.count)
      bindings = list.enumerated().map { index, item in
        Bindings(item: item, index: index, label: Bindings.label(of: [item]))
      }
    case .matrix(let template):
      let value = try values.value(of: template, "matrix")
      guard case .map(let lists) = value else {
        throw ResolutionError(text: "matrix must be a map of names to lists, not \(value.found)")
      }
      bindings = try combinations(lists.keys.sorted(), lists)
    case .lists(let names, let lists):
      var known: [String: Value] = [:]
      for name in names {
        switch lists[name] {
        case .known(let value)?: known[name] = value
        case .computed(let template)?:
          known[name] = try values.value(of: template, "matrix.\(name)")
        case nil: break
        }
      }
      bindings = try combinations(names, known)
    }
    let keys = try keys(of: bindings, values)
    return zip(keys, bindings).map { key, bindings in
      ExpandedItem(key: key, item: bindings.item, matrix: bindings.matrix, label: bindings.label)
    }
  }

  private func combinations(
    _ names: [String], _ values: [String: Value]
  ) throws(ResolutionError) -> [Bindings] {
    var matrix = Matrix()
    for name in names {
      guard case .list(let list)? = values[name] else {
        throw ResolutionError(
          text: "\"\(name)\" of the matrix must be a list, not \((values[name] ?? .null).found)")
      }
      guard name == "include" || name == "exclude" else {
        matrix.lists.append((name, list))
        continue
      }
      var maps: [[String: Value]] = []
      for value in list {
        guard case .map(let map) = value else {
          throw ResolutionError(text: "\(name) must be a list of maps, and has \(value.found)")
        }
        maps.append(map)
      }
      if name == "include" { matrix.include = maps } else { matrix.exclude = maps }
    }
    try expectFew(matrix.lists.contains { $0.values.isEmpty } ? 0 : matrix.listedCount)
    guard let combinations = matrix.combinations() else {
      throw ResolutionError(text: "the matrix has more than \(Matrix.valuesMax) values")
    }
    try expectFew(combinations.count)
    var known = Set(matrix.lists.map(\.name))
    let listed = matrix.lists.map(\.name)
    let names = known
    for combination in combinations { known.formUnion(combination.keys) }
    return combinations.map { combination in
      let added = combination.keys.filter { !names.contains($0) }.sorted()
      let shown = (listed + added).compactMap { combination[$0] }
      return Bindings(matrix: combination, label: Bindings.label(of: shown))
    }
  }

  private func expectFew(_ count: Int) throws(ResolutionError) {
    guard count > limit else { return }
    throw ResolutionError(
      text: "there are \(count) items, and the maximum is \(limit); set it with max-items")
  }

  private func keys(
    of all: [Bindings], _ values: StepSource
  ) throws(ResolutionError) -> [String] {
    guard let key else { return all.indices.map(String.init) }
    var keys: [String] = []
    for (index, bindings) in all.enumerated() {
      let source = StepSource(
        workflow: values.workflow, values: values.values, scope: values.scope,
        bindings: bindings.within(values.bindings), budget: values.budget)
      let text = try source.text(of: key, "item-id")
      guard text.utf8.count <= ExpandedItem.keyBytesMax else {
        throw ResolutionError(
          text:
            "the item-id of item \(index) is too long: it has \(text.utf8.count) bytes; use at most "
            + "\(ExpandedItem.keyBytesMax) bytes, such as a part of the item or ${{ index }}")
      }
      guard ExpandedItem.isKey(text) else {
        throw ResolutionError(
          text: "the item-id of item \(index) is \"\(Bindings.label(of: [.text(text)]))\", which "
            + "cannot be part of an id; use letters, digits and _-./@+:=,~#%")
      }
      keys.append(text)
    }
    if let (first, second) = ExpandedItem.duplicate(in: keys) {
      throw ResolutionError(
        text: "items \(first) and \(second) have the same item-id \"\(keys[first])\"")
    }
    return keys
  }
}

extension ExpandedItem {
  /// The names that the expressions of the step can use.
  func bindings(at index: Int) -> Bindings {
    guard let matrix else { return Bindings(item: item ?? .null, index: index, label: label) }
    return Bindings(matrix: matrix, label: label)
  }
}

extension Value {
  /// The type and the value, for messages.
  fileprivate var found: String {
    types == .null ? "null" : "\(types.name): \(Bindings.label(of: [self]))"
  }
}
