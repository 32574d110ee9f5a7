// Rows about output: the cost of the display, and the throughput of a step's output.

import Foundation

private let load = Figure("load", "% of a core")
private let redraws = Figure("redraws", "/s")
private let bytes = Figure("written", "B/s")

private let observed = "1,000 steps, 50 at a time, in a terminal of 120 × 40"

/// Row 9, first part.
///
/// Measures five seconds, starting after two. The load is that of guardian and engine without the
/// steps, minus the load of the same run with `--progress none`.
let display = Row(
  "display", "\(observed), each writes a line every 50 ms",
  bars: [
    Bar(load, .difference("display", from: "--progress none"), .atMost(3)),
    Bar(load, .value(of: "--progress none"), .reported),
    Bar(redraws, .value(of: "display"), .atMost(30)),
    Bar(bytes, .value(of: "display"), .reported),
  ]
) { place in
  try place.displayContestants([try place.programs.own("line-writer"), "every", "50"])
}

/// Row 9, second part: elapsed times and spinners of running steps still change.
let quietDisplay = Row(
  "display-quiet", "\(observed), that sleep",
  bars: [
    Bar(load, .difference("display", from: "--progress none"), .reported),
    Bar(redraws, .value(of: "display"), .reported),
    Bar(bytes, .value(of: "display"), .reported),
    Bar(bytes, .value(of: "--progress none"), .atMost(0)),
  ]
) { place in
  try place.displayContestants(["sleep", "1000"])
}

extension Place {
  fileprivate func displayContestants(_ words: [String]) throws -> [Contestant] {
    let list = words.map { "\"\($0)\"" }.joined(separator: ", ")
    let steps = (0..<1000).map { "      - { id: s\($0), exec: [\(list)] }\n" }.joined()
    let file = try write(
      "display.yaml", "max-parallel: 50\ngrace: 0\nsteps:\n  - parallel:\n" + steps)
    let watch = try programs.own("pty-watch")
    return [("display", "tree"), ("--progress none", "none")].map { name, progress in
      Contestant(name) {
        let report = folder + "/display-report"
        try run(
          [watch, "2", isQuick ? "1" : "5", report, programs.reprise, "run", file]
            + ["--progress", progress, "--state-dir", freshState()])
        let numbers = try readNumbers(report)
        guard numbers.count == 4 else { throw Broken("pty-watch has written no report") }
        return [
          bytes: numbers[1] / numbers[0], redraws: numbers[2] / numbers[0],
          load: numbers[3] / numbers[0] * 100,
        ]
      }
    }
  }
}

/// Row 10: a bar of half the throughput is twice the time.
let output = Row(
  "output", "1 GiB in lines of 100 bytes through one step into its log, against `| cat > file`",
  bars: [
    Bar(.wall, .ratio("reprise", to: "cat"), .atMost(2)),
    Bar(.processor, .ratio("reprise", to: "cat"), .reported),
    Bar(.resident, .value(of: "reprise"), .atMost(64)),
  ]
) { place in
  let count = place.count(1 << 30, quick: 1 << 22)
  let writer = try place.programs.own("line-writer")
  let file = try place.write(
    "output.yaml",
    """
    keep: { log: 2g }
    steps:
      - { id: write, exec: ["\(writer)", bytes, "\(count)"] }

    """)
  let copy = place.folder + "/copy"
  return [
    Contestant("reprise") {
      let state = place.freshState()
      defer { try? FileManager.default.removeItem(atPath: state) }
      let sample = try place.measure(
        [place.programs.reprise, "run", file, "--progress", "none", "--state-dir", state])
      guard place.size(of: state) >= count else { throw Broken("the log is not complete") }
      return sample
    },
    Contestant("cat") {
      defer { try? FileManager.default.removeItem(atPath: copy) }
      return try place.measure(
        ["/bin/sh", "-c", "\"$0\" bytes \(count) | cat > \"$1\"", writer, copy])
    },
  ]
}

/// The same text is read by one command that has a secret, and by one that has none.
let masking = Row(
  "masking", "256 MiB in lines of 100 bytes through one step, with a secret to mask and without",
  bars: [Bar(.processor, .ratio("one secret", to: "no secret"), .atMost(3))]
) { place in
  let count = place.count(1 << 28, quick: 1 << 22)
  let writer = try place.programs.own("line-writer")
  let steps = "steps:\n  - { id: write, exec: [\"\(writer)\", bytes, \"\(count)\"] }\n"
  let secret = try place.write("secret", "swordfish-9f8e7d6c")
  let plain = try place.write("plain.yaml", "keep: { log: 2g }\n" + steps)
  let masked = try place.write(
    "masked.yaml", "keep: { log: 2g }\nsecrets: { token: { file: \"\(secret)\" } }\n" + steps)
  return [("one secret", masked), ("no secret", plain)].map { name, file in
    Contestant(name) {
      let state = place.freshState()
      defer { try? FileManager.default.removeItem(atPath: state) }
      return try place.measure(
        [place.programs.reprise, "run", file, "--progress", "none", "--state-dir", state])
    }
  }
}

extension Place {
  /// Returns the total size of all files in a folder.
  fileprivate func size(of folder: String) -> Int {
    let names = FileManager.default.enumerator(atPath: folder)
    var sum = 0
    while let name = names?.nextObject() as? String {
      let path = folder + "/" + name
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      sum += attributes?[.size] as? Int ?? 0
    }
    return sum
  }
}
