import Foundation
import TestSupport
import Testing

/// `on-end` and `--notify` through the command.
@Suite(.serialized) struct EndCommandTests {
  private static let workflow = """
    name: ci
    on: { socket: true }
    steps: [{ id: a, run: "test -e ok" }]
    on-end: 'echo "$REPRISE_WORKFLOW $REPRISE_OUTCOME $REPRISE_FAILED" >> ended; test ! -e broken'
    """

  @Test(arguments: [[], ["--no-journal"], ["--progress", "none"], ["--progress", "json"]])
  func `the command runs after each end of a run, and its failure changes no exit status`(
    _ options: [String]
  ) async throws {
    let scenario = try Scenario()
    try scenario.write(Self.workflow, to: "w.yaml")
    let failed = try scenario.start(["run", "w.yaml"] + options)
    let first = try await failed.end().fails(with: 1)
    #expect(!first.errors.contains("on-end"))
    try scenario.write("", to: "ok")
    try scenario.write("", to: "broken")
    let second = try await scenario.start(["run", "w.yaml"] + options).end().succeeds()
    #expect(second.errors == "warning: on-end: it exited with status 1\n")
    #expect(!second.output.contains("on-end"))
    #expect(scenario.read("ended") == "ci failed a\nci succeeded \n")
  }

  @Test func `the command runs after a resumed run, when other processes can resume the run`()
    async throws
  {
    let scenario = try Scenario()
    let script = "'\(Scenario.Started.executable.path)' show $REPRISE_RUN_ID --json >> ended"
    try scenario.write(
      "steps: [{ id: a, run: test -e ok }]\non-end: |\n  \(script)\n", to: "w.yaml")
    try await scenario.reprise("run", "w.yaml").fails(with: 1)
    #expect(scenario.read("ended").contains(#""failed""#))
    try scenario.write("", to: "ok")
    try scenario.write("", to: "ended")
    try await scenario.reprise("resume", "@last").succeeds()
    #expect(scenario.read("ended").contains(#""succeeded""#))
  }

  @Test func `the command runs after the runs of a watch`() async throws {
    let scenario = try Scenario()
    try scenario.write(Self.workflow, to: "w.yaml")
    try scenario.write("", to: "broken")
    let watching = try scenario.start("watch w.yaml --progress plain", writingTo: "log")
    await scenario.becomesWatched()
    try await scenario.reprise("trigger", "ci").succeeds()
    await expectEventually("the command has failed") {
      scenario.read("log").contains("warning: on-end: it exited with status 1\n")
    }
    #expect(scenario.read("ended") == "ci failed a\n")
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
  }

  @Test(arguments: [[], ["--no-journal"]])
  func `the command runs after the runs of an engine`(_ options: [String]) async throws {
    let scenario = try Scenario()
    try scenario.write(Self.workflow, to: "w.yaml")
    try scenario.write("", to: "broken")
    let line = #"{"reprise":1,"id":1,"request":"start","workflow":"w.yaml"}"#
    let executable = Scenario.Started.executable.path
    let ended = try await scenario.shell(
      """
      : > errors
      waits=0
      { echo '\(line)'
        until grep -q on-end errors || [ $((waits += 1)) -gt 1500 ]; do sleep 0.02; done; } |
        '\(executable)' engine --stdio \(options.joined(separator: " ")) 2> errors
      cat errors >&2
      """
    ).succeeds()
    #expect(scenario.read("ended") == "ci failed a\n")
    #expect(ended.errors.contains(": warning: on-end: it exited with status 1\n"), "\(ended)")
    #expect(!ended.output.contains("on-end"))
  }

  @Test func `without a terminal, --notify does nothing`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: 'true' }]", to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml", "--notify").succeeds()
    #expect(!(ended.output + ended.errors).contains("\u{07}"))
  }
}
