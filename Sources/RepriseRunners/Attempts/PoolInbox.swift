// What arrives from a pool: split into messages, and the news of each attempt until they are taken.

import Reprise
import Synchronization

/// The news of one attempt that have arrived and were not taken yet.
final class PoolInbox: Sendable {
  private enum Item {
    case news(MarkedNews)
    case broken(String)
  }

  private struct State {
    var items: [Item] = []
    var waiting: CheckedContinuation<Void, Never>?
    var isSpent = false
  }

  private let state = Mutex(State())

  /// Whether the connection has ended, or its news were read once.
  var isSpent: Bool { state.withLock { $0.isSpent } }

  func add(_ news: MarkedNews) { add(.news(news)) }

  func fail(_ text: String) { add(.broken(text)) }

  private func add(_ item: Item) {
    let waiting = state.withLock { state in
      state.items.append(item)
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  func next() async throws -> MarkedNews? {
    while true {
      let item = state.withLock { state -> Item? in
        guard !state.items.isEmpty else { return nil }
        state.isSpent = true
        return state.items.removeFirst()
      }
      switch item {
      case .news(let news): return news
      case .broken(let text): throw RunnerFailure.cannotAsk(text)
      case nil: await waitForMore()
      }
    }
  }

  private func waitForMore() async {
    await withCheckedContinuation { continuation in
      let mayGoOn = state.withLock { state in
        guard state.items.isEmpty else { return true }
        state.waiting = continuation
        return false
      }
      if mayGoOn { continuation.resume() }
    }
  }
}

/// Splits what arrives from a pool into messages; used on one thread.
final class PoolLines: Sendable {
  private let rest = Mutex<[UInt8]>([])

  func messages(in bytes: [UInt8]) -> [PoolMessage] {
    rest.withLock { rest in
      rest += bytes
      guard let end = rest.lastIndex(of: 0x0A) else { return [] }
      let lines = rest[...end].split(separator: 0x0A)
      // The first lines may be a greeting of the far side's shell.
      let messages = lines.compactMap { PoolMessage(json: Array($0)) }
      rest = Array(rest[(end + 1)...])
      return messages
    }
  }
}
