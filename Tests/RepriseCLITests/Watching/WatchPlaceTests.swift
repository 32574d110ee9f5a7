import Foundation
import TestSupport
import Testing

/// The files and the folder of a watch: its own file by any path, what it changes itself, its end.
@Suite(.serialized) struct WatchPlaceTests {
  private let scenario: Scenario

  init() throws { scenario = try Scenario() }

  private func wait(for text: String, in log: String, count: Int = 1) async {
    await expectEventually("\(text) in \(log)") {
      scenario.read(log).components(separatedBy: text).count > count
    }
  }

  @Test(arguments: ["w.yaml", "./w.yaml", "sub/../w.yaml", "here/w.yaml", "linked.yaml"])
  func `a watch notices changes of its own file by any path`(_ path: String) async throws {
    let text = "on: { files: [\"src/**\"], start: true }\nsteps: [{ id: a, run: echo RUN 1 }]\n"
    try scenario.write("", to: "sub/x")
    for (name, target) in [("here", "."), ("linked.yaml", "w.yaml")] {
      try FileManager.default.createSymbolicLink(
        atPath: scenario.folder.path + "/" + name, withDestinationPath: target)
    }
    try scenario.write(text, to: "w.yaml")
    let watching = try scenario.start("watch \(path) --progress plain", writingTo: "log")
    await wait(for: "RUN 1", in: "log")
    try scenario.write(text.replacing("RUN 1", with: "RUN 2"), to: "w.yaml")
    await wait(for: "RUN 2", in: "log")
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
  }

  @Test(arguments: ["plain", "json"])
  func `a watch says at once what it waits for and when the next moment is`(
    _ style: String
  ) async throws {
    try scenario.write(
      "on: { schedule: '0 2 * * *', files: ['src/**'] }\nsteps: [{ id: a, run: x }]\n",
      to: "w.yaml")
    let watching = try scenario.start("watch w.yaml --progress \(style)", writingTo: "log")
    await wait(for: "watching", in: "log")
    let line = scenario.read("log")
    #expect(line.contains("0 2 * * *") && line.contains("src/**"), "\(line)")
    #expect(line.contains(style == "json" ? #""next":"2"# : "; next at 2"), "\(line)")
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
    #expect(scenario.read("log").components(separatedBy: "watching").count == 2)
  }

  @Test func `a watch notices changes of files that are not below its folder`() async throws {
    try scenario.write(
      "steps: [{ id: x, run: echo PART 1 }]\n", to: "common/part.yaml")
    try scenario.write(
      """
      on: { start: true, files: ["src/**"] }
      steps: [{ id: a, uses: ../common/part.yaml }]
      """, to: "flows/w.yaml")
    try scenario.write("", to: "project/x")
    try scenario.write("", to: ".git/x")
    let executable = Scenario.Started.executable.path
    let watching = try scenario.startShell(
      "cd project && exec '\(executable)' watch ../flows/w.yaml --progress plain > ../log 2>&1")
    await wait(for: "PART 1", in: "log")
    try scenario.write("steps: [{ id: x, run: echo PART 2 }]\n", to: "common/part.yaml")
    await wait(for: "PART 2", in: "log")
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
  }

  @Test(arguments: ["rm -rf p", "mv p q", "rm -rf p; mkdir p; cp w.yaml p", "rm -rf p/.reprise"])
  func `a watch whose folder is gone ends and reports it`(_ line: String) async throws {
    let text = "on: { start: true, files: [\"src/**\"] }\nsteps: [{ id: a, run: echo RUN }]\n"
    try scenario.write(text, to: "p/w.yaml")
    try scenario.write(text, to: "w.yaml")
    let executable = Scenario.Started.executable.path
    let watching = try scenario.startShell(
      "cd p && exec '\(executable)' watch ./w.yaml --progress plain > ../log 2>&1")
    await wait(for: "RUN", in: "log")
    await expectEventually("the end of the run") {
      scenario.read("log").contains("succeeded")
    }
    _ = try await scenario.shell(line).succeeds()
    try await watching.end().fails(with: 4)
    let log = scenario.read("log")
    #expect(log.contains("of this watch was deleted"), "\(log)")
    #expect(log.components(separatedBy: "of this watch was deleted").count == 2, "\(log)")
  }

  @Test(arguments: ["queue", "restart"])
  func `a watch that starts itself again and again warns once`(_ policy: String) async throws {
    try scenario.write("1", to: "src/a")
    try scenario.write(
      """
      on: { start: true, files: ["src/**"], when-busy: \(policy) }
      steps: [{ id: a, run: "cp src/a src/generated; sleep 0.2" }]
      """, to: "w.yaml")
    let watching = try scenario.start("watch w.yaml --progress plain", writingTo: "log")
    await wait(for: "such as of \"src/generated\"", in: "log")
    // More of such runs bring no second warning.
    let runs = scenario.read("log").components(separatedBy: "started").count
    await expectEventually("more runs") {
      scenario.read("log").components(separatedBy: "started").count > runs + 8
    }
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
    let log = scenario.read("log")
    #expect(log.components(separatedBy: "if a step makes this file").count == 2, "\(log)")
    #expect(log.contains("\"ignore\"") && log.contains("cache.makes"))
  }
}
