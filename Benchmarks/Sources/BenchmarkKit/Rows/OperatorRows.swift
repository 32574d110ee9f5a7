// Rows about single operators, each against the closest one in OpenCombine.
//
// OpenCombine has no equivalent of `merge`, `combineLatest` and `withLatestFrom`. The folding
// `debounce` is left out because it mostly waits. These rows have no limits: no step of a run
// passes through these operators, and their code is optimized for readability.

private let figures = [
  "nanoseconds-per-value": Figure("time per value", "ns"),
  "allocations-per-value": Figure("allocations per value", ""),
  "nanoseconds-per-subscription": Figure("time per subscription", "ns"),
  "allocations-per-subscription": Figure("allocations per subscription", ""),
  "allocations-with-ten-values": Figure("allocations of one with ten values", ""),
]

/// Row 12, for one operator.
///
/// - Parameters:
///   - name: The name in `in-process operator`.
///   - work: A description of the comparison.
/// - Returns: The row.
func operatorRow(_ name: String, _ work: String) -> Row {
  Row(
    "operator-" + name, work,
    bars: figures.sorted { $0.key > $1.key }.map { _, figure in
      Bar(figure, .ratio("ours", to: "OpenCombine"), .reported)
    }
  ) { place in
    let count = String(place.count(100_000, quick: 1000))
    return [("ours", "ours"), ("OpenCombine", "theirs")].map { title, side in
      Contestant(title) {
        try place.measureInProcess(["operator", "\(name)-\(side)", count], figures)
      }
    }
  }
}
