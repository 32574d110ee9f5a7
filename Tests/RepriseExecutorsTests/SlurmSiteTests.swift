import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseExecutors

/// What Slurm says of jobs that have ended without a result, by commands that say what is needed.
struct SlurmSiteTests {
  private static let token = AttemptToken("8w0ev0rzs6.a.1.1.2r7g0iek29ch7")

  /// A runner whose commands of Slurm are scripts.
  private static func runner(
    in folder: TemporaryFolder, _ scripts: [String: String]
  ) throws -> FolderRunner {
    let others = ["sbatch": "echo 7", "scancel": ""]
    for (name, script) in others.merging(scripts, uniquingKeysWith: { _, own in own }) {
      let path = "\(folder.path)/\(name)"
      try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    let site = SlurmSite(
      options: [], program: "/bin/false", environment: ["PATH": "\(folder.path):/usr/bin:/bin"],
      clock: SystemClock())
    return FolderRunner(site, attempts: folder.path + "/attempts", clock: SystemClock())
  }

  @Test func `a job that never began is lost with Slurm's reason, and never will begin`()
    async throws
  {
    let folder = try TemporaryFolder()
    let token = try #require(Self.token)
    let runner = try Self.runner(
      in: folder, ["squeue": "echo '\(token)|NODE_FAIL|JobLaunchFailure|7'"])
    _ = try await runner.begin(AttemptSpec(command: ["true"]), token: token)
    #expect(try await runner.look([token]) == [token: .gone])
    #expect(
      await runner.reasonForLoss(of: token)
        == "it never began: Slurm ended its job: NODE_FAIL (JobLaunchFailure)")
    // The claim is the engine's: a host that comes after all ends.
    if let claim = try AttemptFolder(of: token, in: folder.path + "/attempts").takeClaim(host: "n1")
    {
      Issue.record("a host could claim it: \(claim.descriptor)")
    }
  }

  @Test(arguments: [
    ("echo 'TIMEOUT'", "Slurm ended its job: TIMEOUT"),
    ("echo 'CANCELLED by 0'", "Slurm ended its job: CANCELLED by 0"),
    ("echo 'accounting storage is disabled' >&2; exit 1", "Slurm does not know its job any more"),
    ("", "Slurm does not know its job any more"),
  ])
  func `when the queue has forgotten a job, the accounts are asked`(
    _ script: String, _ reason: String
  ) async throws {
    let folder = try TemporaryFolder()
    let token = try #require(Self.token)
    let runner = try Self.runner(in: folder, ["squeue": "", "sacct": script])
    _ = try await runner.begin(AttemptSpec(command: ["true"]), token: token)
    let attempt = AttemptFolder(of: token, in: folder.path + "/attempts")
    guard let claim = try attempt.takeClaim(host: "n1") else { throw CancellationError() }
    #expect(claim.descriptor > 2)
    #expect(await runner.reasonForLoss(of: token) == reason)
  }
}
