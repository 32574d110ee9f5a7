// Rows about work that is dominated by the start of the command, about reading a large file, and
// about the size of the command.

import Foundation

/// Row 7, first part.
let version = Row(
  "version", "`reprise --version`", roundsFactor: 8,
  bars: [
    Bar(.wall, .ratio("reprise", to: "sh -c true"), .atMost(2)),
    Bar(.wall, .value(of: "reprise"), .reported),
  ]
) { place in
  [
    Contestant("reprise") { try place.measure([place.programs.reprise, "--version"]) },
    Contestant("sh -c true") { try place.measure(["/bin/sh", "-c", "true"]) },
  ]
}

/// What a shell asks for at the Tab key, in a folder with ten workflows.
///
/// The bar is for the time without that of the measurement.
let completion = Row(
  "completion", "the name of a workflow, completed among ten", roundsFactor: 8,
  bars: [
    Bar(.wall, .difference("reprise", from: "sh -c true"), .atMost(10)),
    Bar(.wall, .value(of: "reprise"), .reported),
  ]
) { place in
  let folder = place.folder + "/workflows"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  let text = "steps:\n  - { id: only, run: \"true\" }\n"
  for number in 0..<10 { _ = try place.write("workflows/build-\(number).yaml", text) }
  let command = [place.programs.reprise, "---completion", "run", "--", "positional@0", "2", "3"]
  return [
    Contestant("reprise") { try place.measure(command + ["reprise", "run", "bui"]) },
    Contestant("sh -c true") { try place.measure(["/bin/sh", "-c", "true"]) },
  ]
}

/// Row 7, second part; the run is recorded in a new folder.
///
/// The bars are for the time without that of the measurement, of which `sh -c true` is nearly all.
let oneStep = Row(
  "one-step", "a file with the one step `true`", roundsFactor: 8,
  bars: [
    Bar(.wall, .difference("reprise", from: "sh -c true"), .atMost(15)),
    Bar(.wall, .difference("reprise --no-journal", from: "sh -c true"), .atMost(8)),
    Bar(
      .wall, .difference("reprise, state folder used before", from: "sh -c true"), .atMost(11)),
    Bar(.wall, .ratio("reprise", to: "task"), .atMost(0.3)),
    Bar(.wall, .value(of: "reprise"), .reported),
  ]
) { place in
  let file = try place.write("one.yaml", "steps:\n  - { id: only, run: \"true\" }\n")
  let command = [place.programs.reprise, "run", file, "--progress", "none"]
  let used = place.freshState()
  let task = try place.programs.peer("task")
  let taskFile = try place.write(
    "Taskfile.yml", "version: '3'\ntasks:\n  only:\n    cmds: [/bin/true]\n")
  return [
    Contestant("reprise") { try place.measure(command + ["--state-dir", place.freshState()]) },
    Contestant("reprise --no-journal") { try place.measure(command + ["--no-journal"]) },
    Contestant("reprise, state folder used before") {
      try place.measure(command + ["--state-dir", used])
    },
    Contestant("sh -c true") { try place.measure(["/bin/sh", "-c", "true"]) },
    Contestant("task") { try place.measure([task, "-t", taskFile, "only"]) },
  ]
}

/// Row 6.
let validation = Row(
  "validate", "`reprise validate` of 10,000 steps, each needs two",
  bars: [
    Bar(.wall, .ratio("reprise", to: "libyaml's events"), .atMost(3)),
    Bar(.resident, .value(of: "reprise"), .reported),
  ]
) { place in
  let files = StepFiles(layered: place.count(10_000, quick: 1000), command: "")
  let text = files.needs.enumerated().map { step, needs in
    let names = needs.map { "step-\($0)" }.joined(separator: ", ")
    return "  - id: step-\(step)\n    needs: [\(names)]\n    run: cc -c file-\(step).c\n"
  }
  let file = try place.write("large.yaml", "steps:\n" + text.joined())
  let events = try place.programs.own("yaml-events")
  return [
    Contestant("reprise") { try place.measure([place.programs.reprise, "validate", file]) },
    Contestant("libyaml's events") { try place.measure([events, file]) },
  ]
}

private let megabytes = Figure("size", "MB")
private let stripped = Figure("stripped size", "MB")

/// Row 11.
let binary = Row(
  "binary", "the command with a static Swift runtime",
  bars: [
    Bar(megabytes, .value(of: "reprise"), .reported),
    Bar(stripped, .value(of: "reprise"), .below(26)),
  ]
) { place in
  let strip = try place.programs.peer("strip")
  let copy = place.folder + "/stripped"
  let contents = try Data(contentsOf: URL(filePath: place.programs.reprise))
  guard contents.range(of: Data("libswiftCore.so".utf8)) == nil else {
    throw Missing(
      "\(place.programs.reprise) has no static runtime: swift build -c release "
        + "--static-swift-stdlib --product reprise")
  }
  return [
    Contestant("reprise", runsOnce: true) {
      try place.run([strip, "-o", copy, place.programs.reprise])
      let size = try Data(contentsOf: URL(filePath: copy)).count
      return [megabytes: Double(contents.count) / 1e6, stripped: Double(size) / 1e6]
    }
  ]
}
