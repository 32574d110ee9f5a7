// Rows about graphs of steps that do nothing, run in process: the cost of a step in the engine.

private let time = Figure("time per step", "µs")
private let memory = Figure("memory per step", "B")
private let edgeTime = Figure("time per edge", "ns")
private let kahn = Figure("multiple of a Kahn loop", "")

private let figures = [
  "microseconds-per-step": time, "bytes-per-step": memory, "nanoseconds-per-edge": edgeTime,
  "multiple-of-kahn": kahn,
]

/// Row 3: the cost of a step that does nothing, as a fraction of a step that is a process.
///
/// The bar limits this fraction, because the overhead of the engine does not matter if a process
/// takes a thousand times as long.
let smallGraphs = Row(
  "graph", "100,000 steps that do nothing, in layers of 100, each needs two",
  bars: [
    Bar(time, .ratio("engine", to: "a shell step by the spawn loop"), .atMost(0.05)),
    Bar(time, .value(of: "engine"), .reported),
    Bar(memory, .value(of: "engine"), .reported),
    Bar(kahn, .value(of: "engine"), .reported),
  ]
) { place in
  let loop = [try place.programs.own("spawn-loop")]
  let steps = place.count(500, quick: 20)
  return [
    place.contestant("engine", "layers", place.count(100_000, quick: 2000)),
    Contestant("a shell step by the spawn loop") {
      let sample = try place.measure(loop + [String(steps), "pipes", "/bin/sh", "-c", "true"])
      return [time: (sample[.wall] ?? 0) / Double(steps) * 1000]
    },
  ]
}

/// Row 4: the same graph in three sizes.
let growth = Row(
  "graph-growth", "the same with 10,000, 100,000 and 1,000,000 steps",
  bars: [
    Bar(time, .ratio("1M", to: "10k"), .atMost(1.2)),
    Bar(time, .ratio("1M", to: "100k"), .atMost(1.2)),
    Bar(memory, .ratio("1M", to: "100k"), .reported),
  ]
) { place in
  [("10k", 10_000), ("100k", 100_000), ("1M", 1_000_000)].map { name, full in
    place.contestant(name, "layers", place.count(full, quick: full / 200))
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
      place.contestant("layers", "layers", edges / 2),
    ]
}

extension Place {
  fileprivate func contestant(_ name: String, _ kind: String, _ count: Int) -> Contestant {
    Contestant(name) { try measureInProcess([kind, String(count)], figures) }
  }
}
