import Foundation
import Platform
import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// The command lines of the programs that run containers, on this machine and in jobs.
struct ContainerCommandTests {
  private static let token = AttemptToken("8w0ev0rzs6.a.1.1.2r7g0iek29ch7")

  /// Returns the attempt of a step as one in a container.
  private static func wrapped(
    _ settings: String, isInJob: Bool,
    _ spec: AttemptSpec = AttemptSpec(command: ["/bin/true", "x"])
  ) throws -> (AttemptSpec, TemporaryFolder) {
    let folder = try TemporaryFolder()
    let kind = try JSONDecoder().decode(ContainerRunner.self, from: Data(settings.utf8))
    var spec = spec
    spec.directory = folder.path
    let token = try #require(Self.token)
    let command = ContainerCommand(
      kind: kind, program: ContainerProgram(kind.program ?? "podman"),
      attempts: folder.path + "/attempts", surroundings: RunnerSurroundings(), isInJob: isInJob)
    return (try command.wrapped(spec, token), folder)
  }

  @Test(arguments: [("/usr/bin/podman", true), ("podman", false), ("docker", true)])
  func `a container of podman stays in the control group of its job`(
    _ program: String, _ isInJob: Bool
  ) throws {
    let (spec, _) = try Self.wrapped(
      #"{"image": "i", "program": "\#(program)"}"#, isInJob: isInJob)
    let isKept = spec.command.contains("--cgroups=disabled")
    #expect(isKept == (isInJob && program.hasSuffix("podman")))
    #expect(spec.command.suffix(4) == ["--entrypoint", "/bin/true", "i", "x"])
    let cleanup = try #require(spec.cleanup)
    #expect(cleanup.prefix(3) == [program, "rm", "--force"])
  }

  @Test(arguments: ["/opt/bin/apptainer", "singularity"])
  func `apptainer gets its own options, and nothing to remove`(_ program: String) throws {
    let (spec, folder) = try Self.wrapped(
      #"""
      {"image": "tools.sif", "program": "\#(program)", "network": "none", "mounts": [".:/w:ro"],
       "workdir": "/w", "options": ["--nv"], "read-only": true}
      """#, isInJob: true)
    let real = try #require(realPath(folder.path))
    let temporary = try #require(spec.temporaryFolder)
    #expect(
      spec.command == [
        program, "exec", "--contain", "--net", "--network", "none", "--bind", "\(real):/w:ro",
        "--pwd", "/w", "--bind", "\(temporary):\(temporary)", "--nv", "tools.sif", "/bin/true", "x",
      ])
    #expect(spec.cleanup == nil)
  }

  @Test func `variables of dotenv files and not their values are passed on`() throws {
    var spec = AttemptSpec(command: ["true"], environment: ["A": "1"])
    spec.weakEnvironment = ["A": "no", "FILE": "value"]
    let (wrapped, _) = try Self.wrapped(#"{"image": "i"}"#, isInJob: false, spec)
    #expect(wrapped.environment == ["A": "1", "FILE": "value"])
    #expect(wrapped.command.contains("FILE") && !wrapped.command.contains("value"))
  }

  @Test(arguments: [
    ("keep: true", "keeps the allocation"), ("orphan-after: 1m", "keeps the allocation"),
    ("program: apptainer, user: me", "apptainer does not know \"user\""),
    ("program: /opt/singularity, pull: always", "singularity does not know \"pull\""),
    ("imagine: 1", "imagine"),
  ])
  func `what a container in a job cannot have is an error of the file`(
    _ setting: String, _ text: String
  ) {
    for kind in ["slurm: { ", "batch: { scheduler: sge, "] {
      let file =
        "runner: { \(kind)container: { image: i, \(setting) } } }\nsteps: [{ id: a, run: x }]"
      let error = #expect(throws: (any Error).self) {
        try Workflow(text: file, file: "w.yaml", actions: RunnerCase.catalog)
      }
      #expect(String(describing: error).contains(text))
    }
  }

  @Test func `apptainer on this machine refuses what it does not know`() async throws {
    let folder = try TemporaryFolder()
    let program = folder.path + "/apptainer"
    try folder.write("apptainer", "#!/bin/sh\n".utf8)
    try changePermissions(of: program, to: FilePermissions(rawValue: 0o755))
    let runner = RunnerCase(
      kind: "container", settings: "{ image: i, program: \(program), keep: true }")
    let (outcome, _, state) = try await runner.outcome(
      of: "steps: [{ id: a, run: \"true\" }]", in: folder)
    #expect(outcome != .succeeded)
    let phase = String(describing: state["a"])
    #expect(phase.contains("does not know"))
  }
}
