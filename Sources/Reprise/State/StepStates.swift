// `StepStates`: the states of the steps of a run, in file order and by index.

package import Workflows

/// The states of the steps of a run, in file order.
///
/// A random-access collection: its positions are those of the steps in the file, and change when a
/// run takes another version of its workflow. Inside of a run, steps are found by their index, which
/// never changes; see `Plan`, whose rule for indices is the same.
public struct StepStates: Sendable, RandomAccessCollection {
  /// The states by index; also of steps that are gone.
  private(set) var byIndex: [StepState] = []
  /// The index of each position; nil if they are equal.
  private var order: [Int]?
  /// The position of each index, -1 for steps that are gone; nil if they are equal.
  private var positions: [Int]?
  /// The indices by id; also of steps that are gone.
  private var known: [String: Int] = [:]

  /// Creates an empty collection.
  public init() {}

  /// Creates the states of steps whose positions are their indices.
  init(_ states: [StepState]) {
    byIndex = states
    known.reserveCapacity(states.count)
    for (index, state) in states.enumerated() { known[state.id] = index }
  }

  /// The position of the first step: 0.
  public var startIndex: Int { 0 }

  /// The number of steps.
  public var endIndex: Int { order?.count ?? byIndex.count }

  /// The state of the step at a position in the file.
  ///
  /// Constant time.
  public subscript(position: Int) -> StepState { byIndex[order?[position] ?? position] }

  /// The state of a step.
  package subscript(step: StepIndex) -> StepState { byIndex[step.position] }

  /// The indices of the steps, in file order.
  var steps: [StepIndex] { (order ?? Array(byIndex.indices)).map { StepIndex($0) } }

  /// Returns the index of a step by its id, in constant time; nil if there is no such step.
  func index(of id: String) -> StepIndex? {
    known[id].flatMap { (positions?[$0] ?? $0) < 0 ? nil : StepIndex($0) }
  }

  /// Returns the position of a step in the file; nil if it is gone.
  func position(of step: StepIndex) -> Int? {
    guard byIndex.indices.contains(step.position) else { return nil }
    let position = positions?[step.position] ?? step.position
    return position < 0 ? nil : position
  }

  /// Changes the state of a step.
  mutating func update(_ step: StepIndex, _ change: (inout StepState) -> Void) {
    change(&byIndex[step.position])
  }

  /// Takes the steps of another version of the workflow.
  ///
  /// Linear in the number of steps.
  ///
  /// - Parameter ids: Their ids in file order. Known steps keep their index and state; new ones, and
  ///   those that come back, are pending.
  mutating func take(_ ids: [String]) {
    let before = self
    var next: [Int] = []
    next.reserveCapacity(ids.count)
    var places = Array(repeating: -1, count: byIndex.count)
    for (position, id) in ids.enumerated() {
      // An invalid event can name a step twice.
      if let index = known[id], places[index] < 0 {
        if before.position(of: StepIndex(index)) == nil { byIndex[index] = StepState(id: id) }
        places[index] = position
        next.append(index)
      } else {
        known[id] = byIndex.count
        next.append(byIndex.count)
        places.append(position)
        byIndex.append(StepState(id: id))
      }
    }
    (order, positions) = (next, places)
  }
}

extension StepStates: Equatable {
  /// Compares the states in file order.
  public static func == (left: StepStates, right: StepStates) -> Bool {
    left.elementsEqual(right)
  }
}
