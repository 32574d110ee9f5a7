// Jobs of any scheduler that are kept for the steps of a run.

import ChildProcesses
import Reprise

/// Allocations that are kept: jobs that wait, and begin the steps whose folders they find.
struct KeptJobs: KeptSite {
  let name = "the allocation"
  let isThisMachine = false
  let needsAcknowledgement = false
  /// Not all schedulers have a command that reaches a job that runs.
  let connects = false

  let holders: FolderRunner
  let program: String

  func holder(
    _ token: AttemptToken, _ folder: AttemptFolder, arguments hold: [String]
  ) async throws(RunnerFailure) -> AttemptSpec {
    var spec = AttemptSpec(command: [program] + hold, grace: .seconds(15))
    // It ends its steps itself, and writes their results.
    spec.stopsOthers = true
    return spec
  }

  func connect(
    to token: AttemptToken, arguments: [String]
  ) async throws(RunnerFailure) -> ConnectedProgram {
    throw .refused("a job of this scheduler cannot be connected to")
  }
}

/// How jobs are kept for the steps of a run.
struct KeptJobSettings: Sendable {
  /// The name of the runner with its settings.
  let name: String
  let limits: KeptLimits
  /// How long a job without steps waits for an engine.
  let orphanAfter: Duration
}
