import Foundation
import TestSupport
import Testing

struct RunCommandTests {
  private static let short = """
    name: short
    steps:
      - { id: one, run: "echo 1 >> log" }
      - { id: two, run: "echo 2 >> log" }
      - { id: three, run: "echo 3 >> log" }
    """

  @Test func `a workflow is found by its name and runs in the working directory`() async throws {
    let scenario = try Scenario()
    try scenario.write(Self.short, to: "workflows/short.yaml")
    let ended = try await scenario.reprise("run", "short").succeeds()
    #expect(scenario.read("log") == "1\n2\n3\n")
    #expect(ended.output.contains("two   succeeded"))
    #expect(!ended.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
  }

  /// Podman waits until the monitor of a container, which is an orphan, exists no more.
  @Test func `an orphan that has ended is reaped while its step runs`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - id: a
          run: |
            sh -c 'sleep 0.1 & echo $! > orphan'
            for i in $(seq 200); do
              kill -0 $(cat orphan) 2> /dev/null || exit 0
              sleep 0.05
            done
            exit 9
      """, to: "w.yaml")
    try await scenario.reprise("run", "w.yaml").succeeds()
  }

  @Test func `parts of a workflow can be run, or listed by a dry run`() async throws {
    let scenario = try Scenario()
    try scenario.write(Self.short, to: "short.yaml")
    try await scenario.reprise("run", "short.yaml", "--from", "two").succeeds()
    #expect(scenario.read("log") == "2\n3\n")
    try await scenario.reprise("run", "short.yaml", "--only", "one").succeeds()
    #expect(scenario.read("log") == "2\n3\n1\n")
    let reported = try await scenario.reprise("run", "short.yaml", "--dry-run").succeeds()
    #expect(reported.output.contains("would run 3 steps") && scenario.read("log") == "2\n3\n1\n")
    let unknown = try await scenario.reprise("run", "short.yaml", "--from", "tow").fails(with: 2)
    #expect(unknown.errors == "error: there is no step \"tow\"; did you mean \"two\"?\n")
  }

  @Test func `a bare name means a workflow, even next to a file of that name`() async throws {
    let scenario = try Scenario()
    try scenario.write("echo secret $TOKEN; exit 3", to: "short")
    try scenario.write(Self.short, to: "workflows/short.yaml")
    try await scenario.reprise("run", "short").succeeds()
    #expect(scenario.read("log") == "1\n2\n3\n")
    try await scenario.reprise("validate", "short").succeeds()
    // A path is still used as a path.
    try scenario.write("steps: [{ id: here, run: echo here >> log }]", to: "short.yaml")
    try await scenario.reprise("run", "short.yaml").succeeds()
    try await scenario.reprise("run", "./short").fails(with: 2)
    #expect(scenario.read("log") == "1\n2\n3\nhere\n")
  }

  @Test func `a run can start at several steps`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - parallel:
            - { id: left, run: echo left >> log }
            - { id: middle, run: echo middle >> log }
            - { id: right, run: echo right >> log }
        - { id: join, run: echo join >> log }
      """, to: "w.yaml")
    let ended = try await scenario.reprise(
      "run", "w.yaml", "--from", "left", "--from", "right", "--max-parallel", "1"
    ).succeeds()
    #expect(scenario.read("log") == "left\nright\njoin\n", "\(ended.output)")
    let help = try await scenario.reprise("run", "--help").succeeds()
    #expect(help.output.contains("its dependents. Can be repeated."))
    // A resumed run has the same scope.
    try scenario.write(
      """
      steps:
        - { id: a, needs: [], run: echo a >> log2 }
        - { id: b, needs: [], run: echo b >> log2 }
        - { id: c, needs: [], run: test -e go }
      """, to: "v.yaml")
    try await scenario.reprise("run", "v.yaml", "--from", "a", "--from", "c").fails(with: 1)
    try scenario.write("", to: "go")
    try await scenario.reprise("resume", "@last").succeeds()
    #expect(scenario.read("log2") == "a\n")
  }

  @Test func `outputs of steps that would not run are reported before anything runs`() async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - { id: version, run: "echo v=1 >> $REPRISE_OUTPUT" }
        - { id: build, run: echo built >> log }
        - { id: release, needs: [version, build], env: { V: "${{ steps.version.outputs.v }}" }, run: x }
      """, to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml", "--from", "build").fails(with: 2)
    #expect(
      ended.errors == "error: the step \"release\" reads outputs or the result of \"version\", "
        + "which would not run, and no earlier run has left them; add it: --from version\n")
    #expect(scenario.read("log") == "")
  }

  @Test func `each event is one JSON object per line`() async throws {
    let scenario = try Scenario()
    try scenario.write(Self.short, to: "short.yaml")
    let ended = try await scenario.reprise("run", "short.yaml", "--progress", "json").succeeds()
    let objects = try ended.output.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(objects.first?["event"] as? String == "run-started")
    #expect(objects.last?["outcome"] as? String == "succeeded")
    #expect(objects.count == 2 + 3 * 3)
  }

  @Test func `each step has the environment variables of its run`() async throws {
    let scenario = try Scenario()
    let script =
      "echo $REPRISE_STEP_ID $REPRISE_GENERATION $REPRISE_ATTEMPT; test -n $REPRISE_RUN_ID"
    try scenario.write("steps:\n  - { id: me, run: \"\(script)\" }\n", to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml").succeeds()
    #expect(ended.output.contains("me │ me 1 1\n"))
  }

  @Test func `the status of a failed step is passed through on request`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: exit 42 }]", to: "w.yaml")
    try await scenario.reprise("run", "w.yaml").fails(with: 1)
    try await scenario.reprise("run", "w.yaml", "--pass-through").fails(with: 42)
    let quiet = try await scenario.reprise("run", "w.yaml", "--progress", "none").fails(with: 1)
    #expect(quiet.output.isEmpty && quiet.errors.contains("first failure: a exited with status 42"))
  }

  @Test(arguments: [
    ("{ id: a, run: no-such-command }", "no-such-command: not found on PATH"),
    ("{ id: a, run: ./plain }", "chmod +x ./plain"),
    ("{ id: a, exec: [\"true\"], dir: nowhere }", "there is no directory \"nowhere\""),
  ])
  func `the reason why a step cannot start is reported`(_ step: String, _ reason: String)
    async throws
  {
    let scenario = try Scenario()
    try scenario.write("x", to: "plain")
    try scenario.write("steps: [\(step)]", to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml").fails(with: 1)
    #expect(ended.output.contains(reason), "\(ended.output)")
  }

  @Test func `a run that times out has exit status 3`() async throws {
    let scenario = try Scenario()
    try scenario.write("timeout: 200ms\nsteps: [{ id: a, run: sleep 60 }]", to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml").fails(with: 3)
    #expect(ended.output.contains("the run took longer than its timeout of 200 ms"))
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func `a signal to the command alone cancels the run`(_ signal: Int32, _ status: Int32)
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, run: \"touch began; (setsid sleep 61.5 &); sleep 61.5\" }]", to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml"])
    await expectEventually("the step runs") { scenario.has("began") }
    started.send(signal)
    let ended = try await started.end().fails(with: status)
    #expect(ended.output.contains("a cancelled on request"))
  }

  @Test func `a second signal kills steps that have not ended`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, run: \"trap 'touch signalled' TERM; : > began; while :; do sleep 0.1 || :; done\" }]",
      to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml"])
    await expectEventually("the step runs") { scenario.has("began") }
    started.send(SIGTERM)
    await expectEventually("the step has got the signal") { scenario.has("signalled") }
    // The kernel merges pending signals, so repeat the signal until the command has handled it.
    let sending = Task {
      while !Task.isCancelled {
        started.send(SIGINT)
        await Task.yield()
      }
    }
    try await started.end().fails(with: 143)
    sending.cancel()
  }

  @Test func `a terminal that closes cancels gracefully, although it sends SIGHUP twice`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      grace: 20s
      steps:
        - id: a
          run: |
            trap 'sleep 0.3; touch clean; exit 0' TERM
            touch began
            while :; do sleep 0.02; done
      """, to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml"])
    await expectEventually("the step runs") { scenario.has("began") }
    started.send(SIGHUP)
    let sending = Task {
      while !Task.isCancelled {
        started.send(SIGHUP)
        await Task.yield()
      }
    }
    try await started.end().fails(with: 129)
    sending.cancel()
    #expect(scenario.has("clean"))
  }

  @Test func `under nohup a run survives the end of the terminal`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, run: \"touch began; while [ ! -e go ]; do sleep 0.02; done\" }]",
      to: "w.yaml")
    let reprise = Scenario.Started.executable.path
    let ended = try await scenario.shell(
      """
      nohup \(reprise) run w.yaml --progress none & id=$!
      while [ ! -e began ]; do sleep 0.02; done
      kill -HUP $id
      touch go
      wait $id
      """)
    ended.succeeds()
  }

  @Test func `SIGUSR1 restarts the run from the top`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - { id: a, run: "echo a$REPRISE_GENERATION >> log" }
        - { id: b, run: "test $REPRISE_GENERATION = 2 || { touch began; sleep 60; }" }
      """, to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml"])
    await expectEventually("the second step runs") { scenario.has("began") }
    started.send(SIGUSR1)
    let ended = try await started.end().succeeds()
    #expect(scenario.read("log") == "a1\na2\n")
    #expect(ended.output.contains("generation 2 started"))
  }

  @Test func `the failure of a command that does not exist names it, not the whole PATH`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: nosuchcmd }]", to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml").fails(with: 1)
    let reason = "could not start: nosuchcmd: not found on PATH; install it, or give its path\n"
    #expect(ended.output.contains(" ms: " + reason))
    #expect(ended.output.contains("first failure: a " + reason))
    #expect(!ended.output.contains("/bin"))
  }

  @Test func `a closed output pipe ends the run without an error message`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: \"yes\" }]", to: "w.yaml")
    let reprise = Scenario.Started.executable.path
    try scenario.write("set -o pipefail; \(reprise) run w.yaml | head -1", to: "pipe.sh")
    let ended = try await scenario.shell("bash pipe.sh")
    #expect(ended.status == 141 && ended.errors.isEmpty, "\(ended)")
  }

  @Test func `exit statuses are correct when the parent ignores SIGCHLD`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: exit 3 }]", to: "w.yaml")
    let reprise = Scenario.Started.executable.path
    let ended = try await scenario.shell(
      "trap '' CHLD; \(reprise) run w.yaml --pass-through --progress none")
    ended.fails(with: 3)
  }

  @Test func `a large output is passed on completely, using little memory`() async throws {
    let scenario = try Scenario()
    let bytes = 32 * rounds(1 << 20, soak: 1 << 25)
    // In the end the step reads the peak memory of its parent.
    try scenario.write(
      """
      keep: { log: 4g }
      steps:
        - id: a
          run: |
            yes 0123456789abcdef0123456789abcde | head -c \(bytes)
            grep VmHWM /proc/$PPID/status > peak
      """, to: "w.yaml")
    let reprise = Scenario.Started.executable.path
    let ended = try await scenario.shell("\(reprise) run w.yaml --progress plain | wc -l")
    let lines = try #require(Int(ended.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(lines == (bytes + 31) / 32 + 4)
    let peak = scenario.read("peak").split(separator: " ").compactMap { Int($0) }.first
    #expect(try #require(peak) < 128 * 1024, "KiB")
    let log = try await scenario.shell(
      "yes 0123456789abcdef0123456789abcde | head -c \(bytes) | cmp - .reprise/runs/*/a/1.1.log")
    log.succeeds()
  }
}
