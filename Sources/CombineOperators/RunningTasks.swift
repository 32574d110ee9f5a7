// The tasks of an operator that run. Knows nothing of what they do.

/// Tasks by number, of which there is mostly one: that one costs no memory beside its own.
@usableFromInline
struct RunningTasks: Sendable {
  @usableFromInline var first: (number: Int, task: Task<Void, Never>)?
  @usableFromInline var others: [Int: Task<Void, Never>] = [:]
  /// The number of the next task that is added.
  @usableFromInline var nextNumber = 0

  @inlinable
  init() {}

  @inlinable
  var isEmpty: Bool { first == nil && others.isEmpty }

  /// Adds a task, which is to be removed by its number when it ends.
  @inlinable
  mutating func add(_ task: Task<Void, Never>) {
    if first == nil { first = (nextNumber, task) } else { others[nextNumber] = task }
    nextNumber += 1
  }

  @inlinable
  mutating func remove(_ number: Int) {
    if first?.number == number { first = nil } else { others[number] = nil }
  }

  @inlinable
  func cancel() {
    first?.task.cancel()
    for task in others.values { task.cancel() }
  }
}
