import Foundation
import TestSupport
import Testing

/// What a watch leaves when it ends, and how the next watch continues.
@Suite(.serialized) struct WatchEndTests {
  @Test func `a watch started right after one was killed resumes its run`() async throws {
    let scenario = try Scenario()
    let script = "echo begun >> log; until test -e go; do sleep 0.01; done; echo done >> log"
    let killed = try await WatchTests.watch(scenario, "{ socket: true }", run: script)
    try await scenario.reprise("trigger", "site").succeeds()
    await expectEventually("a run") { scenario.read("log") == "begun\n" }
    kill(killed.id, SIGKILL)
    let watching = try scenario.start(["watch", "w.yaml", "--progress", "plain"])
    await expectEventually("it is resumed") { scenario.read("log") == "begun\nbegun\n" }
    try scenario.write("", to: "go")
    await expectEventually("its end") { scenario.read("log").hasSuffix("done\n") }
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
    _ = try await killed.end()
  }

  @Test func `a watch ends on a signal while its input is open and idle`() async throws {
    let scenario = try Scenario()
    try scenario.write(WatchTests.workflow("{ stdin: lines }"), to: "w.yaml")
    let executable = Scenario.Started.executable.path
    try await scenario.shell(
      """
      mkfifo lines; exec 3<> lines
      \(executable) watch w.yaml --progress none < lines 3>&- & watch=$!
      echo 1 >&3
      until test -e log; do sleep 0.02; done
      kill -TERM $watch; wait $watch
      """
    ).fails(with: 143)
  }

  @Test func `lines that arrive while a watch ends are ignored`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "grace: 5s\n"
        + WatchTests.workflow(
          "{ stdin: lines }",
          run: "trap 'true > signalled; sleep 0.3; exit 1' TERM; true > began; "
            + "while true; do sleep 0.02 || :; done"),
      to: "w.yaml")
    let executable = Scenario.Started.executable.path
    let ended = try await scenario.shell(
      """
      mkfifo lines; exec 3<> lines
      \(executable) watch w.yaml --progress none < lines 3>&- & watch=$!
      exec 4> lines; exec 3>&-; echo 1 >&4
      until test -e began; do sleep 0.02; done
      kill -TERM $watch
      until test -e signalled || ! kill -0 $watch; do sleep 0.02; done
      seq 2 5 >&4; exec 4>&-
      wait $watch
      """)
    #expect(ended.status == 143, "\(ended)")
  }

  /// The end of the watch and the signal both cancel its runs.
  ///
  /// A regression test: when the watch was faster, steps were killed in one of twenty cases.
  @Test func `the first signal to a watch cancels its steps without killing them`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "grace: 60s\n"
        + WatchTests.workflow(
          "{ stdin: lines }",
          run: "trap 'echo signalled >> log; exit 1' TERM; true > began; "
            + "while true; do sleep 0.01 || :; done"),
      to: "w.yaml")
    let executable = Scenario.Started.executable.path
    try await scenario.shell(
      """
      mkfifo lines; exec 3<> lines
      for _ in $(seq 20); do
        \(executable) watch w.yaml --progress none < lines 3>&- & watch=$!
        echo 1 >&3
        until test -e began; do sleep 0.01; done; rm began
        kill -TERM $watch; wait $watch
      done
      test $(wc -l < log) = 20
      """
    ).succeeds()
  }

  @Test func `the next watch handles events that were queued when a watch ended`() async throws {
    let scenario = try Scenario()
    let on = "{ socket: true }"
    let script = "echo begun >> log; until test -e go; do sleep 0.01; done"
    var watching = try await WatchTests.watch(scenario, on, run: script)
    for _ in 0..<3 { try await scenario.reprise("trigger", "site").succeeds() }
    await expectEventually("a run") { scenario.read("log") == "begun\n" }
    watching.send(SIGINT)
    let ended = try await watching.end().fails(with: 130)
    #expect(ended.errors.contains("events still queued: 2"))
    try scenario.write("", to: "go")
    watching = try await WatchTests.watch(scenario, on, run: script)
    await expectEventually("the others") { scenario.read("log") == "begun\nbegun\nbegun\n" }
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
  }

  /// Returns a line of the shell that waits until so many events were dropped, up to a minute.
  private static func waiting(forDropped count: Int) -> String {
    let listing = "\(Scenario.Started.executable.path) triggers --json 2> /dev/null"
    let isOver = "\(listing) | grep -q '\"dropped\":\(count)' || [ $SECONDS -gt 60 ]"
    return "until \(isOver); do sleep 0.1; done"
  }

  @Test func `lines that a full buffer drops are reported, and the status is 1`() async throws {
    let scenario = try Scenario()
    let on = "{ stdin: lines, buffer: { size: 1, when-full: drop-newest } }"
    try scenario.write(
      WatchTests.workflow(on, run: "until test -e go; do sleep 0.01; done; echo $LINE >> log"),
      to: "w.yaml")
    let ended = try await scenario.shell(
      "{ seq 20; \(Self.waiting(forDropped: 18)); touch go; } "
        + "| \(Scenario.Started.executable.path) watch w.yaml --progress plain"
    ).fails(with: 1)
    #expect(scenario.read("log") == "1\n2\n")
    let text = ended.output + ended.errors
    #expect(text.contains("dropped, because the buffer is full: "), "\(text)")
  }

  @Test func `a full buffer ends the watch, and the next one handles the queued events`()
    async throws
  {
    let scenario = try Scenario()
    let on = "{ stdin: lines, buffer: { size: 2, when-full: fail } }"
    try scenario.write(
      WatchTests.workflow(on, run: "echo $LINE >> log; until test -e go; do sleep 0.01; done"),
      to: "w.yaml")
    let executable = Scenario.Started.executable.path
    let failed = try await scenario.shell(
      "{ seq 9; \(Self.waiting(forDropped: 1)); touch go; } "
        + "| \(executable) watch w.yaml --progress none"
    ).fails(with: 4)
    #expect(failed.errors.contains("the buffer is full"))
    try await scenario.shell(": | \(executable) watch w.yaml --progress none").succeeds()
    let listed = try await scenario.reprise("triggers", "--json").succeeds().output
    #expect(listed.contains(#""waiting":0"#) && listed.contains(#""dropped":1"#))
    #expect(scenario.read("log").split(separator: "\n").count == 8)
  }
}
