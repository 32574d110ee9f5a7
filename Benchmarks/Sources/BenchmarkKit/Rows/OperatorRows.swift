// Rows about single operators, each against its nearest relative in OpenCombine.
//
// `merge`, `combineLatest` and `withLatestFrom` are left out because OpenCombine has no relatives of them;
// the folding `debounce` because what it takes is mostly the time that it waits. Nothing is judged: no step
// of a run passes through these operators, and they are written to be read.

private let figures = [
  "nanoseconds-per-value": Figure("time per value", "ns"),
  "allocations-per-value": Figure("allocations per value", ""),
  "nanoseconds-per-subscription": Figure("time per subscription", "ns"),
  "allocations-per-subscription": Figure("allocations per subscription", ""),
  "allocations-with-ten-values": Figure("allocations of one with ten values", ""),
]

/// Row 12: one of its operators.
///
/// - Parameters:
///   - name: As `in-process operator` knows it.
///   - work: What is compared.
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
