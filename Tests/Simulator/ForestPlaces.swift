// The places of steps in a tree of groups, found from their ids.

/// Finds the place of each step of a tree, with the items that it is inside of.
final class ForestPlaces {
  /// A step or group in a list, or an item or branch of a group.
  struct Position: Hashable {
    /// The list, with the items that it is inside of.
    let list: String
    let number: Int
    let isOrdered: Bool
  }

  /// A group around a step, with the items that it is inside of.
  struct Instance {
    let name: String
    let group: Forest.Group
    /// The part of the group that the step belongs to; nil if the group does not count its parts.
    let part: String?
    /// Whether the settings that hold for a group as a whole hold for it: not for all items together.
    let isWhole: Bool
  }

  /// The place of a step.
  struct Place {
    var path: [Position] = []
    /// The groups around it, outermost first.
    var instances: [Instance] = []
    var step: Forest.Step?
    /// The group whose items the step computes.
    var computed: Forest.Group?
    var isAtEnd = false

    /// The last position is one of branches, which have no order.
    mutating func setUnordered() {
      guard let last = path.popLast() else { return }
      path.append(Position(list: last.list, number: last.number, isOrdered: false))
    }
  }

  private struct Template {
    /// The positions and groups from the root.
    let chain: [(number: Int, group: Forest.Group)]
    let number: Int
    let step: Forest.Step?
  }

  private let forest: Forest
  private var templates: [String: Template] = [:]
  private var places: [String: Place] = [:]

  init(of forest: Forest) {
    self.forest = forest
    index(forest.nodes, [])
  }

  private func index(_ nodes: [Forest.Node], _ chain: [(number: Int, group: Forest.Group)]) {
    for (number, node) in nodes.enumerated() {
      switch node {
      case .step(let step):
        templates[step.id] = Template(chain: chain, number: number, step: step)
      case .group(let group):
        templates[group.id] = Template(chain: chain, number: number, step: nil)
        index(group.nodes, chain + [(number, group)])
      }
    }
  }

  /// Returns the place of a step; it has no path if the step is outside of the tree.
  func place(of id: String) -> Place {
    if let place = places[id] { return place }
    let place = newPlace(of: id)
    places[id] = place
    return place
  }

  private func newPlace(of id: String) -> Place {
    var place = Place()
    var parts = id.split(separator: "/").map(String.init)
    let isRound = parts.last == "repeat"
    if isRound { parts.removeLast() }
    let isUndo = parts.last == "undo"
    if isUndo { parts.removeLast() }
    let last = parts.last ?? ""
    place.isAtEnd = isUndo || forest.finally.contains { $0.id == last }
    let name = last.split(separator: "[").first.map(String.init) ?? ""
    guard id != Forest.source, !place.isAtEnd, let template = templates[name] else { return place }
    var prefix = ""
    var items = parts.dropLast()[...]
    if isRound, last.hasSuffix("]") { items = parts[...] }
    var chain = template.chain
    // The step that decides about rounds is inside of its group.
    if isRound, let own = group(name) { chain.append((template.number, own)) }
    for (depth, (number, group)) in chain.enumerated() {
      place.path.append(Position(list: prefix + "list \(depth)", number: number, isOrdered: true))
      if depth > 0 {
        let parent = chain[depth - 1].group
        if parent.kind == .parallel { place.setUnordered() }
      }
      let isLast = depth == chain.count - 1
      let next = isLast ? template.number : chain[depth + 1].number
      if group.hasItems {
        let item = items.popFirst() ?? ""
        place.instances.append(
          Instance(name: prefix + group.id, group: group, part: prefix + item, isWhole: false))
        place.instances.append(
          Instance(name: prefix + item, group: group, part: nil, isWhole: !(isRound && isLast)))
        prefix += item + "/"
      } else {
        let part = group.kind == .parallel && !(isRound && isLast) ? "\(next)" : nil
        place.instances.append(
          Instance(
            name: prefix + group.id, group: group, part: part, isWhole: !(isRound && isLast)))
      }
      if group.rounds != nil {
        let isCheck = isRound && isLast
        place.path.append(
          Position(list: prefix + group.id + " rounds", number: isCheck ? 1 : 0, isOrdered: true))
      }
    }
    if isRound { return place }
    place.path.append(
      Position(list: prefix + "list \(chain.count)", number: template.number, isOrdered: true))
    if chain.last?.group.kind == .parallel { place.setUnordered() }
    place.step = template.step
    if template.step == nil { place.computed = group(name) }
    return place
  }

  private func group(_ id: String) -> Forest.Group? {
    func found(_ nodes: [Forest.Node]) -> Forest.Group? {
      for case .group(let group) in nodes {
        if group.id == id { return group }
        if let inner = found(group.nodes) { return inner }
      }
      return nil
    }
    return found(forest.nodes)
  }
}
