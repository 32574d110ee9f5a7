import Foundation
import TestSupport
import Testing

@testable import ChildProcesses

/// Process trees that resist termination.
///
/// Each tree contains a unique number of seconds to sleep, so that its leftover processes can be
/// found.
@Suite(.serialized) struct TreeTests {
  struct Tree: Sendable, CustomTestStringConvertible {
    let name: String
    let script: String

    var testDescription: String { name }
  }

  /// `MARK` is replaced with the number of seconds.
  static let trees = [
    Tree(name: "a plain process", script: "exec sleep MARK"),
    Tree(name: "a shell that waits", script: "sleep MARK; :"),
    Tree(name: "background jobs", script: "sleep MARK & sleep MARK & wait"),
    Tree(name: "a process that ignores SIGTERM", script: "trap '' TERM; sleep MARK; sleep MARK"),
    Tree(name: "a grandchild in its own session", script: "setsid sleep MARK & sleep MARK"),
    Tree(
      name: "a daemon that has cut all ties",
      script: "(setsid env -i sh -c 'sleep MARK & exit' &); sleep MARK"),
    Tree(
      name: "a daemon that ignores SIGTERM",
      script: "(setsid sh -c 'trap \"\" TERM; sleep MARK; sleep MARK' &); sleep MARK"),
    Tree(name: "a stopped child", script: "sleep MARK & kill -STOP $!; sleep MARK"),
    Tree(name: "an endless writer", script: "sleep MARK & yes"),
    Tree(
      name: "a maker of zombies", script: "for i in 1 2 3 4 5; do (sleep 0 &); done; sleep MARK"),
    Tree(name: "a deep chain", script: "sh -c \"sh -c 'sh -c \\\"sleep MARK; :\\\"; :'; :\"; :"),
    Tree(
      // Bounded, so that a bug does not bring the machine down.
      name: "a fork storm",
      script: "storm() { for i in $(seq 1500); do (sleep MARK &) ; done; wait; }; storm & storm"),
  ]

  private func mark() -> String {
    "\(Int.random(in: 100_000...999_999)).\(Int.random(in: 1000...9999))"
  }

  private func start(_ tree: Tree, _ mark: String) async throws -> ChildProcess {
    adoptOrphans()
    let script = tree.script.replacingOccurrences(of: "MARK", with: mark)
    let child = try await ChildProcess.spawn(shell(script)) { _ in true }
    await expectEventually("the tree lives") { !processes(with: mark).isEmpty }
    return child
  }

  // Podman has such a process for each program in a kept container.
  @Test(arguments: ["REPRISE_HOST", "LC_REPRISE_HOST"])
  func `an orphan of a host that goes on belongs to no tree`(_ variable: String) async throws {
    adoptOrphans()
    let mark = mark()
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // It is an orphan of another host from its first `exec` on; the tree must not end before.
    let orphan = "touch \(folder)/up; exec sleep \(mark)"
    let script = """
      (env -i \(variable)=another PATH="$PATH" setsid sh -c '\(orphan)' > /dev/null 2>&1 &)
      until [ -e \(folder)/up ]; do sleep 0.01; done
      """
    #expect(try await run(shell(script)) == .exited(code: 0))
    await expectEventually("it goes on") { processes(with: "sleep\0\(mark)").count == 1 }
    for process in processes(with: "sleep\0\(mark)") { kill(process, SIGKILL) }
  }

  @Test(arguments: trees) func `no process of a tree is left soon after its grace period`(
    _ tree: Tree
  )
    async throws
  {
    let mark = mark()
    let child = try await start(tree, mark)
    let start = ContinuousClock.now
    child.terminate(grace: .milliseconds(300))
    _ = await child.end()
    #expect(processes(with: mark) == [])
    #expect(ContinuousClock.now - start < promised(.milliseconds(3300), busy: .seconds(30)))
  }

  @Test(arguments: trees) func `no process of a tree is left soon after it is killed`(_ tree: Tree)
    async throws
  {
    let mark = mark()
    let child = try await start(tree, mark)
    child.kill()
    _ = await child.end()
    #expect(processes(with: mark) == [])
  }

  @Test func `leftover processes delay the end by half a second at most`() async throws {
    adoptOrphans()
    for script in [
      "sleep MARK & exit 7", "(setsid sleep MARK &) ; exit 7",
      "(setsid sleep MARK >&- 2>&- &); exit 7",
      "trap '' TERM; sleep MARK & exit 7",
    ] {
      let mark = mark()
      let command = shell(script.replacingOccurrences(of: "MARK", with: mark))
      let start = ContinuousClock.now
      #expect(try await run(command) == .exited(code: 7))
      #expect(processes(with: mark) == [])
      #expect(ContinuousClock.now - start < promised(.seconds(1), busy: .seconds(30)))
    }
  }

  /// Promise 23: a process id that is signalled cannot belong to another process.
  @Test func `the id of a process is kept while any process of its tree lives`() async throws {
    adoptOrphans()
    // On a busy machine, the tree may be gone before the test has looked at it.
    for attempt in 1...10 {
      let mark = mark()
      let child = try await ChildProcess.spawn(shell("sleep \(mark) & exit 7")) { _ in true }
      await expectEventually("the first process has ended") {
        ["Z", nil].contains(state(of: child.id))
      }
      var looks = 0
      while true {
        let state = state(of: child.id)
        guard !processes(with: mark).isEmpty else { break }
        #expect(state == "Z")
        looks += 1
      }
      #expect(await child.end() == .exited(code: 7))
      #expect(state(of: child.id) == nil)
      guard looks <= 2 else { return }
      #expect(attempt < 10, "no leftover process was seen")
    }
  }

  /// Returns the state of a process in the process table, such as `Z` for a zombie; nil if it does
  /// not exist.
  private func state(of pid: Int32) -> Character? {
    let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    return text?.split(separator: ")").last?.dropFirst().first
  }

  @Test func `a leftover process that ends soon is waited for, and its output is read`()
    async throws
  {
    // On a busy machine, a process of a moment may take longer than the time that it is given.
    for attempt in 1...10 {
      let recorder = Recorder()
      #expect(
        try await run(shell("(sleep 0.02; echo late) & exit 0"), recorder) == .exited(code: 0))
      guard recorder.text() != ["late"] else { return }
      #expect(attempt < 10, "no leftover process was waited for")
    }
  }

  @Test func `a process that ends within its grace period is not killed`() async throws {
    let recorder = Recorder()
    let child = try await ChildProcess.spawn(
      shell("trap 'sleep 0.2; echo clean; exit 5' TERM; echo ready; while :; do sleep 0.02; done"),
      onOutput: recorder.take)
    await expectEventually("it is ready") { recorder.text() == ["ready"] }
    child.terminate(grace: .seconds(20))
    #expect(await child.end() == .exited(code: 5))
    #expect(recorder.text() == ["ready", "clean"])
  }

  @Test func `a process that leaves the group during termination is terminated, too`() async throws
  {
    let mark = mark()
    let script =
      "trap '(setsid sleep MARK &); exit 0' TERM; echo ready; while :; do sleep 0.01; done"
    adoptOrphans()
    let recorder = Recorder()
    let child = try await ChildProcess.spawn(
      shell(script.replacingOccurrences(of: "MARK", with: mark)), onOutput: recorder.take)
    await expectEventually("it is ready") { recorder.text() == ["ready"] }
    let start = ContinuousClock.now
    child.terminate(grace: .seconds(60))
    _ = await child.end()
    #expect(processes(with: mark) == [])
    #expect(ContinuousClock.now - start < .seconds(45))
  }

  @Test func `a program that stops what it has started is asked alone`() async throws {
    let recorder = Recorder()
    var command = shell(
      """
      setsid sh -c 'trap "echo other; exit" TERM; echo ready; while :; do sleep 0.02; done' &
      trap 'echo asked; sleep 0.3; kill -9 $!; exit 5' TERM; while :; do sleep 0.02; done
      """)
    command.stopsOthers = true
    let child = try await ChildProcess.spawn(command, onOutput: recorder.take)
    await expectEventually("it is ready") { recorder.text() == ["ready"] }
    child.terminate(grace: .seconds(60))
    #expect(await child.end() == .exited(code: 5))
    #expect(recorder.text() == ["ready", "asked"])
  }

  @Test func `the tree is checked regularly during a long grace period`() {
    var delay = GrowingDelay()
    let times = (0..<1000).map { _ in delay.next(upTo: .milliseconds(100)) }
    #expect(times.prefix(3) == [.milliseconds(1), .milliseconds(2), .milliseconds(4)])
    #expect(times.dropFirst(8).allSatisfy { $0 == .milliseconds(100) })
  }

  @Test func `the tree of another child is left alone`() async throws {
    let marks = (mark(), mark())
    let script = "(setsid sleep MARK &) ; sleep MARK"
    let other = try await start(Tree(name: "", script: script), marks.1)
    let child = try await start(Tree(name: "", script: script), marks.0)
    // A shell and two sleepers each.
    await expectEventually("both trees are whole") {
      // A shell that is about to exec a sleeper has the same command line.
      processes(with: "sleep\0\(marks.0)").count == 2
        && processes(with: "sleep\0\(marks.1)").count == 2
        && processes(with: marks.0).count == 3 && processes(with: marks.1).count == 3
    }
    let before = processes(with: marks.1)
    child.kill()
    _ = await child.end()
    #expect(processes(with: marks.0) == [])
    #expect(processes(with: marks.1) == before)
    other.kill()
    _ = await other.end()
    #expect(processes(with: marks.1) == [])
  }
}
