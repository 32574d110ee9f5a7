// `reprise trigger --wait`.

import Foundation
import Reprise
import RepriseJournal
import TestSupport
import Testing

@Suite(.serialized) struct TriggerWaitTests {
  @Test func `trigger --wait names the run that handles its event, and exits like it`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      name: deploy
      params: { to: { type: string, default: here } }
      on: { socket: true }
      steps:
        - { id: a, env: { T: "${{ params.to }}" }, run: 'echo $T >> log; test $T != nowhere' }
      """, to: "w.yaml")
    let watching = try scenario.start(["watch", "w.yaml"])
    await scenario.becomesWatched()
    let ended = try await scenario.reprise("trigger", "deploy", "--wait").succeeds()
    #expect(scenario.read("log") == "here\n")
    let run = try #require(ended.output.split(separator: " ").dropFirst().first.map(String.init))
    #expect(
      ended.output == "run \(run) handles the event\nrun \(run) has ended: succeeded\n")
    try await scenario.reprise("show", run).succeeds()
    try await scenario.reprise("trigger", "deploy", "--wait", "-p", "to=nowhere").fails(with: 1)
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
  }

  @Test(arguments: ["dropped", "left"])
  func `trigger --wait says that no run handles its event`(fate: String) async throws {
    let scenario = try Scenario()
    let script = "echo begun >> log; until test -e go; do sleep 0.01; done"
    let watching = try await WatchTests.watch(
      scenario, "{ socket: true, buffer: { size: 1, when-full: drop-oldest } }", run: script)
    try await scenario.reprise("trigger", "site").succeeds()
    await expectEventually("a run") { scenario.read("log") == "begun\n" }
    let waiting = try scenario.start(["trigger", "site", "--wait"])
    await expectEventually("the event is queued") {
      (try? await scenario.reprise("triggers", "--json").output.contains(#""waiting":1"#)) == true
    }
    if fate == "dropped" { try await scenario.reprise("trigger", "site").succeeds() }
    if fate == "left" { watching.send(SIGINT) }
    let ended = try await waiting.end().fails(with: 2)
    #expect(
      ended.errors.contains(
        fate == "left" ? "the next watch handles the event" : "no run handles the event"))
    try scenario.write("", to: "go")
    watching.send(SIGINT)
    _ = try await watching.end()
  }
}
