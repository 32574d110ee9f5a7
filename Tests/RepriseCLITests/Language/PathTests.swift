import Foundation
import TestSupport
import Testing

/// Paths that users write: with special characters, in several spellings, and through links.
struct PathTests {
  private let scenario: Scenario

  init() throws { scenario = try Scenario() }

  private func run(_ arguments: String...) async throws -> String {
    let ended = try await scenario.start(["run", "--progress", "plain"] + arguments).end()
    return ended.succeeds().output
  }

  @Test func `an item of files matches itself as an input and an output`() async throws {
    let names = ["[id]", "{x}", "a*", "what?", "back\\slash", "plain"]
    for name in names { try scenario.write("1", to: "app/\(name)/page.txt") }
    try scenario.write("1", to: "app/i/other.txt")
    try scenario.write(
      """
      steps:
        - id: compile
          foreach: { files: "app/**/page.txt" }
          item-id: ${{ index }}
          env: { F: "${{ item }}" }
          run: "echo COMPILE $F; cp \\"$F\\" \\"$F.out\\""
          cache: { inputs: "${{ item }}", makes: "${{ item }}.out" }
        - id: literal
          run: echo LITERAL
          cache: { inputs: "app/[id]/page.txt", key: "${{ hashFiles(format('app/{0}/*', '{x}')) }}" }
      """, to: "w.yaml")
    #expect(try await run("w.yaml").contains("LITERAL"))
    #expect(!(try await run("w.yaml").contains("COMPILE")))
    for name in names { try scenario.write("2", to: "app/\(name)/page.txt") }
    let output = try await run("w.yaml")
    for name in names { #expect(output.contains("COMPILE app/\(name)/page.txt"), "\(output)") }
    #expect(output.contains("LITERAL"), "\(output)")
    #expect(try await run("w.yaml").components(separatedBy: "up to date").count == names.count + 2)
  }

  @Test(arguments: ["./w.yaml", "sub/../w.yaml", "link/../w.yaml", ".//w.yaml", "here/w.yaml"])
  func `a file is the same one by any path`(_ path: String) async throws {
    try scenario.write("", to: "sub/x")
    try scenario.write("", to: "elsewhere/x")
    let files = FileManager.default
    try files.createSymbolicLink(
      atPath: scenario.folder.path + "/link", withDestinationPath: "sub")
    try files.createSymbolicLink(atPath: scenario.folder.path + "/here", withDestinationPath: ".")
    try scenario.write(
      """
      steps:
        - { id: a, run: 'echo v=1 >> "$REPRISE_OUTPUT"', cache: { key: k } }
        - { id: b, env: { V: "${{ steps.a.outputs.v }}" }, run: "echo V=$V" }
      """, to: "w.yaml")
    _ = try await run("w.yaml")
    #expect(try await run(path, "--only", "b").contains("V=1"))
    #expect(try await run(path).contains("up to date"))
    let absolute = scenario.folder.path + "/" + path
    #expect(try await run(absolute).contains("up to date"))
    let explained = try await scenario.reprise("explain", path, "a").succeeds().output
    #expect(explained.contains("up to date"))
  }

  @Test func `a changed link and the contents behind it run a step again`() async throws {
    for (place, text) in [("lib/v1/x", "1"), ("lib/v2/x", "2"), ("src/a", "a")] {
      try scenario.write(text, to: place)
    }
    let link = scenario.folder.path + "/src/lib"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../lib/v1")
    try scenario.write(
      """
      keep: { store: 0 }
      steps:
        - { id: build, run: echo BUILD, cache: { inputs: "src/**" } }
        - { id: folder, run: echo FOLDER, cache: { inputs: src } }
        - { id: out, run: "mkdir -p made/void; ln -sfn /nowhere made/link", cache: { key: k, makes: [made/link, made/void] } }
      """, to: "w.yaml")
    _ = try await run("w.yaml")
    _ = try await scenario.shell("mkdir src/void").succeeds()
    #expect(try await run("w.yaml").components(separatedBy: "up to date").count == 4)
    try scenario.write("11", to: "lib/v1/x")
    var output = try await run("w.yaml")
    #expect(output.contains("BUILD") && output.contains("FOLDER"), "\(output)")
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../lib/v2")
    output = try await run("w.yaml")
    #expect(output.contains("BUILD") && output.contains("FOLDER"), "\(output)")
    // A changed link and a removed empty folder are changed outputs.
    _ = try await scenario.shell("ln -sfn /elsewhere made/link").succeeds()
    let explained = try await scenario.reprise("explain", "w.yaml", "out").succeeds().output
    #expect(explained.contains("the output \"made/link\" has changed"), "\(explained)")
    _ = try await run("w.yaml")
    _ = try await scenario.shell("rmdir made/void").succeeds()
    let gone = try await scenario.reprise("explain", "w.yaml", "out").succeeds().output
    #expect(gone.contains("the output \"made/void/\" is gone"), "\(gone)")
  }

  @Test func `variables of a dotenv file are inputs of a cached step`() async throws {
    try scenario.write("MODE=debug\n", to: ".env")
    try scenario.write("PART=1\n", to: "parts/.env")
    try scenario.write(
      """
      dotenv: .env
      steps:
        - { id: build, run: "echo $MODE > out", cache: { key: k, makes: out } }
        - { id: part, uses: ./parts/part.yaml }
      """, to: "w.yaml")
    try scenario.write(
      """
      dotenv: parts/.env
      steps: [{ id: x, run: "echo $PART > part", cache: { key: k, makes: part } }]
      """, to: "parts/part.yaml")
    _ = try await run("w.yaml")
    try scenario.write("MODE=release\n", to: ".env")
    let explained = try await scenario.reprise("explain", "w.yaml", "build").succeeds().output
    #expect(explained.contains("the variable \"MODE\" has changed"), "\(explained)")
    _ = try await run("w.yaml")
    #expect(scenario.read("out") == "release\n" && scenario.read("part") == "1\n")
    try scenario.write("PART=2\n", to: "parts/.env")
    _ = try await run("w.yaml")
    #expect(scenario.read("part") == "2\n")
    // Where the variable is inherited, the file does not matter.
    let inherited = ["MODE": "release"]
    for number in 1...2 {
      try await scenario.reprise("run", "w.yaml", environment: inherited).succeeds()
      try scenario.write("MODE=other-\(number)\n", to: ".env")
    }
    let same = try await scenario.reprise("explain", "w.yaml", "build", environment: inherited)
    #expect(same.succeeds().output.contains("up to date"))
  }

  @Test func `inputs that match no file are a warning of validate and of the run`() async throws {
    try scenario.write("1", to: "src/a")
    try scenario.write("1", to: "made/x")
    try scenario.write(
      """
      steps:
        - { id: typo, run: echo TYPO, cache: { inputs: ["scr/**", "src/*"] } }
        - { id: home, run: echo HOME, cache: { inputs: "~/settings" } }
        - { id: other, run: echo OTHER, cache: { inputs: "later/**" } }
      """, to: "w.yaml")
    let checked = try await scenario.reprise("validate", "w.yaml").succeeds()
    #expect(checked.errors.contains("w.yaml:2:"))
    #expect(checked.errors.contains("no file matches \"scr/**\""), "\(checked.errors)")
    #expect(checked.errors.contains("no file matches \"~/settings\""), "\(checked.errors)")
    // A step before may make them.
    #expect(!checked.errors.contains("later"), "\(checked.errors)")
    let first = try await run("w.yaml")
    for pattern in ["scr/**", "~/settings", "later/**"] {
      #expect(
        first.contains("warning: no file matches \"\(pattern)\" under cache.inputs"), "\(first)")
    }
    let second = try await run("w.yaml")
    #expect(second.contains("up to date, although no file matches \"scr/**\""), "\(second)")
    try scenario.write(
      "steps: [{ id: a, run: x, dir: src, cache: { inputs: \"../made/**\" } }]\n", to: "up.yaml")
    let refused = try await scenario.reprise("validate", "up.yaml").fails(with: 2)
    #expect(refused.errors.contains("hashFiles('shared/**')"), "\(refused.errors)")
  }

  @Test func `explain names the step that would run first`() async throws {
    try scenario.write("1", to: "a")
    try scenario.write(
      """
      steps:
        - { id: build, run: cp a b, cache: { inputs: a, makes: b } }
        - { id: test, run: cat b, cache: { inputs: b } }
      """, to: "w.yaml")
    _ = try await run("w.yaml")
    let before = try await scenario.reprise("explain", "w.yaml", "test").succeeds().output
    #expect(before == "test would be skipped: it is up to date\n")
    try scenario.write("2", to: "a")
    let after = try await scenario.reprise("explain", "w.yaml", "test").succeeds().output
    #expect(
      after == """
        test is up to date now, but "build" would run first:
          the input "a" has changed

        """)
  }

  @Test func `a run of a moved project is resumed where it is now`() async throws {
    try scenario.write(
      """
      steps:
        - { id: a, run: echo A >> log }
        - { id: b, run: "test -e go && pwd > where" }
      """, to: "old/sub/w.yaml")
    _ = try await scenario.shell("mkdir old/.reprise").succeeds()
    let executable = Scenario.Started.executable.path
    _ = try await scenario.shell("cd old/sub && '\(executable)' run w.yaml").fails(with: 1)
    let here = scenario.folder.resolvingSymlinksInPath().path
    _ = try await scenario.shell("mv old new && touch new/sub/go").succeeds()
    _ = try await scenario.shell("cd new && '\(executable)' resume @last").succeeds()
    #expect(scenario.read("new/sub/log") == "A\n")
    #expect(
      scenario.read("new/sub/where").hasSuffix(here.split(separator: "/").last! + "/new/sub\n"))
  }

  @Test func `long names of workflows and steps can be run and watched`() async throws {
    let ids = (0..<5).map { "level-\($0)-of-the-release-pipeline-for-all-the-platforms" }
    for (level, id) in ids.enumerated() {
      let rest = level < 4 ? "uses: ./n\(level + 1).yaml" : "run: echo DEEP"
      try scenario.write(
        "name: 日次集計とレポート送信\nsteps: [{ id: \(id), \(rest) }]\n",
        to: "n\(level).yaml")
    }
    #expect(try await run("n0.yaml").contains("DEEP"))
    #expect(try await scenario.reprise("logs", "@last").succeeds().output.contains("DEEP"))
    try scenario.write(
      """
      name: "日次集計とレポート送信: \(String(repeating: "x", count: 180))"
      on: { socket: true }
      steps: [{ id: a, run: echo TRIGGERED > done }]
      """, to: "watch.yaml")
    let watching = try scenario.start(["watch", "watch.yaml", "--progress", "plain"])
    let name = "日次集計とレポート送信: \(String(repeating: "x", count: 180))"
    await expectEventually("the watch answers") {
      (try? await scenario.reprise("trigger", name))?.status == 0
    }
    await expectEventually("a run") { scenario.has("done") }
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
  }
}
