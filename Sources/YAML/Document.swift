// Composes a document tree from parser events, within limits.

/// A parsed document with its errors.
package struct Document: Sendable {
  /// The maximum nesting of lists and maps.
  ///
  /// The time that libyaml needs is quadratic in the nesting.
  package static let depthMax = 100
  /// The maximum number of nodes that aliases may expand to.
  package static let aliasedNodesMax = 100_000

  /// The root of the tree; nil if the text is empty or parsing stopped at an error.
  package private(set) var root: Node?
  /// The errors, in the order in which they were found.
  package private(set) var problems: [Problem] = []
  /// The anchors that no alias refers to; empty if parsing stopped at an error.
  package private(set) var unusedAnchors: [Anchor] = []

  /// The definition of an anchor.
  package struct Anchor: Sendable, Equatable {
    /// The name, without `&`.
    package let name: String
    /// The place where the value with its anchor begins.
    package let mark: Mark
    var isUsed = false
  }

  fileprivate init(root: Node?, problems: [Problem]) {
    self.root = root
    self.problems = problems
  }

  /// Parses a text.
  ///
  /// Linear in its size.
  ///
  /// - Parameter source: The text.
  package init(_ source: SourceText) {
    if let problem = source.firstProblem() {
      problems = [problem]
      return
    }
    guard !source.bytes.isEmpty else { return }
    var composer = Composer()
    do throws(Problem) {
      // unsafe: the reader and its pointers into the text do not outlive the closure.
      try unsafe source.bytes.withUnsafeBufferPointer { bytes throws(Problem) in
        try composer.read(unsafe EventReader(bytes))
      }
      root = composer.root
      unusedAnchors = composer.definitions.filter { !$0.isUsed }
    } catch {
      if let problem = source.unquotedExpression(before: error.mark) {
        composer.problems.append(problem)
        problems = composer.problems
        return
      }
      let isTab = source.line(error.mark.line).dropFirst(error.mark.column - 1).first == "\t"
      composer.problems.append(
        isTab
          ? Problem(kind: .tab(mayBeginValue: true), mark: error.mark, length: 1)
          : error.refined(by: source))
    }
    problems = composer.problems
  }
}

/// Builds a document without parsing text.
///
/// The caller provides the marks.
package struct DocumentBuilder {
  private var composer = Composer()
  private var problem: Problem?

  /// Starts an empty document.
  package init() {}

  /// Starts a list at a mark.
  package mutating func beginList(at mark: Mark) { take(.sequenceStart, mark, mark) }

  /// Starts a map at a mark; keys and values alternate.
  package mutating func beginMap(at mark: Mark) { take(.mappingStart, mark, mark) }

  /// Ends the innermost open list or map at a mark.
  package mutating func end(isMap: Bool, before mark: Mark) {
    take(isMap ? .mappingEnd : .sequenceEnd, mark, mark)
  }

  /// Adds a scalar.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - isPlain: Whether the scalar is unquoted and can be a number, boolean or null.
  ///   - start: The start of the scalar.
  ///   - end: The end of the scalar.
  package mutating func add(_ text: String, isPlain: Bool, from start: Mark, to end: Mark) {
    take(.scalar(text, isPlain: isPlain), start, end)
  }

  private mutating func take(_ kind: YAMLEvent.Kind, _ start: Mark, _ end: Mark) {
    guard problem == nil else { return }
    do throws(Problem) {
      try composer.take(YAMLEvent(kind: kind, properties: nil, start: start, end: end))
    } catch {
      problem = error
    }
  }

  /// The document with its errors.
  package var document: Document {
    Document(
      root: problem == nil ? composer.root : nil,
      problems: composer.problems + (problem.map { [$0] } ?? []))
  }
}

/// Builds nodes from events with an explicit stack instead of recursion.
private struct Composer {
  /// A list or map that has not ended.
  private struct Open {
    /// The position of its first item in `items`.
    let start: Int
    let isMapping: Bool
    let mark: Mark
    let anchor: String?
  }

  var root: Node?
  var problems: [Problem] = []
  private var stack: [Open] = []
  /// The items of all open collections, outermost first.
  ///
  /// In maps, keys and values alternate.
  private var items: [Node] = []
  private var anchors: [String: (node: Node, definition: Int)] = [:]
  private(set) var definitions: [Document.Anchor] = []
  private var aliasedNodes = 0

  init() {}

  mutating func read(_ reader: EventReader) throws(Problem) {
    while true {
      let event = try reader.next()
      if case .streamEnd = event.kind { return }
      try take(event)
    }
  }

  mutating func take(_ event: YAMLEvent) throws(Problem) {
    if let tag = event.properties?.tag, let problem = Tag(tag).problem(with: event) {
      problems.append(problem)
    }
    switch event.kind {
    case .documentStart:
      if root != nil {
        throw Problem(kind: .secondDocument(isMarked: true), mark: event.start, length: 3)
      }
    case .sequenceStart, .mappingStart:
      try open(event)
    case .sequenceEnd, .mappingEnd:
      close(event)
    case .scalar(let text, let isPlain):
      let isOnOneLine = event.start.line == event.end.line
      let length = isOnOneLine ? event.end.column - event.start.column : 1
      let content: Node.Content =
        event.properties?.tag.map { Tag($0).content(of: text) } ?? .scalar(text, isPlain: isPlain)
      add(
        Node(content: content, mark: event.start, length: max(1, length)),
        anchor: event.properties?.anchor)
    case .alias(let name):
      add(try resolved(name, event), anchor: nil)
    case .documentEnd, .streamEnd, .other: break
    }
  }

  private mutating func open(_ event: YAMLEvent) throws(Problem) {
    guard stack.count < Document.depthMax else {
      throw Problem(kind: .depthMax, mark: event.start, length: 1)
    }
    var isMapping = false
    if case .mappingStart = event.kind { isMapping = true }
    stack.append(
      Open(
        start: items.count, isMapping: isMapping, mark: event.start,
        anchor: event.properties?.anchor))
  }

  private mutating func close(_ event: YAMLEvent) {
    guard let open = stack.popLast() else {
      preconditionFailure("BUG: libyaml sent an end event without a start event")
    }
    let content: Node.Content =
      open.isMapping ? .mapping(pairs(from: open.start)) : .sequence(Array(items[open.start...]))
    items.removeSubrange(open.start...)
    let isOnOneLine = open.mark.line == event.end.line
    add(
      Node(
        content: content, mark: open.mark,
        length: isOnOneLine ? max(1, event.end.column - open.mark.column) : 1),
      anchor: open.anchor)
  }

  private mutating func add(_ node: Node, anchor: String?) {
    if let anchor {
      anchors[anchor] = (node, definitions.count)
      definitions.append(Document.Anchor(name: anchor, mark: node.mark))
    }
    if stack.isEmpty { root = node } else { items.append(node) }
  }

  private mutating func resolved(_ name: String, _ event: YAMLEvent) throws(Problem) -> Node {
    let length = event.end.column - event.start.column
    guard let (node, definition) = anchors[name] else {
      if let open = stack.first(where: { $0.anchor == name }) {
        throw Problem(kind: .aliasInItself(name, open.mark), mark: event.start, length: length)
      }
      throw Problem(kind: .unknownAlias(name), mark: event.start, length: length)
    }
    definitions[definition].isUsed = true
    aliasedNodes += node.nodeCount(upTo: Document.aliasedNodesMax)
    guard aliasedNodes <= Document.aliasedNodesMax else {
      throw Problem(kind: .aliasesMax, mark: event.start, length: length)
    }
    return node.moved(to: event.start, length: length)
  }

  // MARK: Maps

  /// Creates pairs from the items after a position.
  private mutating func pairs(from start: Int) -> [Node.Pair] {
    var pairs: [Node.Pair] = []
    pairs.reserveCapacity((items.count - start) / 2)
    // For a small map, a linear search is faster than hashing the keys.
    let isLarge = items.count - start > 32
    var places: [String: Mark] = [:]
    var merged: [Node] = []
    for position in stride(from: start, to: items.count - 1, by: 2) {
      let (key, value) = (items[position], items[position + 1])
      guard let name = key.text else {
        problems.append(
          Problem(kind: .keyKind(key.kindName), mark: key.mark, length: key.length))
        continue
      }
      if case .scalar("<<", isPlain: true) = key.content {
        merged.append(value)
        continue
      }
      let earlier =
        isLarge
        ? places.updateValue(key.mark, forKey: name)
        : Node.position(of: name, in: pairs).map { pairs[$0].key.mark }
      if let first = earlier {
        problems.append(
          Problem(
            kind: .duplicateKey(name, first: first), mark: key.mark, length: key.length))
        continue
      }
      pairs.append(Node.Pair(key: key, value: value))
    }
    for node in merged { merge(node, into: &pairs) }
    return pairs
  }

  /// Adds the pairs of a merge key.
  ///
  /// Existing keys win, then pairs of earlier sources.
  private mutating func merge(
    _ node: Node, into pairs: inout [Node.Pair]
  ) {
    var known = Set(pairs.compactMap(\.key.text))
    let sources: [Node]
    switch node.content {
    case .mapping: sources = [node]
    case .sequence(let nodes): sources = nodes
    case .scalar: sources = []
    }
    for source in sources {
      guard case .mapping(let others) = source.content else { continue }
      for pair in others where known.insert(pair.key.text ?? "").inserted { pairs.append(pair) }
    }
    let isRight =
      !sources.isEmpty
      && sources.allSatisfy { if case .mapping = $0.content { true } else { false } }
    guard !isRight else { return }
    problems.append(Problem(kind: .merge, mark: node.mark, length: node.length))
  }
}
