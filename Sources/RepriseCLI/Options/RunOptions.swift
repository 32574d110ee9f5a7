// The options of a run that a later `resume` must know.

public import ArgumentParser
public import Reprise
import RepriseHost

struct RunOptions: ParsableArguments {
  @Option(help: "How many steps may run at once, whatever the file says.")
  var maxParallel: Int?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Run just these steps, without what they need. Can be repeated.", valueName: "id"))
  var only: [String] = []

  @Option(
    help: ArgumentHelp(
      "Run this step and what depends on it. Can be repeated.", valueName: "id"))
  var from: [String] = []

  @Option(
    help: """
      What a recorded success survives: process (the death of the engine) or power (its loss, too).
      """)
  var durability: Durability?

  func validate() throws {
    if let maxParallel, maxParallel < 1 {
      throw ValidationError("--max-parallel takes a number from 1, not \(maxParallel).")
    }
    if !only.isEmpty && !from.isEmpty {
      throw ValidationError("--only and --from exclude each other: give one of them.")
    }
  }

  var scope: RunScope {
    RunScope(maxParallel: maxParallel, only: only, from: from, durability: durability)
  }
}

extension Durability: ExpressibleByArgument {}
