import Foundation
import TestSupport
import Testing

/// The command with unusual descriptors, bytes and folders.
@Suite(.serialized) struct UnusualEnvironmentTests {
  private let reprise = "'\(Scenario.Started.executable.path)'"

  @Test func `a hint is printed when there are almost no descriptors`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, run: \"true\" }, { id: b, run: \"true\" }]", to: "w.yaml")
    for limit in [4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24] {
      let ended = try await scenario.shell(
        "exec 3>&- 4>&- 5>&-; ulimit -n \(limit); "
          + "exec timeout 30 \(reprise) run w.yaml --progress none")
      #expect([0, 1, 4].contains(ended.status), "\(limit): \(ended)")
      if ended.status != 0 { #expect(ended.errors.contains("ulimit -n"), "\(limit): \(ended)") }
    }
    try await scenario.reprise("run", "w.yaml", "--progress", "none").succeeds()
  }

  @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"])
  func `closed standard descriptors are not reused for other files`(_ closed: String) async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - id: a
          run: |
            echo out; echo err >&2
            for fd in 0 1 2; do readlink /proc/$PPID/fd/$fd; done > links
            cp .reprise/live/*.lock lock
        - { id: b, needs: a, run: "exit 3" }
      """, to: "w.yaml")
    try await scenario.shell("\(reprise) run w.yaml --progress plain \(closed)").fails(with: 1)
    let links = scenario.read("links").split(separator: "\n")
    #expect(links.count == 3 && !links.contains { $0.contains(".lock") || $0.contains("socket:") })
    #expect(!scenario.read("lock").contains("error"))
  }

  @Test func `a full output device is reported`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: echo hello }]", to: "w.yaml")
    // The logs of a run whose display cannot be written may be empty, so this run has no display.
    try await scenario.reprise("run", "w.yaml", "--progress", "none").succeeds()
    for arguments in [
      "logs @last", "run w.yaml --progress plain", "run w.yaml --progress json", "runs",
      "graph w.yaml",
    ] {
      let ended = try await scenario.shell("\(reprise) \(arguments) > /dev/full")
      ended.fails(with: 4)
      #expect(ended.errors.contains("No space left on device"), "\(arguments): \(ended)")
    }
  }

  @Test func `inherited variables are passed byte for byte, but cannot be used as text`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, exec: [sh, -c, 'printf %s \"$V\" | od -An -tx1 > got'] }]", to: "w.yaml")
    try await scenario.shell("V=$'a\\xff\\xc3' \(reprise) run w.yaml --progress none").succeeds()
    #expect(scenario.read("got") == " 61 ff c3\n")
    try scenario.write(
      "steps: [{ id: a, env: { X: \"${{ env.V }}\" }, run: touch ran }]", to: "w.yaml")
    let ended = try await scenario.shell("V=$'a\\xff' \(reprise) run w.yaml --progress plain")
      .fails(with: 1)
    #expect((ended.output + ended.errors).contains("env.X: the value of the variable \"V\" is not"))
    #expect(!scenario.has("ran"))
  }

  @Test func `arguments and outputs that are not UTF-8 are refused`() async throws {
    let scenario = try Scenario()
    try scenario.write("params: { p: x }\nsteps: [{ id: a, run: touch ran }]", to: "w.yaml")
    let argument = try await scenario.shell("\(reprise) run w.yaml -p p=$'\\xff'").fails(with: 2)
    #expect(argument.errors.contains("argument 4") && argument.errors.contains("is not UTF-8"))
    #expect(!scenario.has("ran"))
    try scenario.write(
      "steps: [{ id: a, run: \"printf 'a=1\\\\nb=\\\\377\\\\n' >> $REPRISE_OUTPUT\" }]",
      to: "w.yaml")
    let output = try await scenario.reprise("run", "w.yaml", "--progress", "plain").fails(with: 1)
    #expect((output.output + output.errors).contains("line 2: not UTF-8"))
  }

  @Test func `a step that replaces its output file fails, and the replacement is removed`()
    async throws
  {
    for place in ["mkdir -p $f/x/y; touch $f/x/z", "ln -s w.yaml $f", "mkfifo $f"] {
      let scenario = try Scenario()
      try scenario.write("", to: "tmp/keep")
      try scenario.write(
        "steps: [{ id: a, run: \"f=$REPRISE_OUTPUT; rm $f; \(place)\" }]", to: "w.yaml")
      let ended = try await scenario.reprise(
        "run", "w.yaml", "--progress", "plain",
        environment: ["TMPDIR": scenario.folder.path + "/tmp"]
      ).fails(with: 1)
      #expect((ended.output + ended.errors).contains("no longer a regular file"), "\(ended)")
      let left = try FileManager.default.contentsOfDirectory(
        atPath: scenario.folder.path + "/tmp")
      #expect(left == ["keep"], "\(place)")
    }
  }
}
