// `PoolRunner`: a runner whose attempts are in a pool at the other end of a kept connection.

package import ChildProcesses
import Platform
package import Reprise
import Synchronization

/// A runner that talks with `reprise host --pool` through a program such as ssh.
///
/// One connection serves all attempts. When it breaks, attempts are out of sight until a new one
/// finds them again; the far side stops them if none comes.
package final class PoolRunner: Runner {
  /// Attempts go on for a while, and are adopted within it; later they have been stopped.
  package var survivesEngine: Bool { true }

  private let connection: PoolConnection

  /// Creates a runner; connects at its first use.
  ///
  /// - Parameters:
  ///   - title: The name of the far side, for messages.
  ///   - patience: How long attempts go on there without a sign of life.
  ///   - connect: Starts the program that connects; may prepare the far side first.
  package init(
    _ title: String, patience: Duration,
    connect: @escaping @Sendable () async throws(RunnerFailure) -> ConnectedProgram
  ) {
    connection = PoolConnection(title: title, patience: patience, connect: connect)
  }

  package func begin(
    _ spec: AttemptSpec, token: AttemptToken
  ) async throws(RunnerFailure) -> any RunnerHandle {
    try await begin(token, sending: spec)
  }

  /// Begins an attempt; see ``begin(_:token:)``.
  ///
  /// - Parameters:
  ///   - token: The token of the attempt.
  ///   - spec: What to run; nil if it is in the folder of the attempt, so that the request is short:
  ///     srun passes on pieces of 1,024 bytes, and takes 40 ms for each but the first.
  /// - Returns: The attempt.
  /// - Throws: As ``begin(_:token:)``.
  func begin(
    _ token: AttemptToken, sending spec: AttemptSpec?
  ) async throws(RunnerFailure) -> any RunnerHandle {
    let inbox = await connection.inbox(of: token, isNew: true)
    var request = PoolRequest(request: .begin, id: 0)
    request.token = token.text
    request.spec = spec
    _ = try await connection.ask(request)
    return PoolHandle(token: token, connection: connection, fresh: inbox)
  }

  package func find(
    _ token: AttemptToken
  ) async throws(RunnerFailure) -> (any RunnerHandle)? {
    if case .gone? = try await look([token])[token] { return nil }
    return PoolHandle(token: token, connection: connection, fresh: nil)
  }

  package func look(
    _ tokens: [AttemptToken]
  ) async throws(RunnerFailure) -> [AttemptToken: AttemptSight] {
    var sights: [AttemptToken: AttemptSight] = [:]
    for token in tokens {
      var request = PoolRequest(request: .look, id: 0)
      request.token = token.text
      sights[token] = try await connection.ask(request).sight?.sight ?? .unknown("no answer")
    }
    return sights
  }
}

/// An attempt in a pool.
private struct PoolHandle: RunnerHandle {
  let token: AttemptToken
  let connection: PoolConnection
  /// The news since the begin of the attempt, on the connection that has begun it.
  let fresh: PoolInbox?
  private let end = KnownEnd()

  init(token: AttemptToken, connection: PoolConnection, fresh: PoolInbox?) {
    self.token = token
    self.connection = connection
    self.fresh = fresh
  }

  func news(from mark: OutputMark) -> AsyncThrowingStream<MarkedNews, any Error> {
    let (token, connection) = (token, connection)
    let known = mark.offset == 0 ? fresh : nil
    let source = PoolNews(end) {
      if let known, !known.isSpent { return known }
      let inbox = await connection.inbox(of: token, isNew: true)
      var request = PoolRequest(request: .follow, id: 0)
      request.token = token.text
      request.offset = mark.offset
      _ = try await connection.ask(request)
      return inbox
    }
    return AsyncThrowingStream { try await source.next() }
  }

  func stop(grace: Duration) async throws(RunnerFailure) {
    var request = PoolRequest(request: .stop, id: 0)
    request.token = token.text
    request.grace = grace
    _ = try await connection.ask(request)
  }

  func isGone() async throws(RunnerFailure) -> Bool {
    // The pool reports the end when nothing of the attempt is left there.
    if end.isKnown { return true }
    var request = PoolRequest(request: .look, id: 0)
    request.token = token.text
    switch try await connection.ask(request).sight?.sight {
    case .ended, .gone: return true
    case .queued, .running, .unknown, nil: return false
    }
  }

  func abandon() async throws(RunnerFailure) {
    var request = PoolRequest(request: .abandon, id: 0)
    request.token = token.text
    _ = try await connection.ask(request)
  }
}

/// Whether the end of an attempt has been reported.
private final class KnownEnd: Sendable {
  private let state = Mutex(false)

  var isKnown: Bool { state.withLock { $0 } }

  func note() { state.withLock { $0 = true } }
}

/// Opens an inbox at the first use, and passes on what arrives there.
private actor PoolNews {
  private let end: KnownEnd
  private let open: @Sendable () async throws -> PoolInbox
  private var inbox: PoolInbox?

  init(_ end: KnownEnd, open: @escaping @Sendable () async throws -> PoolInbox) {
    self.end = end
    self.open = open
  }

  func next() async throws -> MarkedNews? {
    let inbox: PoolInbox
    if let known = self.inbox { inbox = known } else { inbox = try await open() }
    self.inbox = inbox
    let item = try await inbox.next()
    if case .ended? = item?.news { end.note() }
    return item
  }
}

/// The news of one attempt that have arrived and were not taken yet.
private final class PoolInbox: Sendable {
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

/// The connection to a pool, which is made at its first use and again after it has broken.
private actor PoolConnection {
  private struct Link {
    let program: ConnectedProgram
    let number: Int
  }

  private static let answerTimeMax = Duration.seconds(20)

  private let title: String
  private let patience: Duration
  private let connect: @Sendable () async throws(RunnerFailure) -> ConnectedProgram
  private var link: Link?
  private var linkCount = 0
  private var connecting: Task<Result<Void, RunnerFailure>, Never>?
  private var nextID = 1
  private var waiting: [Int: CheckedContinuation<Result<PoolMessage, RunnerFailure>, Never>] = [:]
  private var inboxes: [String: PoolInbox] = [:]

  init(
    title: String, patience: Duration,
    connect: @escaping @Sendable () async throws(RunnerFailure) -> ConnectedProgram
  ) {
    self.title = title
    self.patience = patience
    self.connect = connect
  }

  deinit { link?.program.end() }

  /// Returns where the news of an attempt arrive.
  func inbox(of token: AttemptToken, isNew: Bool) -> PoolInbox {
    if !isNew, let known = inboxes[token.text] { return known }
    let inbox = PoolInbox()
    inboxes[token.text] = inbox
    return inbox
  }

  /// Sends a request and waits for its reply.
  func ask(_ request: PoolRequest) async throws(RunnerFailure) -> PoolMessage {
    if link == nil { try await makeLink() }
    let reply = try await exchange(request).get()
    if let text = reply.refused { throw .refused(text) }
    if let text = reply.cannotAsk { throw .cannotAsk(text) }
    return reply
  }

  private func makeLink() async throws(RunnerFailure) {
    let task = connecting ?? Task { await self.newLink() }
    connecting = task
    let result = await task.value
    connecting = nil
    try result.get()
  }

  private func newLink() async -> Result<Void, RunnerFailure> {
    guard link == nil else { return .success(()) }
    let program: ConnectedProgram
    do throws(RunnerFailure) {
      program = try await connect()
    } catch {
      return .failure(error)
    }
    linkCount += 1
    let number = linkCount
    link = Link(program: program, number: number)
    // One task takes all messages: tasks of their own would come in any order.
    let (arrivals, arrived) = AsyncStream.makeStream(of: [PoolMessage].self)
    let lines = PoolLines()
    program.receive { bytes in
      let messages = lines.messages(in: bytes)
      if !messages.isEmpty { arrived.yield(messages) }
    } onEnd: {
      arrived.finish()
    }
    Task { [weak self] in
      for await messages in arrivals { await self?.take(messages) }
      await self?.broken(number)
    }
    var hello = PoolRequest(request: .hello, id: 0)
    hello.patience = Double(patience.components.seconds)
    let answer = await exchange(hello)
    guard case .success = answer else {
      return answer.map { _ in }
    }
    keepAlive(number)
    return .success(())
  }

  /// Says from time to time that this engine is alive.
  private func keepAlive(_ number: Int) {
    Task { [weak self] in
      while true {
        try? await SystemClock().sleep(for: .seconds(3))
        guard let self, await self.isCurrent(number) else { return }
        _ = await self.exchange(PoolRequest(request: .hello, id: 0))
      }
    }
  }

  private func isCurrent(_ number: Int) -> Bool { link?.number == number }

  private func exchange(_ request: PoolRequest) async -> Result<PoolMessage, RunnerFailure> {
    guard let link else { return .failure(.cannotAsk("there is no connection to \(title)")) }
    var request = request
    request.id = nextID
    nextID += 1
    let id = request.id
    let line = Array((request.json + "\n").utf8)
    let timer = Task {
      guard (try? await SystemClock().sleep(for: Self.answerTimeMax)) != nil else { return }
      self.timedOut(id)
    }
    defer { timer.cancel() }
    return await withCheckedContinuation { continuation in
      waiting[id] = continuation
      link.program.send(line)
    }
  }

  private func timedOut(_ id: Int) {
    guard let continuation = waiting.removeValue(forKey: id) else { return }
    continuation.resume(returning: .failure(.cannotAsk("\(title) does not answer")))
    // What does not answer is as good as broken.
    link?.program.end()
  }

  private func take(_ messages: [PoolMessage]) {
    for message in messages {
      if let id = message.id, let continuation = waiting.removeValue(forKey: id) {
        continuation.resume(returning: .success(message))
      } else if let token = message.token, let news = message.news?.news {
        inboxes[token]?.add(MarkedNews(news, next: OutputMark(offset: message.next ?? 0)))
        if case .ended = news { inboxes[token] = nil }
      }
    }
    // What is sent carries an acknowledgement of what has arrived. Without it, srun holds the next
    // piece back until the system acknowledges by itself, 40 ms later (Nagle's algorithm, RFC 896).
    // After an end, the next request does so.
    let isMoreExpected = messages.contains { $0.news.map { $0.result == nil } ?? false }
    if isMoreExpected { link?.program.send(Self.emptyLine) }
  }

  private static let emptyLine: [UInt8] = [0x0A]

  private func broken(_ number: Int) {
    guard link?.number == number else { return }
    link = nil
    let text = "the connection to \(title) has ended"
    for continuation in waiting.values {
      continuation.resume(returning: .failure(.cannotAsk(text)))
    }
    waiting = [:]
    for inbox in inboxes.values { inbox.fail(text) }
    inboxes = [:]
  }
}

/// Splits what arrives from a pool into messages; used on one thread.
private final class PoolLines: Sendable {
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
