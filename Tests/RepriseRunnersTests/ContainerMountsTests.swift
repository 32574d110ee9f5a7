import Platform
import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// What a container sees of the folder with the state of the project.
struct ContainerMountsTests {
  @Test func `the state of the project is covered wherever a mount shows it`() async throws {
    let folder = try TemporaryFolder()
    let program = folder.path + "/podman"
    try folder.write(
      "podman", "#!/bin/sh\n[ $1 = run ] && printf '%s\\n' \"$@\" > \(folder.path)/words\n:\n".utf8)
    try changePermissions(of: program, to: FilePermissions(rawValue: 0o755))
    try makeFolderTree(folder.path + "/.reprise/live")
    try makeFolderTree(folder.path + "/data")
    var engine = RunnerCase.engine(in: folder)
    engine.surroundings.locks = folder.path + "/.reprise/live"
    let mounts = "[., '.:/other', '/:/host:ro', './data:/data']"
    let container = RunnerCase(
      kind: "container", settings: "{ image: i, program: \(program), mounts: \(mounts) }")
    let run = engine.start(try container.workflow("steps: [{ id: a, run: \"true\" }]"))
    #expect(try await run.outcome == .succeeded)
    let real = try #require(realPath(folder.path))
    let covers = folder.lines("words").filter { $0.contains("/state:/") }
    let targets = covers.map { $0.split(separator: ":").dropFirst().joined(separator: ":") }
    #expect(
      Set(targets) == [
        "\(folder.path)/.reprise:ro", "/other/.reprise:ro", "/host\(real)/.reprise:ro",
      ], "\(folder.lines("words"))")
  }
}
