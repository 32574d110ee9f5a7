// Reads `needs`, whose names are resolved after all steps have been read.

import WorkflowReading
import YAML

extension WorkflowReader {
  /// Reads `needs`, whose names are resolved after all steps have been read.
  mutating func readNeeds(_ node: Node, _ context: Context) -> [Need] {
    if case .mapping(let pairs) = node.content { return readNeeds(byResult: pairs, context) }
    let file = context.file
    let nodes: [Node]
    if case .scalar = node.content {
      nodes = [node]
    } else {
      nodes = readers[file].list(node, of: "an id or a list of ids") ?? []
    }
    var seen: Set<String> = []
    var needs: [Need] = []
    needs.reserveCapacity(nodes.count)
    for (position, need) in nodes.enumerated() {
      guard let id = readers[file].nonEmptyText(need, "needs") else { continue }
      // For a few needs, comparing is faster than hashing.
      let isKnown =
        nodes.count > 8
        ? !seen.insert(id).inserted : nodes[..<position].contains { $0.says(id) }
      if isKnown {
        readers[file].report(.neededTwice(id), at: need)
        continue
      }
      needs.append(addNeed(id, need, .success, context))
    }
    return needs
  }

  private mutating func addNeed(
    _ id: String, _ node: Node, _ result: ExpectedResult?, _ context: Context
  ) -> Need {
    needNames.append(
      NeedName(
        text: id, mark: node.mark, length: node.length, scope: context.scope, file: context.file,
        result: result))
    return .name(needNames.count - 1)
  }

  /// Reads `needs` with what is expected of each: `{ build: success, lint: over, any: [b, c] }`.
  private mutating func readNeeds(byResult pairs: [Node.Pair], _ context: Context) -> [Need] {
    let file = context.file
    var seen: Set<String> = []
    var needs: [Need] = []
    for (key, value) in pairs.map({ ($0.key, $0.value) }) {
      guard let id = readers[file].nonEmptyText(key, "needs") else { continue }
      if id == "any", case .sequence(let nodes) = value.content {
        if nodes.isEmpty { readers[file].report(.emptyList(of: "step", .unsearched), at: value) }
        for node in nodes {
          guard let id = readers[file].nonEmptyText(node, "any") else { continue }
          if seen.insert(id).inserted {
            needs.append(addNeed(id, node, nil, context))
          } else {
            readers[file].report(.neededTwice(id), at: node)
          }
        }
        continue
      }
      if id == "any", !NeedRules.words.contains(value.text ?? "") {
        readers[file].report(.notAList("a list of steps", found: value.kindName), at: value)
        continue
      }
      let expected = readExpected(value, file)
      guard let first = expected.first else { continue }
      guard seen.insert(id).inserted else {
        readers[file].report(.neededTwice(id), at: key)
        continue
      }
      let result = value.text == nil ? nil : ExpectedResult(rawValue: first)
      needs.append(addNeed(id, key, result ?? .over, context))
    }
    return needs
  }

  /// Reads what is expected of a step: a word, or a list of results.
  private mutating func readExpected(_ node: Node, _ file: Int) -> [String] {
    guard !node.isNull else {
      readers[file].report(.needWithoutResult, at: node)
      return []
    }
    guard case .sequence(let nodes) = node.content else {
      return readers[file].choice(node, "result", of: NeedRules.words).map { [$0] } ?? []
    }
    if nodes.isEmpty { readers[file].report(.emptyList(of: "result", .unsearched), at: node) }
    return nodes.compactMap { readers[file].choice($0, "result", of: NeedRules.results) }
  }

  /// Returns the conditions that needs have ended with the results that are written: for those that
  /// no step waits for otherwise.
  func conditions(ofNeeds node: Node?, _ context: Context) -> [StepExtras.Condition] {
    guard case .mapping(let pairs)? = node?.content else { return [] }
    return pairs.compactMap { pair in
      var words: [String] = []
      if case .sequence(let nodes) = pair.value.content {
        words = nodes.compactMap(\.text)
      } else if let word = pair.value.text, ExpectedResult(rawValue: word) == nil {
        words = [word]
      }
      guard let id = pair.key.text, !words.isEmpty, words.allSatisfy(NeedRules.results.contains)
      else { return nil }
      return StepExtras.Condition(
        template: Self.template(thatTests: id, words), scope: context.scope,
        bindings: context.bindings)
    }
  }

  private static func template(thatTests id: String, _ words: [String]) -> Template {
    func part(_ kind: Expression.Kind) -> Expression { Expression(kind: kind, range: 0..<0) }
    let result = part(.member(part(.member(part(.root(.steps)), id)), "result"))
    let tests = words.map { part(.binary(.equal, result, part(.literal(.text($0))))) }
    return Template(
      tests.dropFirst().reduce(tests[0]) { part(.binary(.or, $0, $1)) },
      source: "needs: { \(id): "
        + (words.count == 1 ? words[0] : "[" + words.joined(separator: ", ") + "]") + " }")
  }

  /// Reads the needs of a step or group of its own, to which those of the group around it are added.
  ///
  /// The last step in the file need not be the last one to end in the groups around it then.
  ///
  /// - Returns: The needs; nil if it has none of its own.
  mutating func readOwnNeeds(_ fields: Fields, _ context: Context) -> [Need]? {
    guard let node = fields["needs"] else { return nil }
    let needs = readNeeds(node, context)
    guard context.group != .run else { return needs }
    groupsWithOwnNeeds.formUnion(groups.path(from: context.group))
    return needs + context.opening.filter { !needs.contains($0) }
  }
}
