// One allocation of Slurm for all steps of a run: `keep: true`.

import ChildProcesses
import Paths
import Platform
import Reprise

/// Allocations that are kept: a job that waits, and a pool beside it, which srun reaches.
struct SlurmAllocations: KeptSite {
  let name = "the allocation"
  let isThisMachine = false
  let needsAcknowledgement = true

  let site: SlurmSite
  let holders: FolderRunner
  let program: String
  /// The processors of the allocation; nil for one.
  let cpus: Int?

  func holder(
    _ token: AttemptToken, _ folder: AttemptFolder, arguments hold: [String]
  ) async throws(RunnerFailure) -> AttemptSpec {
    AttemptSpec(command: [program] + hold, grace: .seconds(2))
  }

  func connect(
    to token: AttemptToken, arguments: [String]
  ) async throws(RunnerFailure) -> ConnectedProgram {
    let job = try await site.job(of: token)
    // Nothing of the engine's environment goes through the scheduler: it may contain secrets.
    // The marks keep an engine that runs on the same machine from taking the steps for leftovers.
    // Nor does what describes the job of the engine, if it runs in one.
    let removals = environmentEntries().map(\.name).filter(JobVariables.isOfJob).sorted()
    var command = ["/usr/bin/env"]
    for name in removals { command += ["-u", name] }
    command += ["srun", "--quiet", "--jobid=\(job)", "--overlap", "--nodes=1", "--ntasks=1"]
    // Otherwise the steps would share one processor, and not know how many there are.
    if let cpus { command.append("--cpus-per-task=\(cpus)") }
    command += ["--mem=0", "--export=NONE", "--unbuffered"]
    command += ["/usr/bin/env"] + DetachedHost.entries(named: "pool") + [program] + arguments
    do throws(Errno) {
      // Any signal to srun would end all steps there. Its marks make guardians spare it; it ends
      // with the pool.
      return try await ConnectedProgram(
        command, variables: DetachedHost.variables(named: "pool"), endedBy: nil)
    } catch {
      throw RunnerFailure(notStarting: "srun", error)
    }
  }
}

extension RunnerSurroundings {
  /// Returns a name for the places of a runner: with other settings, there are others.
  func placeName(for name: String, _ settings: [String]) -> String {
    var hash = SHA256()
    hash.update(settings.joined(separator: "\u{0}").utf8)
    // Short enough for the names of steps in tokens.
    let plain = name.prefix(24).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    return String(plain) + "-" + hash.hexadecimal.prefix(8)
  }
}
