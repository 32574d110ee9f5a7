// Rows about single operators, each against its nearest relative in OpenCombine.
//
// `merge` is left out because it is made of OpenCombine's own `flatMap`, which has no `Merge`;
// `withLatestFrom` because there is no relative, not even `CombineLatest`; the folding `debounce` because
// what it takes is mostly the time that it waits.

private let figures = [
  "nanoseconds-per-value": Figure("time per value", "ns"),
  "allocations-per-value": Figure("allocations per value", ""),
  "nanoseconds-per-subscription": Figure("time per subscription", "ns"),
  "allocations-per-subscription": Figure("allocations per subscription", ""),
  "allocations-with-ten-values": Figure("allocations of one with ten values", ""),
]

/// What the bar is about: values, and the memory of a subscription that is used.
private let judged: Set = ["nanoseconds-per-value", "allocations-with-ten-values"]

/// Row 12: one of its operators.
///
/// - Parameters:
///   - name: As `in-process operator` knows it.
///   - work: What is compared.
/// - Returns: The row.
func operatorRow(_ name: String, _ work: String) -> Row {
  Row(
    "operator-" + name, work,
    bars: figures.sorted { $0.key > $1.key }.map { key, figure in
      Bar(
        figure, .ratio("ours", to: "OpenCombine"), judged.contains(key) ? .below(1) : .reported)
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
