import Foundation
import Testing

/// The command on a real terminal: a pseudo-terminal of `script` whose input is the pressed keys.
struct TerminalTests {
  private static let workflow = """
    name: keys
    grace: 1s
    steps:
      - { id: quick, run: "echo q$REPRISE_GENERATION >> log" }
      - { id: slow, run: "echo $PPID > engine; touch began$REPRISE_GENERATION; sleep 0.4; touch late$REPRISE_GENERATION; sleep 50" }
    """

  private func run(_ command: String, keys: String, in scenario: Scenario) async throws -> String {
    try scenario.write(Self.workflow, to: "w.yaml")
    return try await scenario.onTerminal(command, keys: keys)
  }

  private func expectUntouched(_ output: String, _ scenario: Scenario) {
    #expect(scenario.read("settings-after") == scenario.read("settings-before"))
    #expect(!scenario.read("settings-after").isEmpty)
    #expect(output.contains(" icanon ") && output.contains(" echo "))
    #expect(!output.contains("-icanon") && !output.contains("-echo "))
    let shows = output.components(separatedBy: "\u{1B}[?25h").count
    #expect(shows > 1, "the cursor is shown again")
    let last = output.range(of: "\u{1B}[?25h", options: .backwards)
    let lastHide = output.range(of: "\u{1B}[?25l", options: .backwards)
    if let last, let lastHide { #expect(last.lowerBound > lastHide.lowerBound) }
  }

  @Test func `r restarts the run, c cancels it, and the terminal is restored`()
    async throws
  {
    let scenario = try Scenario()
    let output = try await run(
      "reprise run w.yaml",
      keys: "wait_for began1; printf '?lry'; wait_for late2; printf cy",
      in: scenario)
    #expect(scenario.read("log") == "q1\nq2\n")
    #expect(output.contains("generation 2") && output.contains("last lines on or off"))
    #expect(output.contains("status 130"))
    expectUntouched(output, scenario)
  }

  @Test func `a run may end while an editor is open, and its display ends after the editor`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      #!/bin/sh
      touch edited
      until \(Scenario.Started.executable.path) runs | grep -q succeeded; do sleep 0.05; done
      echo the editor is closed
      """, to: "editor")
    try scenario.write(
      """
      steps: [{ id: a, run: "touch began; until test -e edited; do sleep 0.05; done" }]
      """, to: "w.yaml")
    let output = try await scenario.onTerminal(
      "chmod +x editor; EDITOR=./editor reprise run w.yaml", keys: "wait_for began; printf e")
    #expect(output.contains("status 0"))
    let closed = try #require(output.range(of: "the editor is closed"))
    #expect(output[closed.upperBound...].contains("1 of 1 done"))
    expectUntouched(output, scenario)
  }

  @Test func `r has no effect while the run is being cancelled, and shows the reason`() async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      grace: 60s
      steps: [{ id: slow, run: "trap '' TERM; touch began; while :; do sleep 0.1; done" }]
      """, to: "stubborn.yaml")
    let output = try await run(
      "reprise run stubborn.yaml",
      keys:
        "wait_for began; printf cy; shown waiting; printf r; shown 'no longer be restarted'; printf cy",
      in: scenario)
    #expect(output.contains("the run is being cancelled and can no longer be restarted"))
    #expect(output.contains("status 130"))
    expectUntouched(output, scenario)
  }

  @Test(arguments: ["\\003", "\\034"])
  func `the terminal is restored after Ctrl-C and SIGQUIT`(
    _ key: String
  ) async throws {
    let scenario = try Scenario()
    // The shell handles the signal itself and restores the default action for the command.
    let output = try await run(
      "trap : INT QUIT; reprise run w.yaml", keys: "wait_for began1; printf '\(key)'", in: scenario)
    #expect(output.contains(key == "\\003" ? "status 130" : "status 131"))
    expectUntouched(output, scenario)
  }

  @Test func `on a build server, a terminal gets plain lines with colours`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: echo hello }]", to: "plain.yaml")
    let output = try await run("CI=true NO_COLOR= reprise run plain.yaml", keys: ":", in: scenario)
    #expect(output.contains("\u{1B}[36ma\u{1B}[0m \u{1B}[2m│\u{1B}[0m hello"))
    #expect(!output.contains("\u{1B}[?25l"), "the cursor is not hidden")
  }

  @Test func `steps are asked for colours if the display has them`() async throws {
    let scenario = try Scenario()
    let show = "echo $REPRISE_STEP_ID ${FORCE_COLOR-} ${CLICOLOR_FORCE-} >> log"
    try scenario.write(
      """
      steps:
        - { id: a, cache: { key: a }, run: "\(show)" }
        - { id: quiet, env: { NO_COLOR: "1" }, run: "\(show)" }
        - { id: used, outputs: { value: "${{ stdout }}" }, run: "\(show); echo value" }
      """, to: "colours.yaml")
    func log(_ command: String) async throws -> String {
      try scenario.write("", to: "log")
      _ = try await run(command, keys: ":", in: scenario)
      return scenario.read("log")
    }
    #expect(
      try await log("CLICOLOR_FORCE= NO_COLOR= reprise run colours.yaml")
        == "a 1 1\nquiet\nused\n")
    // Nothing is cached less because of that.
    #expect(
      try await log("CLICOLOR_FORCE= NO_COLOR= reprise run colours.yaml | cat")
        == "quiet\nused\n")
    #expect(
      try await log("CLICOLOR_FORCE= NO_COLOR=1 reprise run colours.yaml --progress plain")
        == "quiet\nused\n")
    #expect(
      try await log("CLICOLOR_FORCE= NO_COLOR= FORCE_COLOR=0 reprise run colours.yaml")
        == "quiet 0\nused 0\n")
  }

  @Test
  func `--notify rings the bell and notifies at the end, also if only errors have a terminal`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write("name: quiet\nsteps: [{ id: a, run: echo hello }]", to: "quiet.yaml")
    let notification = "\u{1B}]777;notify;reprise: quiet;succeeded\u{07}\u{07}"
    let tree = try await run("reprise run quiet.yaml --notify", keys: ":", in: scenario)
    #expect(tree.contains(notification))
    let piped = try await run(
      "reprise run quiet.yaml --notify > lines", keys: ":", in: scenario)
    #expect(piped.contains(notification) && !scenario.read("lines").contains("\u{07}"))
    try scenario.write("name: quiet\nsteps: [{ id: a, run: test -e ok }]", to: "fails.yaml")
    let resumed = try await run(
      "reprise run fails.yaml --progress none; touch ok; reprise resume @last --notify",
      keys: ":", in: scenario)
    #expect(resumed.contains(notification))
    let without = try await run("reprise run quiet.yaml", keys: ":", in: scenario)
    #expect(!without.contains("\u{07}"))
  }

  @Test func `T starts a run of a watch, P pauses it, and Ctrl-C ends it`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      on: { socket: true }
      steps: [{ id: a, run: "echo x >> ran; touch began$(wc -l < ran)" }]
      """, to: "watch.yaml")
    let output = try await run(
      "trap : INT; reprise watch watch.yaml",
      keys:
        "shown 'waiting for:'; printf T; wait_for began1; printf PT; shown '1 waiting (manual)'; shown paused; "
        + "cp ran held; printf P; wait_for began2; sleep 0.3; printf '\\003'",
      in: scenario)
    #expect(scenario.read("held") == "x\n", "no run starts while the watch is paused")
    #expect(scenario.read("ran") == "x\nx\n")
    #expect(output.contains("waiting for:") && output.contains("paused"))
    #expect(output.contains("1 waiting (manual)"))
    #expect(output.contains("status 130"))
    expectUntouched(output, scenario)
  }

  @Test func `the prompt for a parameter can be interrupted`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "params: { page: { required: true } }\nsteps: [{ id: a, run: touch ran }]\n", to: "ask.yaml")
    let output = try await run(
      "trap : INT; reprise run ask.yaml", keys: "shown 'Enter run'; printf '\\003'", in: scenario)
    #expect(output.contains("status 130") && !scenario.has("ran"))
    expectUntouched(output, scenario)
  }

  @Test func `missing parameters are chosen with arrow keys and numbers, and checked`() async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      params:
        target: { options: [staging, production], description: where to go }
        fast: { type: boolean }
        count: { type: number, max: 9 }
      steps: [{ id: a, env: { T: "${{ params.target }} ${{ params.fast }} ${{ params.count }}" }, run: "echo $T > ran" }]
      """, to: "ask.yaml")
    let output = try await run(
      "reprise run ask.yaml",
      keys: "shown 'where to go'; printf '\\033[C\\033[C\\r2\\r12\\r'; "
        + "shown 'at most 9'; printf '\\177\\177'; printf '7\\r'", in: scenario)
    #expect(scenario.read("ran") == "production false 7\n")
    #expect(output.contains("target: production") && output.contains("status 0"))
    expectUntouched(output, scenario)
  }

  @Test func `a form that is closed runs nothing, and a dumb terminal is asked line by line`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      "params: { page: { required: true } }\nsteps: [{ id: a, run: touch ran }]\n", to: "ask.yaml")
    let closed = try await run(
      "reprise run ask.yaml", keys: "shown 'Enter run'; printf '\\033'", in: scenario)
    #expect(closed.contains("status 2") && !scenario.has("ran"))
    let dumb = try await run(
      "TERM=dumb reprise run ask.yaml", keys: "shown 'page: '; printf 'x\\r'", in: scenario)
    #expect(dumb.contains("status 0") && scenario.has("ran"))
  }

  @Test func `the terminal is restored after a failure`() async throws {
    let scenario = try Scenario()
    let output = try await run(
      "echo 'steps: [{ id: a, run: exit 3 }]' > f.yaml; reprise run f.yaml",
      keys: "shown 'q quit'; printf q", in: scenario)
    #expect(output.contains("status 1") && output.contains("first failure"))
    expectUntouched(output, scenario)
  }

  @Test func `a run that goes on elsewhere is shown where its end stayed`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, run: 'test -e ok || exit 3; until [ -e shown ]; do sleep 0.05; done' }]",
      to: "f.yaml")
    let output = try await run(
      """
      { until [ -e ok ]; do sleep 0.05; done; reprise resume @last --progress none; } > other 2>&1 &
      reprise run f.yaml
      """,
      keys: "shown 'q quit'; touch ok; shown 'generation 2'; touch shown", in: scenario)
    let other = scenario.read("other")
    #expect(output.contains("first failure") && output.contains("generation 2"), "\(other)")
    #expect(output.contains("succeeded") && output.contains("status 0"), "\(output)")
    expectUntouched(output, scenario)
  }

  @Test(arguments: [
    ("kill -TERM $(ps -o ppid= -p $(cat engine))", "status 143"),
    ("kill -HUP $(ps -o ppid= -p $(cat engine))", "status 129"),
    ("kill -KILL $(cat engine)", "status 137"),
    ("kill -KILL $(ps -o ppid= -p $(cat engine))", "status 137"),
  ])
  func `the terminal is restored after a signal ends the command or its engine`(
    _ ending: String, _ status: String
  ) async throws {
    let scenario = try Scenario()
    let output = try await run(
      // The engine outlives its guardian for a moment and then restores the terminal.
      "reprise run w.yaml; s=$?; "
        + "while grep -qs '^State:.[^ZX]' /proc/$(cat engine)/status; do :; done; (exit $s)",
      keys: "wait_for began1; \(ending)", in: scenario)
    #expect(output.contains(status))
    expectUntouched(output, scenario)
  }

  @Test func `Ctrl-Z stops the steps, too, and they continue with the command`() async throws {
    let scenario = try Scenario()
    let output = try await run(
      // A stopped step is in state T as soon as the signal has reached it.
      """
      set -m; reprise run w.yaml; n=0
      while ps -o stat= --ppid $(cat engine) > states; grep -qv '^T' states && [ $n -lt 500 ]; do
        n=$((n+1)); sleep 0.01
      done
      fg
      """,
      keys: "wait_for began1; printf '\\032'; wait_for late1; printf cy", in: scenario)
    // A shell that has just forked waits in D until its stopped child goes on.
    let states = scenario.read("states").split(separator: "\n")
    #expect(states.allSatisfy { $0.hasPrefix("T") || $0.hasPrefix("D") }, "\(states)")
    #expect(!scenario.read("states").isEmpty)
    #expect(output.contains("status 130"))
    expectUntouched(output, scenario)
  }

  @Test func `Ctrl-Z stops the command and restores the terminal, and fg continues it`()
    async throws
  {
    let scenario = try Scenario()
    let output = try await run(
      "set -m; reprise run w.yaml; stty -a | grep -c ' icanon' > stopped; kill -USR1 %1; fg",
      keys: "wait_for began1; printf '\\032'; wait_for began2; printf cy", in: scenario)
    #expect(scenario.read("stopped") == "1\n")
    #expect(scenario.read("log") == "q1\nq2\n")
    expectUntouched(output, scenario)
  }
}
