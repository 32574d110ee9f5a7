// The ranges of a stream that must be masked.

/// A set of positions in a stream, as ordered ranges that neither overlap nor touch.
struct MaskedRuns: Sendable {
  private(set) var runs: [Range<Int>] = []

  /// Adds a range; takes constant time if it ends after nearly all others.
  mutating func add(_ range: Range<Int>) {
    var range = range
    var index = runs.endIndex
    while index > 0, runs[index - 1].lowerBound > range.upperBound { index -= 1 }
    var first = index
    while first > 0, runs[first - 1].upperBound >= range.lowerBound {
      first -= 1
      range =
        min(
          runs[first].lowerBound, range.lowerBound)..<max(runs[first].upperBound, range.upperBound)
    }
    runs.replaceSubrange(first..<index, with: CollectionOfOne(range))
  }

  /// Removes the first ranges.
  mutating func removeFirst(_ count: Int) { runs.removeFirst(count) }
}
