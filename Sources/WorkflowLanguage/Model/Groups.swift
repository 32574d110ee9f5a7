// What groups of steps demand of their steps: places in limits, and rules for the group as a whole.

/// The place of a step in a group with `max-parallel`, `fail-fast` or `mutex`.
package struct GroupItem: Sendable, Hashable {
  /// The id of the group, or the name of the mutex.
  package var group: String
  /// The position of the item that contains the step.
  package var item: Int
  /// The maximum number of items in progress; nil for no limit.
  package var limit: Int?
  /// The number of failed items that cancels the others; nil if none does.
  package var failFastCount: Int?
  /// Whether items have several steps, so that an item keeps its slot between them.
  package var countsItems: Bool
  /// Whether the item is a group that holds a mutex.
  package var isMutex = false
  /// The unique name of the group that holds a mutex; empty for other limits.
  package var holder = ""

  /// Whether the failure of items cancels the others.
  package var failsFast: Bool { failFastCount != nil }

  /// The name of the limit, which a mutex shares with single steps.
  package var limitName: String { isMutex ? Self.limitName(ofMutex: group) : "g" + group }

  /// Returns the name of the limit of a mutex.
  package static func limitName(ofMutex mutex: String) -> String { "m" + mutex }
}

/// A time limit or a rule for retries of a group of steps.
package struct GroupRule: Sendable, Equatable {
  /// The unique name of the group.
  package var group: String
  /// The maximum time from the start of its first step to the end of its last one.
  package var timeout: Duration?
  /// When all of its steps run again after a failure.
  package var retry: Retry?
  /// The number of groups with `continue-on-error` that contain the steps: this one and those around
  /// it.
  package var tolerantCount = 0
}

/// What a step takes of a pool while it runs.
package struct PoolClaim: Sendable, Equatable {
  /// The name of the pool.
  package var pool: String
  /// The number of places that the step takes.
  package var count: Int
  /// The number of places of the pool.
  package var size: Int

  package init(pool: String, count: Int, size: Int) {
    self.pool = pool
    self.count = count
    self.size = size
  }
}

extension StepExtras {
  /// Whether a group that contains the step holds a mutex.
  var isInMutex: Bool { items.contains(where: \.isMutex) }
}

extension Bindings {
  /// Returns the values with those of a group around it, as far as it has none of its own.
  func within(_ outer: Bindings?) -> Bindings {
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
