import Foundation
import TestSupport
import Testing

/// Only steps that are up to date are skipped.
struct CacheTests {
  private let scenario: Scenario

  init() throws {
    scenario = try Scenario()
    try scenario.write("a", to: "src/a.c")
    try scenario.write("b", to: "src/deep/b.c")
    try write()
  }

  private func write(script: String = "cat src/a.c", variable: String = "x") throws {
    try scenario.write(
      """
      params: { mode: debug, word: x }
      steps:
        - id: build
          env: { VALUE: "\(variable)", WORD: "${{ params.word }}" }
          run: |
            \(script) > app
            echo run >> ledger
            echo "size=$(wc -c < app | tr -d ' ')" >> $REPRISE_OUTPUT
            while [ -e hold ]; do sleep 0.01; done
          cache: { inputs: ["src/**", "!**/*.tmp"], makes: app, key: "${{ params.mode }}" }
        - { id: use, exec: [sh, -c, 'echo $1 > used', sh, "${{ steps.build.outputs.size }}"] }
      """, to: "w.yaml")
  }

  private var times: Int { scenario.read("ledger").split(separator: "\n").count }

  private func run(_ arguments: String...) async throws {
    try await scenario.start(["run", "w.yaml", "--progress", "none"] + arguments).end().succeeds()
  }

  private func explanation(_ arguments: String...) async throws -> String {
    try await scenario.start(["explain", "w.yaml", "build"] + arguments).end().succeeds().output
  }

  @Test func `a step runs once, and its outputs are available when it is skipped`() async throws {
    #expect(try await explanation().contains("it has never run"))
    try await run()
    #expect(try await explanation() == "build would be skipped: it is up to date\n")
    try scenario.write("", to: "used")
    try await run()
    #expect(times == 1 && scenario.read("used") == "1\n")
    try await run("--force")
    #expect(times == 2)
    try await run()
    #expect(times == 2)
  }

  @Test(arguments: ["never", "made, never", "'*.o'", "'made/*.{o,a}'"])
  func `a step that does not create its declared outputs fails each time`(_ outputs: String)
    async throws
  {
    try scenario.write(
      """
      steps:
        - id: a
          run: |
            echo run >> ledger
            mkdir -p made; echo x > made/x
          cache: { inputs: src, makes: [\(outputs)] }
      """, to: "v.yaml")
    for count in 1...2 {
      let ended = try await scenario.reprise("run", "v.yaml").fails(with: 1)
      #expect(ended.output.contains("no file matches"), "\(ended.output)")
      #expect(times == count)
    }
    try await scenario.reprise("run", "v.yaml", "--no-journal").fails(with: 1)
  }

  @Test func `excluded outputs need not exist`() async throws {
    try scenario.write(
      """
      steps:
        - id: a
          run: "echo run >> ledger; mkdir -p made; echo x > made/x"
          cache: { inputs: src, makes: [made, "!made/*.tmp"] }
      """, to: "v.yaml")
    for _ in 1...2 { try await scenario.reprise("run", "v.yaml").succeeds() }
    #expect(times == 1)
  }

  @Test func `the cache compares contents, not modification times`() async throws {
    try await run()
    try scenario.write("a", to: "src/a.c")
    try await run()
    #expect(times == 1)
    try scenario.write("A", to: "src/a.c")
    #expect(try await explanation().contains("the input \"src/a.c\" has changed"))
    try await run()
    #expect(times == 2)
    try scenario.write("ignored", to: "src/x.tmp")
    try await run()
    #expect(times == 2)
  }

  @Test func `an added or removed file is a change`() async throws {
    try await run()
    try scenario.write("c", to: "src/c.c")
    #expect(try await explanation().contains("the input \"src/c.c\" is new"))
    try await run()
    try FileManager.default.removeItem(atPath: scenario.folder.path + "/src/deep/b.c")
    #expect(try await explanation().contains("the input \"src/deep/b.c\" is gone"))
    try await run()
    try FileManager.default.removeItem(atPath: scenario.folder.path + "/app")
    #expect(try await explanation().contains("can be restored"))
    try await run()
    try scenario.write("tampered", to: "app")
    #expect(try await explanation().contains("can be restored"))
    try await run()
    #expect(times == 3 && scenario.read("app") == "a")
    // Without the store, it runs.
    try FileManager.default.removeItem(atPath: scenario.folder.path + "/.reprise/store")
    try scenario.write("tampered", to: "app")
    #expect(try await explanation().contains("the output \"app\" has changed"))
    try await run()
    #expect(times == 4)
    try await run()
    #expect(times == 4)
  }

  @Test func `a changed script, variable, parameter or key is a change`() async throws {
    try await run()
    try write(script: "cat src/deep/b.c")
    #expect(
      try await explanation().contains("its script, arguments, shell or directory have changed"))
    try await run()
    try write(script: "cat src/deep/b.c", variable: "y")
    #expect(try await explanation().contains("the variable \"VALUE\" has changed"))
    try await run()
    #expect(try await explanation("-p", "word=z").contains("the variable \"WORD\" has changed"))
    try await run("-p", "word=z")
    #expect(
      try await explanation("-p", "word=z", "-p", "mode=release").contains("its key has changed"))
    try await run("-p", "word=z", "-p", "mode=release")
    #expect(times == 5)
  }

  @Test func `a cancelled or killed run does not update the cache`() async throws {
    for signal in [SIGTERM, SIGKILL] {
      let before = times
      try scenario.write("\(signal)", to: "src/a.c")
      try scenario.write("", to: "hold")
      let started = try scenario.start(["run", "w.yaml", "--progress", "none"])
      await expectEventually("it has written its output") { times == before + 1 }
      started.send(signal)
      _ = try await started.end()
      try FileManager.default.removeItem(atPath: scenario.folder.path + "/hold")
      #expect(try await explanation().contains("its last run did not succeed"))
      try await run()
      #expect(times == before + 2)
      try await run()
      #expect(times == before + 2)
    }
  }

  @Test func `without a journal nothing is skipped`() async throws {
    try await run()
    try await run("--no-journal")
    #expect(times == 2)
  }
}
