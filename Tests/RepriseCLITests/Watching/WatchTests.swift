import Foundation
import Reprise
import RepriseJournal
import TestSupport
import Testing

/// `reprise watch` with each kind of trigger.
@Suite(.serialized) struct WatchTests {
  /// Returns a workflow that appends its trigger to a file.
  static func workflow(_ on: String, run: String = "echo $KIND $PATHS$LINE >> log") -> String {
    """
    name: site
    on: \(on)
    steps:
      - id: a
        env:
          KIND: ${{ trigger.kind }}
          PATHS: ${{ join(trigger.paths, ' ') }}
          LINE: ${{ trigger.line }}
        run: \(run)
    """
  }

  static func watch(
    _ scenario: Scenario, _ on: String, run: String = "echo $KIND $PATHS$LINE >> log"
  ) async throws -> Scenario.Started {
    try scenario.write(workflow(on, run: run), to: "w.yaml")
    let started = try scenario.start(["watch", "w.yaml", "--progress", "plain"])
    await scenario.becomesWatched()
    return started
  }

  // MARK: Triggers

  @Test func `a run starts when a matching file changes, and for no other file`() async throws {
    let scenario = try Scenario()
    try scenario.write("*.log\n", to: ".gitignore")
    try scenario.write("", to: "src/deep/a.txt")
    let watching = try await Self.watch(
      scenario, "{ files: { paths: ['src/**'], ignore: ['**/*.tmp'] } }")
    try scenario.write("x", to: "other/a.txt")
    try scenario.write("x", to: "src/a.tmp")
    try scenario.write("x", to: "src/a.log")
    try scenario.write("x", to: "src/deep/a.txt")
    await expectEventually("the run") { scenario.read("log") == "files src/deep/a.txt\n" }
    try scenario.write("x", to: "src/new/b.txt")
    await expectEventually("the next run") {
      scenario.read("log").hasSuffix("files src/new/b.txt\n")
    }
    try await expectEventually("the end of the runs") {
      try await scenario.runs().map(\.status) == ["succeeded", "succeeded"]
    }
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
    #expect(try await scenario.runs().count == 2)
  }

  @Test func `the many changes of one save start one run`() async throws {
    let scenario = try Scenario()
    try scenario.write("", to: "src/a.txt")
    let watching = try await Self.watch(scenario, "{ files: src, debounce: 3s }")
    try await scenario.shell(
      """
      for i in $(seq 16); do
        echo $i > src/4913; rm src/4913; echo $i > src/.a.swp; mv src/.a.swp src/a.txt
      done
      """
    ).succeeds()
    await expectEventually("the run") { scenario.read("log").contains("src/a.txt") }
    watching.send(SIGTERM)
    try await watching.end().fails(with: 143)
    #expect(scenario.read("log").split(separator: "\n").count == 1)
    let listed = try await scenario.reprise("triggers", "--json").succeeds().output
    #expect(listed.contains(#""state":"ended""#))
    #expect(listed.contains(#""runs":1"#))
  }

  @Test func `each line of standard input starts a run, and end of file ends the watch`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(Self.workflow("{ stdin: lines }"), to: "w.yaml")
    let executable = Scenario.Started.executable.path
    try await scenario.shell("printf 'one\\ntwo\\n\\nthree' | \(executable) watch w.yaml")
      .succeeds()
    #expect(scenario.read("log") == "stdin one\nstdin two\nstdin\nstdin three\n")
  }

  @Test func `lines wait for the runs before them, and none is lost`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      Self.workflow("{ stdin: lines, buffer: { size: 2 } }", run: "echo $LINE >> log"),
      to: "w.yaml")
    let executable = Scenario.Started.executable.path
    // More than the buffer and the pipe hold, with a run that lasts longer than any timer.
    let ended = try await scenario.shell(
      "{ seq 40; sleep 7; seq 41 60; } | \(executable) watch w.yaml --progress plain"
    ).succeeds()
    #expect(scenario.read("log") == (1...60).map { "\($0)\n" }.joined())
    #expect(!ended.errors.contains("dropped"), "\(ended.errors)")
  }

  @Test func `a trigger that finds a full buffer is refused`() async throws {
    let scenario = try Scenario()
    let watching = try await Self.watch(
      scenario, "{ socket: true, buffer: { size: 1 } }",
      run: "until test -e go; do sleep 0.02; done; echo run >> log")
    var refused = 0
    for _ in 0..<5 {
      let ended = try await scenario.reprise("trigger", "site")
      #expect(ended.status == 0 || ended.errors.contains("the buffer is full"), "\(ended)")
      refused += ended.status == 2 ? 1 : 0
    }
    #expect(refused >= 2)
    try scenario.write("", to: "go")
    await expectEventually("the accepted ones have run") {
      scenario.read("log") == String(repeating: "run\n", count: 5 - refused)
    }
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
  }

  @Test func `a carriage return before a line feed is not part of the line`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      Self.workflow("{ stdin: lines }", run: "printf '[%s]' \"$LINE\" >> log"), to: "w.yaml")
    let executable = Scenario.Started.executable.path
    try await scenario.shell("printf 'one\\r\\ntwo\\r\\n' | \(executable) watch w.yaml").succeeds()
    #expect(scenario.read("log") == "[one][two]")
  }

  @Test func `debounce folds lines that arrive in quick succession`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      Self.workflow(
        "{ stdin: lines, debounce: 1s }", run: "echo $LINE ${{ trigger.count }} >> log"
      ).replacingOccurrences(of: "${{ trigger.count }}", with: "$COUNT")
        .replacingOccurrences(
          of: "    env:\n", with: "    env:\n      COUNT: ${{ trigger.count }}\n"),
      to: "w.yaml")
    let executable = Scenario.Started.executable.path
    try await scenario.shell(
      "{ seq 20; until [ -s log ]; do sleep 0.05; done; seq 21 23; } | \(executable) watch w.yaml --progress none"
    ).succeeds()
    #expect(scenario.read("log") == "20 20\n23 3\n")
    let listed = try await scenario.reprise("triggers", "--json").succeeds().output
    #expect(listed.contains(#""accepted":23"#) && listed.contains(#""folded":21"#))
  }

  @Test func `an invalid JSON line is reported and skipped`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      on: { stdin: json }
      steps:
        - { id: a, env: { N: "${{ trigger.data.n }}" }, run: echo $N >> log }
      """, to: "w.yaml")
    let executable = Scenario.Started.executable.path
    let ended = try await scenario.shell(
      "printf '{\"n\": 1}\\n{nonsense\\n{\"n\": 2}\\n' | \(executable) watch w.yaml"
    ).succeeds()
    #expect(scenario.read("log") == "1\n2\n")
    #expect(ended.errors.contains("skipped line 2 of standard input"))
  }

  @Test func `a failed run sets the exit status of a watch`() async throws {
    let scenario = try Scenario()
    try scenario.write(Self.workflow("{ stdin: lines }", run: "exit 3"), to: "w.yaml")
    let executable = Scenario.Started.executable.path
    try await scenario.shell("echo x | \(executable) watch w.yaml").fails(with: 1)
  }

  @Test func `start and schedule start runs`() async throws {
    let scenario = try Scenario()
    let watching = try await Self.watch(scenario, "{ start: true, schedule: { every: 1s } }")
    await expectEventually("some runs") {
      scenario.read("log").hasPrefix("start\nschedule\nschedule\n")
    }
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
  }

  @Test func `reprise trigger starts a run with its parameters, and refuses invalid ones`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      name: deploy
      params: { target: { type: choice, options: [staging, production], required: true } }
      on: { socket: true }
      steps:
        - { id: a, env: { T: "${{ params.target }}" }, run: echo $T >> log }
      """, to: "w.yaml")
    let watching = try scenario.start(["watch", "w.yaml"])
    await scenario.becomesWatched()
    try await scenario.reprise("trigger", "deploy", "-p", "target=staging").succeeds()
    await expectEventually("the run") { scenario.read("log") == "staging\n" }
    let wrong = try await scenario.reprise("trigger", "deploy", "-p", "target=stagign")
      .fails(with: 2)
    #expect(wrong.errors.contains("did you mean \"staging\"?"))
    #expect(!wrong.errors.contains("\u{FFFD}"), "the error message has several lines")
    #expect(wrong.errors.split(separator: "\n").count > 1)
    let missing = try await scenario.reprise("trigger", "deploy").fails(with: 2)
    #expect(missing.errors.contains("-p target="))
    let unknown = try await scenario.reprise("trigger", "deplyo").fails(with: 2)
    #expect(unknown.errors.contains("watched workflows: deploy"))
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
    #expect(scenario.read("log") == "staging\n")
  }

  @Test func `the success of another workflow starts one run, even if it was not watched then`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write("name: build\nsteps: [{ id: a, run: 'true' }]\n", to: "build.yaml")
    try scenario.write("name: bad\nsteps: [{ id: a, run: 'exit 1' }]\n", to: "bad.yaml")
    try await scenario.reprise("run", "build.yaml").succeeds()
    try scenario.write(
      """
      name: test
      on: { after: [build, bad] }
      steps: [{ id: a, env: { W: "${{ trigger.workflow }}" }, run: echo $W >> log }]
      """, to: "w.yaml")
    var watching = try scenario.start(["watch", "w.yaml"])
    await scenario.becomesWatched()
    try await scenario.reprise("run", "bad.yaml").fails(with: 1)
    try await scenario.reprise("run", "build.yaml").succeeds()
    await expectEventually("the run") { scenario.read("log") == "build\n" }
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
    try await scenario.reprise("run", "build.yaml").succeeds()
    watching = try scenario.start(["watch", "w.yaml"])
    await expectEventually("a run for the missed success") {
      scenario.read("log") == "build\nbuild\n"
    }
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
  }

  // MARK: During a run

  @Test func `a change that affects no step neither cancels nor starts a run`() async throws {
    let scenario = try Scenario()
    for name in ["a.c", "b.md", "c.txt"] { try scenario.write("", to: name) }
    try scenario.write(
      """
      on: { files: ['*.c', '*.md', '*.txt'], start: true, when-busy: restart, restart-from: affected }
      steps:
        - parallel:
            - { id: c, cache: { inputs: ['*.c'] }, run: echo c $REPRISE_GENERATION >> log }
            - { id: md, cache: { inputs: ['*.md'] }, run: echo md $REPRISE_GENERATION >> log }
        - { id: last, run: "echo last $REPRISE_GENERATION >> log; until test -e go; do sleep 0.01; done" }
      """, to: "w.yaml")
    let watching = try scenario.start(["watch", "w.yaml"])
    await expectEventually("the first generation") { scenario.read("log").contains("last 1\n") }
    try scenario.write("x", to: "c.txt")
    try scenario.write("x", to: "a.c")
    await expectEventually("the second generation") { scenario.read("log").contains("last 2\n") }
    try scenario.write("", to: "go")
    try await expectEventually("the end of the run") {
      try await scenario.runs().first?.status == "succeeded"
    }
    let lines = Set(scenario.read("log").split(separator: "\n"))
    #expect(lines == ["c 1", "md 1", "last 1", "c 2", "last 2"])
    try scenario.write("y", to: "c.txt")
    try scenario.write("y", to: "b.md")
    try await expectEventually("a run for the relevant change") {
      try await scenario.runs().count == 2
    }
    try await expectEventually("its end") { try await scenario.runs().first?.status == "succeeded" }
    #expect(scenario.read("log").split(separator: "\n").filter { $0 == "md 1" }.count == 2)
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
    #expect(try await scenario.runs().map(\.generation) == [1, 2])
  }

  @Test func `declared outputs of a run do not trigger it again`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      on: { files: ['**'], when-busy: restart }
      steps:
        - id: a
          cache: { inputs: [src], makes: [build] }
          run: mkdir -p build; date +%N > build/out; echo x >> build/log
      """, to: "w.yaml")
    let watching = try scenario.start(["watch", "w.yaml"])
    await scenario.becomesWatched()
    try scenario.write("x", to: "src/a")
    try await expectEventually("the run") { try await scenario.runs().first?.status == "succeeded" }
    try scenario.write("y", to: "src/a")
    await expectEventually("the second run") { scenario.read("build/log") == "x\nx\n" }
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
    #expect(scenario.read("build/log") == "x\nx\n")
  }

  @Test func `an edited workflow is reloaded, and errors in it are reported`()
    async throws
  {
    let scenario = try Scenario()
    let watching = try await Self.watch(scenario, "{ files: src, when-busy: restart }")
    try scenario.write(
      Self.workflow("{ files: src, when-busy: restart }", run: "echo new >> log"), to: "w.yaml")
    await expectEventually("a run of the new workflow") { scenario.read("log") == "new\n" }
    try scenario.write("nonsense: 1\n", to: "w.yaml")
    try scenario.write("x", to: "src/a")
    try await expectEventually("the dropped event is counted") {
      try await scenario.reprise("triggers", "--json").output.contains(#""dropped":0"#) == false
    }
    watching.send(SIGINT)
    let ended = try await watching.end().fails(with: 130)
    #expect(ended.errors.contains("\"nonsense\""))
    #expect(scenario.read("log") == "new\n")
  }

  @Test func `a run in progress takes a changed file with other steps in place`() async throws {
    let scenario = try Scenario()
    let first = "{ id: a, run: \"echo a >> log; until test -e go; do sleep 0.01; done\" }"
    let head = "on: { files: src, start: true, when-busy: restart }\nsteps:\n"
    try scenario.write(head + "  - \(first)\n", to: "w.yaml")
    let watching = try scenario.start(["watch", "w.yaml"])
    await expectEventually("the first generation") { scenario.read("log") == "a\n" }
    try scenario.write(
      head + "  - { id: b, run: echo b >> log }\n  - { id: c, run: echo c >> log }\n",
      to: "w.yaml")
    await expectEventually("the new steps") { scenario.read("log") == "a\nb\nc\n" }
    try await expectEventually("the end of the run") {
      try await scenario.runs().first?.status == "succeeded"
    }
    watching.send(SIGINT)
    let ended = try await watching.end().fails(with: 130)
    #expect(ended.output.contains("added: b, c; removed: a"))
    #expect(try await scenario.runs().map(\.generation) == [2])
  }

  @Test func `an event that would be dropped because a run is queued is refused`()
    async throws
  {
    let scenario = try Scenario()
    let group = "concurrency: { group: g, policy: queue }\n"
    try scenario.write(
      group + "steps: [{ id: a, run: touch held; until test -e go; do sleep 0.02; done }]\n",
      to: "holder.yaml")
    let holder = try scenario.start(["run", "holder.yaml", "--progress", "none"])
    await expectEventually("the holder has the group") { scenario.has("held") }
    try scenario.write(
      group + Self.workflow("{ socket: true, when-busy: ignore }", run: "echo x >> log"),
      to: "w.yaml")
    let watching = try scenario.start(["watch", "w.yaml", "--progress", "none"])
    await scenario.becomesWatched()
    try await scenario.reprise("trigger", "site").succeeds()
    for _ in 0..<3 {
      let refused = try await scenario.reprise("trigger", "site").fails(with: 2)
      #expect(refused.errors.contains("a run is in progress"))
    }
    try scenario.write("", to: "go")
    try await holder.end().succeeds()
    await expectEventually("the run") { scenario.read("log") == "x\n" }
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
  }

  @Test
  func `only one process can watch a workflow, and commands do not wait for a stopped watch`()
    async throws
  {
    let scenario = try Scenario()
    let watching = try await Self.watch(scenario, "{ socket: true }")
    let second = try await scenario.reprise("watch", "w.yaml").fails(with: 4)
    #expect(second.errors.contains("another process is watching"))
    try scenario.write("steps: [{ id: a, run: x }]\n", to: "plain.yaml")
    let plain = try await scenario.reprise("watch", "plain.yaml").fails(with: 2)
    #expect(plain.errors.contains("on: { files: [src/**] }"))
    let both = KillTests.engineAndGuardian(watching.id)
    for process in both { kill(process, SIGSTOP) }
    let stopped = try await scenario.reprise("triggers", "--json").succeeds()
    #expect(stopped.output.contains(#""state":"not answering""#))
    for process in both { kill(process, SIGKILL) }
    _ = try await watching.end()
  }
}
