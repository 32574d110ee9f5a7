import Dispatch
import TestSupport
import Testing

@testable import ChildProcesses

/// Many process trees that are terminated at once.
@Suite(.serialized) struct SharedScanTests {
  private let count = 40

  private func mark() -> String {
    "\(Int.random(in: 100_000...999_999)).\(Int.random(in: 1000...9999))"
  }

  private func snapshotCount() async -> Int {
    await withCheckedContinuation { continuation in
      Reactor.shared.post { continuation.resume(returning: $0.snapshotCount) }
    }
  }

  /// Blocks the reactor, so that all requests are made before it looks at the process table.
  private func inOneTurn(_ requests: () -> Void) {
    let requested = DispatchSemaphore(value: 0)
    Reactor.shared.post { _ in requested.wait() }
    requests()
    requested.signal()
  }

  private func start(_ script: String, ready: Int) async throws -> (mark: String, [ChildProcess]) {
    adoptOrphans()
    let mark = mark()
    let script = script.replacing("MARK", with: mark)
    var children: [ChildProcess] = []
    for _ in 0..<count {
      children.append(try await ChildProcess.spawn(shell(script)) { _ in true })
    }
    await expectEventually("all run") { processes(with: "sleep\0\(mark)").count == ready }
    return (mark, children)
  }

  @Test func `terminations at about the same time share one look at the process table`()
    async throws
  {
    let (mark, children) = try await start("exec sleep MARK", ready: count)
    let before = await snapshotCount()
    inOneTurn { for child in children { child.terminate(grace: .seconds(60)) } }
    for child in children {
      #expect(await child.end() == .signalled(signal: 15))
    }
    #expect(processes(with: mark) == [])
    #expect(await snapshotCount() - before < count / 2)
  }

  @Test func `kills at about the same time share looks at the process table`() async throws {
    let (mark, children) = try await start("trap '' TERM; sleep MARK; :", ready: count)
    let before = await snapshotCount()
    inOneTurn { for child in children { child.kill() } }
    for child in children {
      #expect(await child.end() == .signalled(signal: 9))
    }
    #expect(processes(with: mark) == [])
    // The processes end in different turns of the reactor, each with a look for leftover processes.
    #expect(await snapshotCount() - before < 4 * count)
  }

  @Test func `a process that forks while many are terminated is found`() async throws {
    let (mark, children) = try await start(
      "trap '(setsid sleep MARK.1 &); exit 5' TERM; sleep MARK & wait", ready: count)
    for child in children { child.terminate(grace: .seconds(60)) }
    for child in children {
      #expect(await child.end() == .exited(code: 5))
    }
    #expect(processes(with: mark) == [])
  }

  @Test func `a process that survives termination does not delay the others`() async throws {
    let (mark, children) = try await start("exec sleep MARK", ready: count)
    let other = try await ChildProcess.spawn(
      shell("trap '' TERM; while :; do sleep \(mark).1; done")
    ) { _ in true }
    await expectEventually("it runs") { !processes(with: "sleep\0\(mark).1").isEmpty }
    for child in children + [other] { child.terminate(grace: .seconds(1000)) }
    for child in children {
      #expect(await child.end() == .signalled(signal: 15))
    }
    #expect(!processes(with: "\(mark).1").isEmpty)
    other.kill()
    #expect(await other.end() == .signalled(signal: 9))
    #expect(processes(with: mark) == [])
  }

  @Test func `a child of any thread is unknown unless it was started here`()
    async throws
  {
    let child = try await ChildProcess.spawn(shell("exec sleep 1000")) { _ in true }
    #expect(
      Reactor.shared.withoutStarts { started in
        ProcessTable.hasUnknownChildren { started.subtracting([child.id]) }
      })
    await expectEventually("there is no unknown child") {
      Reactor.shared.withoutStarts { started in ProcessTable.hasUnknownChildren { started } }
        == false
    }
    child.kill()
    _ = await child.end()
  }
}
