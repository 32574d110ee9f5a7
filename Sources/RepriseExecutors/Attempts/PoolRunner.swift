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
  ///   - acknowledges: Whether the program holds back small pieces until the last one is
  ///     acknowledged, so that news are answered with an empty line.
  ///   - connect: Starts the program that connects; may prepare the far side first.
  package init(
    _ title: String, patience: Duration, acknowledges: Bool = false,
    connect: @escaping @Sendable () async throws(RunnerFailure) -> ConnectedProgram
  ) {
    connection = PoolConnection(
      title: title, patience: patience, acknowledges: acknowledges, connect: connect)
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

/// The connection to a pool, which is made at its first use and again after it has broken.
private actor PoolConnection {
  private struct Link {
    let program: ConnectedProgram
    let number: Int
  }

  /// A request without a reply so far.
  private struct Question {
    let continuation: CheckedContinuation<Result<PoolMessage, RunnerFailure>, Never>
    let askedAt: Timestamp
  }

  /// The time after which a far side that does not reply is given up, looked at with each sign of life.
  private static let answerTimeMax = Duration.seconds(20)

  private let title: String
  private let patience: Duration
  private let acknowledges: Bool
  private let connect: @Sendable () async throws(RunnerFailure) -> ConnectedProgram
  private var link: Link?
  private var linkCount = 0
  private var connecting: Task<Result<Void, RunnerFailure>, Never>?
  private var nextID = 1
  private var waiting: [Int: Question] = [:]
  private var inboxes: [String: PoolInbox] = [:]

  init(
    title: String, patience: Duration, acknowledges: Bool,
    connect: @escaping @Sendable () async throws(RunnerFailure) -> ConnectedProgram
  ) {
    self.title = title
    self.patience = patience
    self.acknowledges = acknowledges
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

  /// Sends a request and waits for its reply, at most about ``answerTimeMax``.
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
    keepAlive(number)
    var hello = PoolRequest(request: .hello, id: 0)
    hello.patience = Double(patience.components.seconds)
    let answer = await exchange(hello)
    guard case .success = answer else {
      return answer.map { _ in }
    }
    return .success(())
  }

  /// Says from time to time that this engine is alive, and expects the same of the far side.
  private func keepAlive(_ number: Int) {
    Task { [weak self] in
      while await self?.isCurrent(number) == true {
        try? await SystemClock().sleep(for: .seconds(3))
        await self?.sayHello(on: number)
      }
    }
  }

  private func isCurrent(_ number: Int) -> Bool { link?.number == number }

  private func sayHello(on number: Int) {
    guard isCurrent(number) else { return }
    let now = SystemClock().now
    for (id, question) in waiting where now - question.askedAt > Self.answerTimeMax {
      timedOut(id)
    }
    Task { await self.exchange(PoolRequest(request: .hello, id: 0)) }
  }

  private func exchange(_ request: PoolRequest) async -> Result<PoolMessage, RunnerFailure> {
    guard let link else { return .failure(.cannotAsk("there is no connection to \(title)")) }
    var request = request
    request.id = nextID
    nextID += 1
    let id = request.id
    let line = Array((request.json + "\n").utf8)
    return await withCheckedContinuation { continuation in
      waiting[id] = Question(continuation: continuation, askedAt: SystemClock().now)
      link.program.send(line)
    }
  }

  private func timedOut(_ id: Int) {
    guard let question = waiting.removeValue(forKey: id) else { return }
    question.continuation.resume(returning: .failure(.cannotAsk("\(title) does not answer")))
    // What does not answer is as good as broken.
    link?.program.end()
  }

  private func take(_ messages: [PoolMessage]) {
    for message in messages {
      if let token = message.token, let news = message.news?.news {
        inboxes[token]?.add(MarkedNews(news, next: OutputMark(offset: message.next ?? 0)))
        if case .ended = news { inboxes[token] = nil }
      }
      if let id = message.id, let question = waiting.removeValue(forKey: id) {
        question.continuation.resume(returning: .success(message))
      }
    }
    // What is sent carries an acknowledgement of what has arrived. Without it, srun holds the next
    // piece back until the system acknowledges by itself, 40 ms later (Nagle's algorithm, RFC 896).
    // After an end, the next request does so.
    guard acknowledges else { return }
    let isMoreExpected = messages.contains { $0.news.map { $0.result == nil } ?? false }
    if isMoreExpected { link?.program.send(Self.emptyLine) }
  }

  private static let emptyLine: [UInt8] = [0x0A]

  private func broken(_ number: Int) {
    guard link?.number == number else { return }
    link = nil
    let text = "the connection to \(title) has ended"
    for question in waiting.values {
      question.continuation.resume(returning: .failure(.cannotAsk(text)))
    }
    waiting = [:]
    for inbox in inboxes.values { inbox.fail(text) }
    inboxes = [:]
  }
}
