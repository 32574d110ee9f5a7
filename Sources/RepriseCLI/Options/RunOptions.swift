// The options of a run that are recorded for a later `resume`.

public import ArgumentParser
public import Reprise
import RepriseHost

struct RunOptions: ParsableArguments {
  /// The hidden option that carries each word after `--` to the command `run`.
  static let argumentOption = "argument"

  @Option(help: "Maximum number of steps that run at once; overrides the file.")
  var maxParallel: Int?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Run only these steps, without their dependencies. Can be repeated; with --from or --to, "
        + "in addition to their steps.", valueName: "id"),
    completion: .step)
  var only: [String] = []

  @Option(
    help: ArgumentHelp(
      "Run this step and its dependents. Can be repeated. What it reads of other steps comes "
        + "from the last run in which they succeeded.", valueName: "id"),
    completion: .step)
  var from: [String] = []

  @Option(
    help: ArgumentHelp(
      "Run this step and what it needs. Can be repeated; with --from, only the steps between.",
      valueName: "id"),
    completion: .step)
  var to: [String] = []

  @Option(
    help: """
      The failure that recorded successes survive: process (an engine crash) or power (a power \
      loss).
      """)
  var durability: Durability?

  func validate() throws {
    if let maxParallel, maxParallel < 1 {
      throw ValidationError("--max-parallel must be at least 1, not \(maxParallel).")
    }
  }

  var scope: RunScope {
    RunScope(maxParallel: maxParallel, only: only, from: from, to: to, durability: durability)
  }
}

extension Durability: ExpressibleByArgument {}

/// Whether the display waits for keys after the end of a run.
struct StayOptions: ParsableArguments {
  @Flag(
    inversion: .prefixedNo,
    help: """
      On a terminal, wait for keys after the end of the run: resume it, restart it from a step, \
      read logs. (default: after a failure)
      """)
  var stay: Bool?

  /// Returns whether the display stays after an outcome; nil for the default.
  static func policy(_ stay: Bool?) -> @Sendable (RunOutcome) -> Bool {
    { outcome in
      switch outcome {
      case .failed, .timedOut: stay ?? true
      // Who cancels a run wants to leave.
      case .succeeded, .skipped, .cancelled, .interrupted, .abandoned: stay ?? false
      }
    }
  }
}

/// Whether the terminal notifies its user of the end of a run.
struct NotifyOption: ParsableArguments {
  @Flag(
    help: """
      At the end of a run, ring the bell and show a notification on the desktop (OSC 9 and OSC \
      777); without a terminal on standard output or standard error, do nothing.
      """)
  var notify = false
}
