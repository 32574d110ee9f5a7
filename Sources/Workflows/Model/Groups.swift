// The groups of a workflow: a tree of lists, branches, items and used files, whose leaves are the
// steps.

/// Identifies a group of a workflow by its position; in a run, by the number that the group keeps for
/// the whole run.
package struct GroupIndex: Hashable, Sendable {
  /// The position of the group, from 0.
  package let position: Int

  /// The run itself, which contains everything.
  package static let run = GroupIndex(0)

  package init(_ position: Int) { self.position = position }
}

/// Steps that belong together, and what is demanded of them as a whole.
package struct Group: Sendable, Equatable {
  /// The name, unique in its workflow and the same in other versions of it: the full id, or else a
  /// text that no id contains.
  package var name: String
  /// Whether the name is an id, by which users can refer to the group.
  package var hasID = false
  /// The group around it; nil for the run.
  package var parent: GroupIndex? = .run
  /// Whether it is a list of steps, to which the services in it belong.
  package var isList = false
  /// Whether steps outside of it go on after a failure in it.
  package var continuesOnError = false
  /// Whether the variables that its steps set are visible to its steps only.
  package var keepsVariables = false
  /// The maximum time from the start of its first step to the end of its last one.
  package var timeout: Duration?
  /// When all of its steps run again after a failure.
  package var retry: Retry?
  /// Whether ``retry`` is the rule for rounds: only a step directly in it, which is not in one of the
  /// groups inside of it, decides by its failure that there is another one.
  package var isRepeated = false
  /// The mutex that it holds as a whole.
  package var mutex: String?
  /// What it takes of pools as a whole, in the order of their names.
  package var pools: [PoolClaim] = []
  /// The maximum number of its parts in progress: the steps and groups directly inside of it.
  package var maxParallel: Int?
  /// The number of failed parts that cancels the others; nil if none does.
  package var failFastCount: Int?
  /// The position of the group in the template of which it is a copy for an item.
  var origin: Int?

  /// The name for users: a group for rounds has that of the group that repeats.
  package var shownName: String { isRepeated ? String(name.dropLast(Self.rounds.count)) : name }

  /// The end of the name of a group for rounds.
  package static let rounds = ":rounds"

  package init(name: String, hasID: Bool = false, in parent: GroupIndex? = .run) {
    (self.name, self.hasID, self.parent) = (name, hasID, parent)
  }
}

/// A limit on the number of steps or groups in progress.
package struct Limit: Sendable, Equatable {
  /// The name, which distinguishes it from all other limits of a run.
  package var name: String
  package var count: Int
  /// Whether only steps that run hold it: not a step that waits for places of a pool, nor a group.
  package var isOfRunning = false

  package init(name: String, count: Int, isOfRunning: Bool = false) {
    self.name = name
    self.count = count
    self.isOfRunning = isOfRunning
  }

  /// The limit of a mutex, which single steps and groups can share.
  package static func mutex(_ mutex: String) -> Limit { Limit(name: "m" + mutex, count: 1) }

  /// The limit of a group that takes places of a pool: it is taken as long as the group holds them.
  package static func places(of group: Group) -> Limit { Limit(name: "p" + group.name, count: 1) }

  /// The limit of the parts of a group; nil if it has none.
  package static func parts(of group: Group) -> Limit? {
    group.maxParallel.map { Limit(name: "g" + group.name, count: $0) }
  }
}

/// The groups of a workflow.
package struct GroupTree: Sendable, Equatable {
  private var groups: [Group]

  /// Creates a tree with the run only.
  package init() {
    groups = [Group(name: "", in: nil)]
  }

  /// The number of groups, with the run.
  package var count: Int { groups.count }

  /// All groups, each after the one around it; the first is the run.
  package var indices: [GroupIndex] { groups.indices.map { GroupIndex($0) } }

  package subscript(group: GroupIndex) -> Group {
    get { groups[group.position] }
    set { groups[group.position] = newValue }
  }

  /// Adds a group after the one around it.
  package mutating func add(_ group: Group) -> GroupIndex {
    groups.append(group)
    return GroupIndex(groups.count - 1)
  }

  /// Returns a group and those around it, innermost first, without the run.
  ///
  /// Linear in the depth.
  package func path(from group: GroupIndex) -> [GroupIndex] {
    var path: [GroupIndex] = []
    var next = group
    while next != .run, let parent = self[next].parent {
      path.append(next)
      next = parent
    }
    return path
  }

  /// Returns whether a group is another one, or inside of it.
  package func contains(_ inner: GroupIndex, in outer: GroupIndex) -> Bool {
    outer == .run || path(from: inner).contains(outer)
  }

  /// Returns the list to which a service in a group belongs: the innermost one around it, or the run.
  package func list(around group: GroupIndex) -> GroupIndex {
    path(from: group).first { self[$0].isList } ?? .run
  }

  /// Returns the limits of which a group takes a place, from its first step to its last one.
  package func limits(of group: GroupIndex) -> [Limit] {
    let own = self[group]
    return [
      own.parent.flatMap { Limit.parts(of: self[$0]) }, own.mutex.map(Limit.mutex),
      own.pools.isEmpty ? nil : Limit.places(of: own),
    ].compactMap(\.self)
  }

  /// Removes the groups of items of steps that were expanded during a run, which come last.
  mutating func removeCopies() {
    groups.removeLast(groups.reversed().prefix { $0.origin != nil }.count)
  }
}

extension Workflow {
  /// Returns the groups around a step, innermost first, without the run.
  package func groups(around step: Workflow.Step) -> [GroupIndex] { groups.path(from: step.group) }

  /// Whether the run can succeed although a step fails.
  package func isTolerated(_ step: Workflow.Step) -> Bool {
    step.extrasIfAny?.continuesOnError == true
      || groups(around: step).contains { groups[$0].continuesOnError }
  }

  /// Returns whether the variables that a step sets are visible to another step of its file.
  package func areVariables(of setter: Workflow.Step, visibleTo step: Workflow.Step) -> Bool {
    groups(around: setter).allSatisfy {
      !groups[$0].keepsVariables || groups.contains(step.group, in: $0)
    }
  }

  /// Returns the ids of the groups around a step, outermost first.
  package func groupIDs(around step: Workflow.Step) -> [String] {
    groups(around: step).reversed().map { groups[$0] }.filter(\.hasID).map(\.name)
  }
}

/// What a step takes of a pool while it runs, or a group from its first step to its last.
package struct PoolClaim: Sendable, Equatable {
  /// The name of the pool.
  package var pool: String
  /// The number of places that it takes.
  package var count: Int
  /// The number of places of the pool.
  package var size: Int

  package init(pool: String, count: Int, size: Int) {
    self.pool = pool
    self.count = count
    self.size = size
  }
}

extension Bindings {
  /// Returns the values with those of a group around it, as far as it has none of its own.
  package func within(_ outer: Bindings?) -> Bindings {
    guard let outer else { return self }
    var all = self
    if matrix == nil {
      all.matrix = outer.matrix
      all.matrixNames = outer.matrixNames
      all.openMatrix = outer.openMatrix
    }
    if item == nil {
      all.item = outer.item
      all.index = outer.index
      all.openItem = outer.openItem
    }
    return all
  }

  /// Returns the values with those of an item in the places that were kept open for it.
  ///
  /// - Parameters:
  ///   - number: The number of the step that has the item.
  ///   - item: The values of the item.
  /// - Returns: The values; the same if no place was kept for the item.
  func filled(for number: Int, with item: Bindings) -> Bindings {
    var all = self
    if openItem == number {
      (all.item, all.index, all.openItem) = (item.item, item.index, nil)
    }
    if openMatrix == number {
      (all.matrix, all.matrixNames, all.openMatrix) = (item.matrix, [], nil)
    }
    if label == ItemNames.mark(of: number) { all.label = item.label }
    return all
  }
}
