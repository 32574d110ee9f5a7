// Rows about graphs whose steps do nothing, run within a process: what a step itself costs.

private let time = Figure("time per step", "µs")
private let memory = Figure("memory per step", "B")
private let edgeTime = Figure("time per edge", "ns")
private let kahn = Figure("multiple of a Kahn loop", "")

private let figures = [
  "microseconds-per-step": time, "bytes-per-step": memory, "nanoseconds-per-edge": edgeTime,
  "multiple-of-kahn": kahn,
]

/// Row 3.
let smallGraphs = Row(
  "graph", "100,000 steps that do nothing, in layers of 100, each needs two: compiled and run",
  bars: [
    Bar(time, .value(of: "pipeline"), .atMost(2)),
    Bar(memory, .value(of: "pipeline"), .atMost(600)),
    Bar(kahn, .value(of: "pipeline"), .reported),
    // The bar is about what a pipeline costs; the engine adds events to it.
    Bar(time, .value(of: "engine"), .reported),
    Bar(memory, .value(of: "engine"), .reported),
    Bar(kahn, .value(of: "engine"), .reported),
  ]
) { place in
  let count = place.count(100_000, quick: 2000)
  return [
    place.contestant("pipeline", "pipeline", count),
    place.contestant("engine", "engine", count),
  ]
}

/// Row 4: the same in three sizes.
let growth = Row(
  "graph-growth", "the same with 10,000, 100,000 and 1,000,000 steps",
  bars: [
    Bar(time, .ratio("pipeline 1M", to: "pipeline 10k"), .atMost(1.2)),
    Bar(time, .ratio("pipeline 1M", to: "pipeline 100k"), .atMost(1.2)),
    Bar(time, .ratio("engine 1M", to: "engine 10k"), .atMost(1.2)),
    Bar(time, .ratio("engine 1M", to: "engine 100k"), .atMost(1.2)),
    Bar(memory, .ratio("pipeline 1M", to: "pipeline 100k"), .reported),
    Bar(memory, .ratio("engine 1M", to: "engine 100k"), .reported),
  ]
) { place in
  ["pipeline", "engine"].flatMap { kind in
    [("10k", 10_000), ("100k", 100_000), ("1M", 1_000_000)].map { name, full in
      place.contestant("\(kind) \(name)", kind, place.count(full, quick: full / 200))
    }
  }
}

/// Row 5.
let shapes = Row(
  "graph-shapes", "100,000 edges in other shapes against the layers",
  bars: ["chain", "fan-out", "fan-in", "dense"].map {
    Bar(edgeTime, .ratio($0, to: "layers"), .atMost(3))
  }
) { place in
  let edges = place.count(100_000, quick: 2000)
  return ["chain", "fan-out", "fan-in"].map { place.contestant($0, $0, edges) }
    + [
      place.contestant("dense", "dense", place.count(300, quick: 40)),
      place.contestant("layers", "pipeline", edges / 2),
    ]
}

extension Place {
  fileprivate func contestant(_ name: String, _ kind: String, _ count: Int) -> Contestant {
    Contestant(name) { try measureInProcess([kind, String(count)], figures) }
  }
}
