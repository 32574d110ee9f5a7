import Foundation
import Platform
import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// Files that steps declare, over an ssh that runs commands in a folder of this machine.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: "/usr/bin/rsync")
      && FileManager.default.isExecutableFile(atPath: RunnerCase.program),
    "needs rsync and the program"))
struct DeclaredFilesTests {
  /// Runs a step with these keys, and returns how it ended and the folder of the far side.
  private static func phase(
    _ keys: String, _ settings: String = "", in folder: TemporaryFolder
  ) async throws -> (phase: StepPhase?, far: String) {
    let far = folder.path + "/far"
    try makeFolderTree(folder.path + "/bin")
    try makeFolderTree(far)
    try makeFolderTree(folder.path + "/here")
    // Options come first, and the command last, in one word or in several.
    try folder.write(
      "bin/ssh",
      """
      #!/bin/sh
      while [ $# -gt 0 ]; do case $1 in -o) shift 2 ;; --) shift ;; *) break ;; esac; done
      shift; cd \(far) && HOME=\(far) exec /bin/sh -c "$*"

      """.utf8)
    let executable = FilePermissions(rawValue: 0o755)
    try changePermissions(of: folder.path + "/bin/ssh", to: executable)
    var engine = RunnerCase.engine(
      in: folder,
      LocalExecutor(
        environment: ["PATH": folder.path + "/bin:/usr/bin:/bin"],
        directory: folder.path + "/here"))
    engine.surroundings.hostProgram = RunnerCase.program
    let runner = RunnerCase(
      kind: "ssh",
      settings: "{ host: far, program: \(RunnerCase.program), files: declared\(settings) }")
    let run = engine.start(try runner.workflow("steps: [{ id: a, \(keys) }]"))
    _ = try await run.outcome
    return (run.state["a"]?.phase, far)
  }

  @Test func `a step sees what it reads, and what it makes comes back`() async throws {
    let folder = try TemporaryFolder()
    try makeFolderTree(folder.path + "/here/in")
    for name in ["here/in/b", "here/in/a", "here/other"] { try folder.write(name, "x\n".utf8) }
    let (phase, far) = try await Self.phase(
      "run: 'ls in . > list; touch extra', cache: { inputs: in, makes: list }", in: folder)
    #expect(phase == .succeeded([:]))
    #expect(folder.lines("here/list") == [".:", "in", "list", "in:", "a", "b"])
    #expect(!mayAccess(folder.path + "/here/extra", .existence))
    let left = FolderReader.names(in: far + "/.cache/reprise/attempts")
    #expect(left == [])
  }

  @Test func `what was not made there fails the step, although it is here`() async throws {
    let folder = try TemporaryFolder()
    try makeFolderTree(folder.path + "/here")
    try folder.write("here/result", "old\n".utf8)
    let (phase, _) = try await Self.phase(
      "run: 'true', cache: { key: '1', makes: result }", in: folder)
    #expect(phase == .failed(.badOutputs("no file matches \"result\" under cache.makes on far")))
    #expect(folder.lines("here/result") == ["old"])
  }

  @Test(arguments: [("", []), (", fetch: always", ["half"])])
  func `what a failed step has made comes back if that is wanted`(
    _ settings: String, _ expected: [String]
  ) async throws {
    let folder = try TemporaryFolder()
    let (phase, _) = try await Self.phase(
      "run: 'echo half > result; exit 3', cache: { key: '1', makes: [result, rest] }", settings,
      in: folder)
    #expect(phase == .failed(.exited(status: 3)))
    #expect(folder.lines("here/result") == expected)
  }

  @Test func `a step that learns its files declares none`() async throws {
    let folder = try TemporaryFolder()
    let (phase, _) = try await Self.phase("run: 'true', cache: auto", in: folder)
    guard case .failed(.notStarted(let reason)) = phase else {
      Issue.record("\(String(describing: phase))")
      return
    }
    #expect(reason.contains("its files are not declared"), "\(reason)")
  }
}
