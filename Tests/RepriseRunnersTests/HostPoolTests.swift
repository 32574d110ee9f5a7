import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import RepriseRunners

/// The far side of a connection.
struct HostPoolTests {
  /// A connection on which the first message takes until another one comes, or no one does.
  private final class Slow: Sendable {
    private let state = Mutex((count: 0, isBusy: false, hasMixed: false))
    private let another = DispatchSemaphore(value: 0)

    var count: Int { state.withLock { $0.count } }
    var hasMixed: Bool { state.withLock { $0.hasMixed } }

    func send(_ bytes: [UInt8]) {
      let isFirst = state.withLock { state in
        state.count += 1
        if state.isBusy { state.hasMixed = true }
        if state.count == 1 { state.isBusy = true }
        return state.count == 1
      }
      guard isFirst else {
        another.signal()
        return
      }
      _ = another.wait(timeout: .now() + .milliseconds(200))
      state.withLock { $0.isBusy = false }
    }
  }

  @Test func `messages of several threads are sent one after the other`() async throws {
    let folder = try TemporaryFolder()
    let connection = Slow()
    let pool = HostPool(attempts: folder.path, on: "far") { connection.send($0) }
    for id in 1...2 {
      DispatchQueue.global().async {
        pool.receive(Array(PoolRequest(request: .hello, id: id).json.utf8))
      }
    }
    await expectEventually("both are sent") { connection.count == 2 }
    #expect(!connection.hasMixed)
  }
}
