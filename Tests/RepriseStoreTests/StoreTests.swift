import ChildProcesses
import Foundation
import Platform
import TestSupport
import Testing

@testable import Reprise
@testable import RepriseStore

/// Files that steps have made are restored from the store.
@Suite(.enabled(if: FileTrace.problem == nil)) struct StoreTests {
  private let project: StoredProject

  init() throws { project = try StoredProject() }

  private func mode(_ name: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: project.path + "/" + name)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test(arguments: ["auto", "{ inputs: a, makes: 'out/**' }"])
  func `an earlier result is restored with its files, links, modes and empty folders`(
    _ cache: String
  ) async throws {
    let script = """
      mkdir -p out/deep out/empty; cat a > out/deep/x; ln -sf deep/x out/link; cp a out/tool
      chmod 755 out/tool; chmod 640 out/deep/x; head -c 2000000 /dev/zero > out/large; cat a >> out/large
      echo n=$(cat a) >> $REPRISE_OUTPUT
      """
    try project.write("one", to: "a")
    #expect(try await project.run(script, cache: cache) == .ran)
    let first = try project.contents("out")
    try project.write("two", to: "a")
    #expect(try await project.run(script, cache: cache) == .ran)
    try project.write("one", to: "a")
    #expect(try await project.run(script, cache: cache) == .restored(["n": "one"]))
    #expect(try project.contents("out") == first)
    #expect(try mode("out/tool") == 0o755)
    #expect(try mode("out/deep/x") == 0o640)
    try project.remove("out")
    #expect(try await project.run(script, cache: cache) == .restored(["n": "one"]))
    #expect(try project.contents("out") == first)
    #expect(try await project.run(script, cache: cache) == .upToDate)
  }

  @Test func `what is right is left alone, and all other files get the same time`() async throws {
    let script = "mkdir -p out; cat a > out/x; cat b > out/y; cat a b > out/z"
    try project.write("one", to: "a")
    _ = try await project.run(script)
    let before = try project.inode("out/x")
    try project.remove("out/y")
    try project.remove("out/z")
    #expect(try await project.run(script) == .restored([:]))
    #expect(try project.inode("out/x") == before)
    #expect(try project.modified("out/y") == project.modified("out/z"))
    #expect(try project.modified("out/y") >= project.modified("out/x"))
  }

  @Test func `what only the step has made before is removed, and what others made is not`()
    async throws
  {
    let script = "mkdir -p out; for n in $(cat a); do echo $n > out/$n; done"
    try project.write("x", to: "a")
    _ = try await project.run(script)
    try project.write("x y z", to: "a")
    _ = try await project.run(script)
    try project.write("mine", to: "out/own")
    try project.write("changed", to: "out/z")
    try project.write("x", to: "a")
    #expect(try await project.run(script) == .restored([:]))
    #expect(try project.contents("out").keys.sorted() == ["out", "out/own", "out/x", "out/z"])
  }

  @Test(arguments: ["out", "out/deep"])
  func `nothing is restored through a link`(_ name: String) async throws {
    let script = "mkdir -p out/deep && cat a > out/deep/x"
    _ = try await project.run(script)
    let result = try #require(project.results().first)
    try project.remove(name)
    try project.write("keep", to: "elsewhere/deep/x")
    try FileManager.default.createSymbolicLink(
      atPath: project.path + "/" + name,
      withDestinationPath: project.path + (name == "out" ? "/elsewhere" : "/elsewhere/deep"))
    #expect(throws: (any Error).self) {
      try project.store.restore(result, in: project.path, removing: [:])
    }
    #expect(try project.text("elsewhere/deep/x") == "keep\n")
    // The step itself may write there.
    #expect(try await project.run(script) == .ran)
  }

  @Test(arguments: ["packs", "objects", "results"], ["damaged", "gone", "cut"])
  func `a damaged store is only a miss`(_ part: String, _ damage: String) async throws {
    let script = "cat a > small; head -c 1500000 /dev/zero > large; cat a >> large"
    try project.write("one", to: "a")
    _ = try await project.run(script)
    let files = try project.filesOfStore(part)
    #expect(files.count == 1)
    for file in files {
      switch damage {
      case "gone": try FileManager.default.removeItem(atPath: file)
      case "cut":
        try Data(contentsOf: URL(fileURLWithPath: file)).dropLast(1)
          .write(to: URL(fileURLWithPath: file))
      default:
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        bytes[bytes.count / 2] ^= 0x20
        try bytes.write(to: URL(fileURLWithPath: file))
      }
    }
    try project.remove("small")
    try project.remove("large")
    #expect(try await project.run(script) == .ran)
    #expect(try project.text("small") == "one\n")
    // It is kept anew.
    try project.remove("small")
    try project.remove("large")
    #expect(try await project.run(script) == .restored([:]))
  }

  @Test func `a record with any changed bit is not used`() async throws {
    try project.write("one", to: "a")
    _ = try await project.run("mkdir out; cat a > out/b")
    let kept = try #require(project.results().first)
    let file = try #require(project.filesOfStore("results").first)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x10
      try changed.write(to: URL(fileURLWithPath: file))
      #expect(project.store.results(of: kept.task).isEmpty, "byte \(index)")
    }
  }

  @Test func `a result without files is only restored if it used no network`() async throws {
    try project.write("one", to: "a")
    #expect(try await project.run("cat a") == .ran)
    try project.write("two", to: "a")
    #expect(try await project.run("cat a") == .ran)
    try project.write("one", to: "a")
    #expect(try await project.run("cat a") == .restored([:]))
    let deploy = "cat a; python3 -c 'import socket; socket.socket().connect_ex((\"127.0.0.1\", 9))'"
    #expect(try await project.run(deploy) == .ran)
    #expect(try await project.run(deploy) == .upToDate)
    try project.write("two", to: "a")
    #expect(try await project.run(deploy) == .ran)
    try project.write("one", to: "a")
    #expect(try await project.run(deploy) == .ran)
  }

  @Test func `results used least recently are deleted first, and nothing else is lost`()
    async throws
  {
    let script = "head -c 1500000 /dev/zero > large; cat a >> large; cat a > small"
    for text in ["one", "two", "three"] {
      try project.write(text, to: "a")
      #expect(try await project.run(script) == .ran)
    }
    try project.write("one", to: "a")
    #expect(try await project.run(script) == .restored([:]))
    project.store.delete(exceeding: 3_200_000)
    #expect(try project.filesOfStore("results").count == 2)
    #expect(try await project.run(script) == .upToDate)
    for (text, end) in [("three", StoredProject.End.restored([:])), ("two", .ran)] {
      try project.write(text, to: "a")
      #expect(try await project.run(script) == end)
    }
    project.store.delete(exceeding: 0)
    #expect(try project.filesOfStore("results").isEmpty && project.filesOfStore("packs").isEmpty)
  }

  @Test func `what happens to a restored file does not change the store`() async throws {
    let script = "head -c 1500000 /dev/zero > large; cat a >> large; cat a > small"
    _ = try await project.run(script)
    let first = try project.contents(".").filter { ["large", "small"].contains($0.key) }
    for change in ["echo more >> NAME", "cp b NAME", "chmod 600 NAME", "ln -sf b NAME"] {
      for name in ["large", "small"] {
        try project.remove(name)
        #expect(try await project.run(script) == .restored([:]))
        try TemporaryFolder.run(
          "/bin/sh", ["-c", "cd \(project.path); " + change.replacing("NAME", with: name)])
      }
    }
    #expect(try await project.run(script) == .restored([:]))
    #expect(try project.contents(".").filter { ["large", "small"].contains($0.key) } == first)
    #expect(try mode("large") == 0o644)
  }

  @Test func `links that lead nowhere are restored, rights of owners are not`() async throws {
    let script = "mkdir -p out; ln -s nowhere out/link; cp a out/tool; chmod 4755 out/tool"
    #expect(try await project.run(script) == .ran)
    try project.remove("out")
    #expect(try await project.run(script) == .restored([:]))
    #expect(try project.contents("out")["out/link"] == "link nowhere")
    #expect(try mode("out/tool") == 0o755)
  }

  @Test(arguments: ["undo: rm -f out", "cache: { inputs: a, makes: out, max-age: 1h }"])
  func `a step whose result may not be right any more is not restored`(_ key: String) async throws {
    let cache = key.hasPrefix("undo") ? "auto" : String(key.dropFirst(7))
    let more = key.hasPrefix("undo") ? "\n    " + key : ""
    for text in ["one", "two", "one"] {
      try project.write(text, to: "a")
      #expect(try await project.run("cat a > out", cache: cache + more) == .ran)
    }
  }

  @Test func `a restored step shows what it wrote when it ran`() async throws {
    let workflow = try Workflow(
      text: "steps: [{ id: s, cache: auto, run: 'echo made; echo warned >&2; cat a > out' }]",
      file: "w.yaml")
    func output() async throws -> [String] {
      let run = project.engine().start(workflow)
      _ = try await run.outcome
      return try #require(run.state["s"]).output.lines.map(\.text)
    }
    let first = try await output()
    #expect(first == ["made", "warned"])
    try project.write("two", to: "a")
    _ = try await output()
    try project.write("one", to: "a")
    let restored = try await output()
    #expect(restored.first?.hasPrefix("reprise: restored; this is what it wrote in run ") == true)
    #expect(restored.dropFirst() == ["made", "warned"])
  }

  @Test func `a step that failed or was stopped keeps nothing`() async throws {
    _ = try await project.run("cat a > out; exit 1")
    #expect(try project.filesOfStore("results").isEmpty)
    #expect(try project.filesOfStore("tmp").isEmpty)
  }

  @Test func `a file of another user of the store cannot leave the project`() throws {
    for path in ["../x", "/x", "a/../../x", "", "a//b", "./x"] {
      let file = StoredResult.File(path: path, content: "folder", mode: 0, size: 0)
      #expect(!file.isWellFormed, "\(path)")
    }
    #expect(StoredResult.File(path: "a/b..c", content: "link x", mode: 0, size: 0).isWellFormed)
  }

  // MARK: Whose files they are

  private func shell(_ script: String) throws {
    try TemporaryFolder.run("/bin/sh", ["-c", "cd \(project.path); " + script])
  }

  @Test func `what was there before is never removed`() async throws {
    try shell("mkdir data; echo 1.0 > version; echo mine > kept")
    let script =
      "if [ $(cat a) = two ]; then mkdir -p data; echo 1.0 > version; cat a > kept; fi; cat a > out"
    for (text, end) in [("one", StoredProject.End.ran), ("two", .ran), ("one", .restored([:]))] {
      try project.write(text, to: "a")
      #expect(try await project.run(script) == end)
    }
    #expect(try project.contents(".").keys.contains("data"))
    #expect(try project.text("version") == "1.0\n")
    #expect(try project.text("kept") == "two\n")
  }

  @Test func `what a step of another workflow has made as well is not removed`() async throws {
    let script = "if [ $(cat a) = two ]; then cat a > gen; fi; cat a > out"
    try project.write("one", to: "a")
    _ = try await project.run(script)
    try project.write("two", to: "a")
    _ = try await project.run(script)
    project.shareWithOthers()
    try project.write("one", to: "a")
    #expect(try await project.run(script) == .restored([:]))
    #expect(try project.text("gen") == "two\n")
  }

  @Test func `after a failure, a restore removes the files of the success before it`() async throws
  {
    let script = "n=$(cat a); test $n != bad || exit 1; rm -rf out; mkdir out; echo v > out/$n"
    for (text, end) in [
      ("one", StoredProject.End.ran), ("two", .ran), ("bad", .failed), ("one", .restored([:])),
      ("two", .restored([:])), ("one", .restored([:])),
    ] {
      try project.write(text, to: "a")
      #expect(try await project.run(script) == end)
    }
    #expect(try project.contents("out").keys.sorted() == ["out", "out/one"])
  }

  @Test func `permissions of folders are restored, and empty files`() async throws {
    let script =
      "mkdir -p out/private; touch out/private/done; chmod 750 out/private; chmod 700 out"
    #expect(try await project.run(script) == .ran)
    try project.remove("out")
    #expect(try await project.run(script) == .restored([:]))
    #expect(try mode("out") == 0o700)
    #expect(try mode("out/private") == 0o750)
    try shell("chmod 755 out")
    #expect(try await project.run(script) == .restored([:]))
    #expect(try mode("out") == 0o700)
    #expect(try project.text("out/private/done").isEmpty)
  }

  @Test func `a step is not restored from a step with the same script`() async throws {
    let workflow = try Workflow(
      text: """
        steps:
          - { id: x, run: "mkdir -p out; echo 1 > out/$REPRISE_STEP_ID; cat a", cache: auto }
          - { id: y, run: "mkdir -p out; echo 1 > out/$REPRISE_STEP_ID; cat a", cache: auto }
        """, file: "w.yaml")
    let run = project.engine().start(workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(try project.contents("out").keys.sorted() == ["out", "out/x", "out/y"])
  }

  @Test func `two runs at once keep nothing of a step that both run`() async throws {
    let script = "cat a > out; touch began.$PART; until [ -e end ]; do sleep 0.02; done"
    func start(_ part: String) throws -> Run {
      project.engine().start(
        try Workflow(
          text: """
            steps:
              - id: s
                env: { PART: "\(part)" }
                cache: { auto: true, ignore: ["began.*", end] }
                run: \(script)
            """, file: "w.yaml"))
    }
    project.letOthersLive()
    var runs: [Run] = []
    for part in ["1", "2"] {
      runs.append(try start(part))
      await expectEventually("the step runs") {
        FileManager.default.fileExists(atPath: project.path + "/began." + part)
      }
    }
    try project.write("", to: "end")
    for run in runs {
      #expect(try await run.outcome == .succeeded)
      let said = run.state["s"]?.output.lines.map(\.text) ?? []
      #expect(said.last?.contains("at the same time") == true, "\(run.state["s"] as Any)")
    }
    #expect(project.results().isEmpty)
  }
}
