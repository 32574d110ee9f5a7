// A binary heap of numbers. Plain value.

/// Numbers, of which the smallest is always at hand.
///
/// Adding and taking are logarithmic in their count.
struct MinHeap: Sendable {
  private var numbers: [Int] = []

  /// The smallest number; nil when there is none.
  var min: Int? { numbers.first }

  /// Adds a number.
  mutating func insert(_ number: Int) {
    numbers.append(number)
    var child = numbers.count - 1
    while child > 0, numbers[(child - 1) / 2] > numbers[child] {
      numbers.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes the smallest number out; nil when there is none.
  mutating func popMin() -> Int? {
    guard let smallest = numbers.first, let last = numbers.popLast() else { return nil }
    guard !numbers.isEmpty else { return smallest }
    numbers[0] = last
    var parent = 0
    while let child = smallerChild(of: parent), numbers[child] < numbers[parent] {
      numbers.swapAt(child, parent)
      parent = child
    }
    return smallest
  }

  private func smallerChild(of parent: Int) -> Int? {
    let left = 2 * parent + 1
    guard left < numbers.count else { return nil }
    let right = left + 1
    return right < numbers.count && numbers[right] < numbers[left] ? right : left
  }
}
