import Foundation
import SQLite
import TestSupport
import Testing

/// A secret that is passed to a run in a parameter or an event is neither shown nor stored.
struct SecretInputTests {
  private static let secret = "hunter2-hunter2"
  private static let environment = ["SECRET": secret]

  /// Expects that neither the files in the state folder nor the given output contain the secret.
  private func expectNoSecret(_ scenario: Scenario, _ shown: [String]) throws {
    let state = scenario.folder.path + "/.reprise"
    var places = shown.map { Data($0.utf8) }
    for path in try FileManager.default.subpathsOfDirectory(atPath: state) {
      if let data = FileManager.default.contents(atPath: state + "/" + path) { places.append(data) }
    }
    #expect(places.count > shown.count + 2)
    for place in places {
      #expect(
        place.range(of: Data(Self.secret.utf8)) == nil, "\(String(decoding: place, as: UTF8.self))")
    }
  }

  @Test func `the reason of a step whose outputs are missing shows no secret`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      params: { name: { default: x } }
      secrets: { s: { env: SECRET } }
      steps: [{ id: a, run: "true", cache: { key: k, makes: "out-${{ params.name }}" } }]
      """, to: "w.yaml")
    var shown: [String] = []
    for progress in ["plain", "json", "none"] {
      let ended = try await scenario.reprise(
        "run", "w.yaml", "-p", "name=" + Self.secret, "--progress", progress,
        environment: Self.environment
      ).fails(with: 1)
      #expect((ended.output + ended.errors).contains("no file matches"), "\(ended)")
      shown += [ended.output, ended.errors]
    }
    shown.append(try await scenario.reprise("show", "@last").succeeds().output)
    try expectNoSecret(scenario, shown)
  }

  @Test func `the error about a parameter shows no secret`() async throws {
    let scenario = try Scenario()
    try Data(Self.secret.utf8).write(to: URL(fileURLWithPath: scenario.folder.path + "/key"))
    try scenario.write(
      """
      params: { count: { type: number, default: 1 }, time: { default: 1m } }
      secrets: { s: { env: SECRET }, f: { file: key } }
      steps: [{ id: a, timeout: "${{ params.time }}", run: "true" }]
      """, to: "w.yaml")
    for given in ["count=\(Self.secret)", "time=\(Self.secret)", "\(Self.secret)=1", Self.secret] {
      for command in [["run"], ["run", "--dry-run"], ["explain"]] {
        let ended = try await scenario.start(
          command + ["w.yaml", "-p", given] + (command == ["explain"] ? ["a"] : []),
          environment: Self.environment
        ).end().fails(with: 2)
        #expect(
          ended.errors.lowercased().contains("error") && !ended.errors.contains("hunter2"),
          "\(ended)")
      }
    }
  }

  @Test func `a cache keeps neither a secret nor a hash of one`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      params: { name: { default: "" } }
      secrets: { s: { env: SECRET } }
      steps:
        - id: a
          exec: [touch, "out-${{ params.name }}"]
          cache: { key: "${{ params.name }}", makes: "out-*" }
      """, to: "w.yaml")
    let secrets = [Self.secret, "another-secret-2"]
    var traces: Set<String> = []
    for secret in secrets {
      try await scenario.reprise(
        "run", "w.yaml", "-p", "name=" + secret, environment: ["SECRET": secret]
      ).succeeds()
      let database = try Database(
        path: scenario.folder.path + "/.reprise/journal.db", busyTimeout: .seconds(10))
      let trace = try #require(try database.read { try $0.value("SELECT trace FROM memory").text })
      #expect(trace.contains("out-***") && !trace.contains(secret), "\(trace)")
      // The order of its keys is not defined, and it has the time and the run of the result.
      traces.insert(String(trace.replacing(/"(time|run)":"[^"]*"/, with: "").sorted()))
      try FileManager.default.removeItem(atPath: scenario.folder.path + "/out-" + secret)
    }
    // A trace that depended on the secret would allow a brute-force search for it.
    #expect(traces.count == 1, "\(traces)")
  }

  @Test func `a parameter with a secret is not stored, and resume asks for it`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      params: { token: { default: "" }, place: { default: here } }
      secrets: { s: { env: SECRET } }
      steps:
        - { id: first, env: { T: "${{ params.token }}" }, run: 'printf %s "$T" > seen' }
        - { id: wait, needs: first, run: test -e go }
        - id: last
          needs: wait
          approval: Is ${{ params.token }} right?
          env: { T: "${{ params.token }}", P: "${{ params.place }}" }
          run: 'printf "%s %s" "$P" "$T" >> seen-again'
      """, to: "w.yaml")
    let given = "token=user:" + Self.secret
    let failed = try await scenario.reprise(
      "run", "w.yaml", "-p", given, "-p", "place=there", "--progress", "json",
      environment: Self.environment
    ).fails(with: 1)
    #expect(scenario.read("seen") == "user:" + Self.secret)
    let refused = try await scenario.reprise("resume", "@last", environment: Self.environment)
      .fails(with: 2)
    #expect(refused.errors.contains("-p 'token=…'"), "\(refused.errors)")
    let kept = try await scenario.reprise(
      "resume", "@last", "-p", "place=x", "-p", given, environment: Self.environment
    ).fails(with: 2)
    #expect(kept.errors.contains("the parameter \"place\" of run"), "\(kept.errors)")
    try scenario.write("", to: "go")
    let resumed = try scenario.start(
      ["resume", "@last", "-p", given, "--progress", "json"], environment: Self.environment)
    try await expectEventually("it waits for approval") {
      try await scenario.start(["approve", "@last", "last"]).end().status == 0
    }
    let ended = try await resumed.end().succeeds()
    #expect(ended.output.contains("Is user:*** right?"))
    #expect(scenario.read("seen-again") == "there user:" + Self.secret)
    let shown = try await scenario.reprise("show", "@last").succeeds()
    try expectNoSecret(
      scenario, [failed.output, failed.errors, ended.output, shown.output, refused.errors])
  }

  @Test func `a line with a secret reaches the run, but neither the events nor the journal`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      name: lines
      on: { stdin: json }
      secrets: { s: { env: SECRET } }
      steps: [{ id: a, env: { D: "${{ trigger.data.key }}" }, run: 'printf %s "$D" > seen' }]
      """, to: "w.yaml")
    let executable = Scenario.Started.executable.path
    let ended = try await scenario.shell(
      "printf '{\"key\":\"x\(Self.secret)\"}\\n' | SECRET=\(Self.secret) \(executable) watch w.yaml "
        + "--progress json"
    ).succeeds()
    #expect(scenario.read("seen") == "x" + Self.secret)
    #expect(ended.output.contains(#""event":"trigger""#) && ended.output.contains("x***"))
    let shown = try await scenario.reprise("show", "@last").succeeds()
    let listed = try await scenario.reprise("triggers", "--json").succeeds()
    try expectNoSecret(scenario, [ended.output, ended.errors, shown.output, listed.output])
  }

  @Test(arguments: [
    (
      "concurrency: { group: \"deploy-${{ params.p }}\", policy: queue }", "id: a, run: x",
      "concurrency group"
    ),
    ("max-parallel: 1", "id: a, foreach: [\"${{ params.p }}\"], run: x", "name of the step"),
  ]) func `a secret in the name of a step or a group is refused`(
    _ setting: String, _ step: String, _ says: String
  ) async throws {
    let scenario = try Scenario()
    try scenario.write(
      "params: { p: {} }\nsecrets: { s: { env: SECRET } }\n\(setting)\nsteps: [{ \(step) }]\n",
      to: "w.yaml")
    let ended = try await scenario.reprise(
      "run", "w.yaml", "-p", "p=\(Self.secret)", environment: Self.environment
    ).fails(with: 2)
    #expect(ended.errors.contains(says) && ended.errors.contains("***"), "\(ended.errors)")
    #expect(!ended.errors.contains(Self.secret))
  }
}
