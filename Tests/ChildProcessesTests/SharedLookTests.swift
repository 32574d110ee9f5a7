import Dispatch
import TestSupport
import Testing

@testable import ChildProcesses

/// Many trees that are told to end at once.
@Suite(.serialized) struct SharedLookTests {
  private let count = 40

  private func mark() -> String {
    "\(Int.random(in: 100_000...999_999)).\(Int.random(in: 1000...9999))"
  }

  private func pictureCount() async -> Int {
    await withCheckedContinuation { continuation in
      Reactor.shared.post { continuation.resume(returning: $0.pictureCount) }
    }
  }

  /// Has all of them be told before the next look.
  private func inOneTurn(_ tell: () -> Void) {
    let told = DispatchSemaphore(value: 0)
    Reactor.shared.post { _ in told.wait() }
    tell()
    told.signal()
  }

  private func start(_ script: String, ready: Int) async throws -> (mark: String, [ChildProcess]) {
    adoptOrphans()
    let mark = mark()
    let script = script.replacing("MARK", with: mark)
    let children = try (0..<count).map { _ in try ChildProcess.spawn(shell(script)) { _ in true } }
    await expectEventually("all run") { processes(with: "sleep\0\(mark)").count == ready }
    return (mark, children)
  }

  @Test func `one look serves all that are told to end at about the same time`() async throws {
    let (mark, children) = try await start("exec sleep MARK", ready: count)
    let before = await pictureCount()
    inOneTurn { for child in children { child.terminate(grace: .seconds(60)) } }
    for child in children {
      #expect(await child.end() == .signalled(signal: 15))
    }
    #expect(processes(with: mark) == [])
    #expect(await pictureCount() - before < count / 2)
  }

  @Test func `one look serves all that are killed at about the same time`() async throws {
    let (mark, children) = try await start("trap '' TERM; sleep MARK; :", ready: count)
    let before = await pictureCount()
    inOneTurn { for child in children { child.kill() } }
    for child in children {
      #expect(await child.end() == .signalled(signal: 9))
    }
    #expect(processes(with: mark) == [])
    // Their ends come in turns of their own, with looks at what they leave.
    #expect(await pictureCount() - before < 4 * count)
  }

  @Test func `what forks while many are told to end is found`() async throws {
    let (mark, children) = try await start(
      "trap '(setsid sleep MARK.1 &); exit 5' TERM; sleep MARK & wait", ready: count)
    for child in children { child.terminate(grace: .seconds(60)) }
    for child in children {
      #expect(await child.end() == .exited(code: 5))
    }
    #expect(processes(with: mark) == [])
  }

  @Test func `of many that are told to end, one that lives on holds up none`() async throws {
    let (mark, children) = try await start("exec sleep MARK", ready: count)
    let other = try ChildProcess.spawn(
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

  @Test func `a child that any thread has got is a stranger unless it was started here`()
    async throws
  {
    let child = try ChildProcess.spawn(shell("exec sleep 1000")) { _ in true }
    #expect(
      Reactor.shared.withoutStarts { started in
        ProcessTable.hasStrangers { started.subtracting([child.id]) }
      })
    await expectEventually("there is no stranger") {
      Reactor.shared.withoutStarts { started in ProcessTable.hasStrangers { started } } == false
    }
    child.kill()
    _ = await child.end()
  }
}
