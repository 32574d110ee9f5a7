// Rows about starting many short steps: with a shell and needs, and without either.

private let perStep = Figure("wall time per step", "ms")

private let shellCommand = "true; true"

/// Row 1.
///
/// All contestants run two steps at a time and keep the output of a step (make with
/// `--output-sync`, go-task with `output: group`), with these differences:
/// - go-task has a built-in shell in which `true` starts no process. `task` does the same work as
///   the others, through `/bin/sh -c`; `task's own shell` is what its users would write.
/// - just cannot limit the number of concurrent recipes (`[parallel]` starts all), so it runs one
///   at a time.
/// - snakemake and doit are so slow that they run a tenth of the steps, once; they are compared by
///   the time per step.
let shellSteps = Row(
  "shell-steps", "1,000 steps `true; true` in 10 layers, each needs two, 2 at a time",
  bars: [
    Bar(.wall, .ratio("reprise --no-journal", to: "ninja"), .atMost(1.3)),
    Bar(.wall, .ratio("reprise", to: "ninja"), .atMost(1.35)),
    Bar(.wall, .ratio("reprise --durability power", to: "ninja"), .reported),
    Bar(.wall, .ratio("reprise", to: "task"), .atMost(0.5)),
    Bar(.wall, .ratio("reprise", to: "task's own shell"), .reported),
    Bar(.wall, .ratio("reprise", to: "make"), .reported),
    Bar(.wall, .ratio("reprise", to: "just"), .reported),
    Bar(perStep, .ratio("reprise", to: "snakemake"), .reported),
    Bar(perStep, .ratio("reprise", to: "doit"), .reported),
    Bar(.processor, .ratio("reprise --no-journal", to: "ninja"), .atMost(1.18)),
    Bar(.processor, .ratio("reprise", to: "ninja"), .atMost(1.25)),
    Bar(.resident, .value(of: "reprise"), .atMost(40)),
    Bar(.resident, .value(of: "ninja"), .reported),
  ]
) { place in
  let files = StepFiles(layered: place.count(1000, quick: 40), command: shellCommand)
  let few = StepFiles(layered: place.count(100, quick: 20), command: shellCommand)
  let withShell = StepFiles(layered: files.count, command: "/bin/sh -c 'true; true'")
  let task = try place.peer("task", "Taskfile.yml", withShell.goTask)
  let ownShell = try place.peer("task", "Own.yml", files.goTask)
  let just = try place.peer("just", "justfile", files.just)
  let doit = try place.peer("doit", "dodo.py", few.doit)
  let snakemake = try place.peer("snakemake", "Snakefile", few.snakemake)
  return try place.repriseContestants(files)
    + [
      place.contestant("ninja", files, try place.ninja(files)),
      place.contestant("task", files, [task[0], "-C", "2", "-t", task[1], "all"]),
      place.contestant(
        "task's own shell", files, [ownShell[0], "-C", "2", "-t", ownShell[1], "all"]),
      place.contestant("make", files, try place.make(files, options: ["--output-sync=target"])),
      place.contestant("just", files, [just[0], "-f", just[1], "-d", ".", "all"]),
      place.contestant(
        "snakemake", few, [snakemake[0], "-s", snakemake[1], "--cores", "2", "--quiet", "all"],
        runsOnce: true),
      place.contestant("doit", few, [doit[0], "-f", doit[1], "-n", "2"], runsOnce: true),
    ]
}

/// Row 2.
let plainSteps = Row(
  "plain-steps", "1,000 steps `/bin/true` that need nothing, 2 at a time",
  bars: [
    Bar(.wall, .ratio("reprise --no-journal", to: "spawn-loop"), .atMost(1.3)),
    Bar(.wall, .ratio("reprise --no-journal", to: "make"), .atMost(1.1)),
    Bar(.wall, .ratio("reprise --no-journal", to: "ninja"), .reported),
    Bar(.wall, .ratio("reprise", to: "spawn-loop"), .reported),
    Bar(.wall, .ratio("reprise --no-journal", to: "spawn-loop without pipes"), .reported),
    Bar(.processor, .ratio("reprise --no-journal", to: "spawn-loop"), .reported),
  ]
) { place in
  let files = StepFiles(independent: place.count(1000, quick: 40), command: "/bin/true")
  let loop = [try place.programs.own("spawn-loop"), String(files.count)]
  return try place.repriseContestants(files)
    + [
      place.contestant("spawn-loop", files, loop + ["pipes", "/bin/true"]),
      place.contestant("spawn-loop without pipes", files, loop + ["plain", "/bin/true"]),
      place.contestant("make", files, try place.make(files, options: [])),
      place.contestant("ninja", files, try place.ninja(files)),
    ]
}

/// Measures a chain: no step can start before the previous one has ended and its success is
/// recorded.
let chainSteps = Row(
  "chain-steps", "a chain of 500 steps `true; true`, one at a time",
  bars: [
    Bar(.wall, .ratio("reprise --no-journal", to: "ninja"), .atMost(1.25)),
    Bar(.wall, .ratio("reprise", to: "ninja"), .atMost(1.45)),
    Bar(.wall, .ratio("reprise --durability power", to: "ninja"), .reported),
    Bar(perStep, .value(of: "reprise"), .reported),
  ]
) { place in
  let files = StepFiles(chain: place.count(500, quick: 20), command: shellCommand)
  return try place.repriseContestants(files) + [
    place.contestant("ninja", files, try place.ninja(files))
  ]
}

/// Measures the cost of steps that wait for a slot.
let fanSteps = Row(
  "fan-steps", "10,000 steps `true; true` that need nothing, 64 at a time",
  bars: [
    Bar(.resident, .value(of: "reprise"), .atMost(40)),
    Bar(.resident, .value(of: "reprise --no-journal"), .reported),
    Bar(.resident, .value(of: "ninja"), .reported),
    Bar(.wall, .ratio("reprise --no-journal", to: "ninja"), .reported),
  ]
) { place in
  let files = StepFiles(
    independent: place.count(10_000, quick: 200), command: shellCommand, places: 64)
  return try place.repriseContestants(files).dropLast() + [
    place.contestant("ninja", files, try place.ninja(files))
  ]
}

extension Place {
  /// Writes the file of a peer, and returns the paths of the peer and the file.
  fileprivate func peer(_ name: String, _ file: String, _ text: String) throws -> [String] {
    [try programs.peer(name), try write(file, text)]
  }

  fileprivate func ninja(_ files: StepFiles) throws -> [String] {
    let words = try peer("ninja", "build.ninja", files.ninja)
    return [words[0], "-f", words[1], "-j\(files.places)", "--quiet"]
  }

  fileprivate func make(_ files: StepFiles, options: [String]) throws -> [String] {
    let words = try peer("make", "Makefile", files.make)
    return [words[0], "-f", words[1], "-j\(files.places)"] + options + ["all"]
  }

  fileprivate func contestant(
    _ name: String, _ files: StepFiles, _ command: [String], runsOnce: Bool = false
  ) -> Contestant {
    Contestant(name, runsOnce: runsOnce) {
      var sample = try measure(command)
      sample[perStep] = (sample[.wall] ?? 0) / Double(files.count)
      return sample
    }
  }

  /// Returns contestants without a journal, and with a journal in a new folder at both durability
  /// levels.
  fileprivate func repriseContestants(_ files: StepFiles) throws -> [Contestant] {
    let command =
      [programs.reprise, "run", try write("steps.yaml", files.reprise)]
      + ["--progress", "none"]
    func recorded(_ name: String, _ options: [String]) -> Contestant {
      Contestant(name) {
        var sample = try measure(command + ["--state-dir", freshState()] + options)
        sample[perStep] = (sample[.wall] ?? 0) / Double(files.count)
        return sample
      }
    }
    return [
      contestant("reprise --no-journal", files, command + ["--no-journal"]),
      recorded("reprise", []),
      recorded("reprise --durability power", ["--durability", "power"]),
    ]
  }
}
