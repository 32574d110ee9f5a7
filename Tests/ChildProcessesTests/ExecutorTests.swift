import Foundation
import TestSupport
import Testing

@testable import ChildProcesses

/// Tasks that run on the thread that serves all child processes.
struct ExecutorTests {
  private static func currentThread() -> String { "\(pthread_self())" }

  @Test func `the end of a process and the start of the next run on one thread`()
    async throws
  {
    let threads = try await Task.detached(executorPreference: ChildProcess.executor) {
      var threads = [Self.currentThread()]
      for _ in 0..<20 {
        let status = try await run(shell("true"))
        #expect(status == .exited(code: 0))
        threads.append(Self.currentThread())
      }
      return threads
    }.value
    #expect(Set(threads).count == 1)
    #expect(threads.first != Self.currentThread())
  }

  #if os(Linux)
  // A parent-death signal is sent when the thread ends that has started a process, and threads
  // of pools end when they are idle.
  @Test func `only the thread that serves all children starts them`() async throws {
    let children = try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          try await ChildProcess.spawn(shell("exec sleep 600"), onOutput: Recorder().take)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let started = try await Task.detached(executorPreference: ChildProcess.executor) {
      try String(contentsOfFile: "/proc/thread-self/children", encoding: .utf8)
    }.value.split(separator: " ").compactMap { Int32($0) }
    #expect(children.count == 8 && Set(children.map(\.id)).isSubset(of: started))
    for child in children { child.kill() }
    for child in children { _ = await child.end() }
  }
  #endif

  @Test func `children are served during an endless series of posts`() async throws {
    let isOver = Protected(false)
    let hasBegun = Protected(false)
    @Sendable func post(_ loop: ReactorLoop) {
      hasBegun.withLock { $0 = true }
      if !isOver.value { Reactor.shared.post(post) }
    }
    // The child does not end before the posts have started.
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let child = try await ChildProcess.spawn(
      shell("until [ -e \(folder)/go ]; do sleep 0.01; done; exit 3"), onOutput: Recorder().take)
    Reactor.shared.post(post)
    await expectEventually("posts run") { hasBegun.value }
    try Data().write(to: URL(fileURLWithPath: folder + "/go"))
    let status = Protected<ChildExit?>(nil)
    Task {
      let ended = await child.end()
      status.withLock { $0 = ended }
    }
    await expectEventually("the child has ended") { status.value != nil }
    isOver.withLock { $0 = true }
    #expect(await child.end() == .exited(code: 3))
  }

  @Test func `children are served while many jobs wait`() async throws {
    let isOver = Protected(false)
    let jobs = (0..<100).map { _ in
      Task.detached(executorPreference: ChildProcess.executor) {
        while !isOver.value { await Task.yield() }
      }
    }
    let recorder = Recorder()
    #expect(try await run(shell("seq 1 50000; exit 3"), recorder) == .exited(code: 3))
    #expect(recorder.text().count == 50_000)
    let child = try await ChildProcess.spawn(shell("exec sleep 60"), onOutput: recorder.take)
    child.terminate(grace: .seconds(10))
    #expect(await child.end() == .signalled(signal: SIGTERM))
    isOver.withLock { $0 = true }
    for job in jobs { await job.value }
  }

  @Test func `a task on the executor can be cancelled and can wait for others`()
    async throws
  {
    let task = Task.detached(executorPreference: ChildProcess.executor) {
      let child = try await ChildProcess.spawn(shell("exec sleep 60"), onOutput: Recorder().take)
      return await withTaskCancellationHandler {
        await child.end()
      } onCancel: {
        child.kill()
      }
    }
    task.cancel()
    #expect(try await task.value == .signalled(signal: SIGKILL))
  }
}
