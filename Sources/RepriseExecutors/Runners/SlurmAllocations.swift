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
    // The mark keeps an engine that runs on the same machine from taking the steps for leftovers.
    let command =
      [
        "srun", "--quiet", "--jobid=\(job)", "--overlap", "--nodes=1", "--ntasks=1", "--mem=0",
        "--export=NONE", "--unbuffered", "/usr/bin/env", "REPRISE_HOST=pool", program,
      ] + arguments
    do throws(Errno) {
      let errors = try OpenFile("/dev/null", .writeOnly)
      // Any signal to srun would end all steps there. Its mark makes guardians spare it; it ends
      // with the pool.
      return try ConnectedProgram(
        command, errors: errors.descriptor, variables: ["REPRISE_HOST": "pool"], endedBy: nil)
    } catch {
      throw .refused("cannot start srun: \(error)")
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
