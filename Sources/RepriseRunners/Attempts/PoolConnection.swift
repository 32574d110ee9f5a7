// `PoolConnection`: the connection of an engine to a pool of attempts.

import ChildProcesses
import Platform
import Reprise

/// The connection to a pool, which is made at its first use and again after it has broken.
actor PoolConnection {
  private struct Link {
    let program: ConnectedProgram
    let number: Int
    let madeAt: Timestamp
  }

  private typealias Expectation = CheckedContinuation<Result<Void, RunnerFailure>, Never>

  /// A request without a reply so far.
  private struct Question {
    let continuation: CheckedContinuation<Result<PoolMessage, RunnerFailure>, Never>
    let askedAt: Timestamp
  }

  /// The time after which a far side that does not reply is given up; checked with each sign of life.
  private static let answerTimeMax = Duration.seconds(20)
  /// The shortest time between two attempts to connect, for all attempts together.
  private static let connectPauseMin = Duration.seconds(1)
  /// The longest one, after many failures; shorter than the pauses of attempts.
  private static let connectPauseMax = Duration.seconds(15)
  /// A connection that has lived for this time was a good one.
  private static let goodTime = Duration.seconds(60)
  /// The time for the removal of records, which a far side need not know.
  private static let removalTimeMax = Duration.seconds(5)

  private let title: String
  private let patience: Duration
  private let acknowledges: Bool
  private let failure: @Sendable (String) -> RunnerFailure
  private let connect: @Sendable () async throws(RunnerFailure) -> ConnectedProgram
  private var link: Link?
  private var linkCount = 0
  private var isConnecting = false
  /// The last link that was ended since it did not reply.
  private var silentLink: Int?
  private var nextID = 1
  /// Those that wait for a connection, by number.
  private var expecting: [Int: Expectation] = [:]
  private var nextExpectation = 1
  private var waiting: [Int: Question] = [:]
  private var inboxes: [String: PoolInbox] = [:]
  /// Before this time no connection is made, for the reason of the last failure.
  private var notBefore: Timestamp?
  private var problem = RunnerFailure.neverBegun("")
  private var pause = GrowingDelay(from: .milliseconds(500))

  init(
    title: String, patience: Duration, acknowledges: Bool,
    failure: @escaping @Sendable (String) -> RunnerFailure,
    connect: @escaping @Sendable () async throws(RunnerFailure) -> ConnectedProgram
  ) {
    self.title = title
    self.patience = patience
    self.acknowledges = acknowledges
    self.failure = failure
    self.connect = connect
  }

  deinit { link?.program.end() }

  /// Whether there is a connection now.
  var isConnected: Bool { link != nil }

  /// Returns where the news of an attempt arrive.
  func inbox(of token: AttemptToken, isNew: Bool) -> PoolInbox {
    if !isNew, let known = inboxes[token.text] { return known }
    let inbox = PoolInbox()
    inboxes[token.text] = inbox
    return inbox
  }

  /// Sends a request and waits for its reply, at most about ``answerTimeMax``.
  ///
  /// - Throws: ``RunnerFailure/neverBegun(_:)`` or ``RunnerFailure/refused(_:)`` if nothing was sent,
  ///   since there is no connection.
  func ask(_ request: PoolRequest) async throws(RunnerFailure) -> PoolMessage {
    if link == nil { try await makeLink() }
    let reply = try await exchange(request).get()
    if let text = reply.refused { throw .refused(text) }
    if let text = reply.cannotAsk { throw .cannotAsk(text) }
    return reply
  }

  /// Removes the records of a run on the far side, if there is a connection.
  func removeRecords(of run: RunID) async {
    guard link != nil else { return }
    var request = PoolRequest(request: .remove, id: 0)
    request.run = run.description
    let removal = Task { [request] in await exchange(request) }
    let timer = Task {
      guard (try? await SystemClock().sleep(for: Self.removalTimeMax)) != nil else { return }
      removal.cancel()
    }
    _ = await removal.value
    timer.cancel()
  }

  /// Waits for a connection, which all that ask share.
  private func makeLink() async throws(RunnerFailure) {
    if !isConnecting {
      if let notBefore, SystemClock().now < notBefore { throw problem }
      isConnecting = true
      Task {
        let result = await newLink()
        connected(result)
      }
    }
    let id = nextExpectation
    nextExpectation += 1
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: Expectation) in
        if Task.isCancelled {
          continuation.resume(returning: .failure(.neverBegun("there is no connection yet")))
        } else {
          expecting[id] = continuation
        }
      }
    } onCancel: {
      Task { await self.stopExpecting(id) }
    }
    try result.get()
  }

  private func stopExpecting(_ id: Int) {
    expecting.removeValue(forKey: id)?
      .resume(returning: .failure(.neverBegun("there is no connection yet")))
  }

  private func connected(_ result: Result<Void, RunnerFailure>) {
    isConnecting = false
    if case .failure(let failure) = result { delayNext(failure) }
    let all = expecting.values
    expecting = [:]
    for continuation in all { continuation.resume(returning: result) }
  }

  /// Lets some time pass until the next connection is made.
  private func delayNext(_ failure: RunnerFailure) {
    problem = failure
    let time = max(Self.connectPauseMin, pause.next(upTo: Self.connectPauseMax))
    notBefore = SystemClock().now.advanced(by: time)
  }

  private func newLink() async -> Result<Void, RunnerFailure> {
    let program: ConnectedProgram
    do throws(RunnerFailure) {
      program = try await connect()
    } catch {
      return .failure(error)
    }
    linkCount += 1
    let number = linkCount
    link = Link(program: program, number: number, madeAt: SystemClock().now)
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
    guard case .failure(let broken) = await exchange(hello) else { return .success(()) }
    // A program that was ended here has not said why: its last line may be a greeting.
    let complaint = silentLink == number ? "" : program.complaint
    return .failure(
      complaint.isEmpty ? .neverBegun(broken.description) : failure("\(title): \(complaint)"))
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
    guard let link else { return .failure(.neverBegun("there is no connection to \(title)")) }
    var request = request
    request.id = nextID
    nextID += 1
    let id = request.id
    let line = Array((request.json + "\n").utf8)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting[id] = Question(continuation: continuation, askedAt: SystemClock().now)
        link.program.send(line)
        if Task.isCancelled { giveUp(id) }
      }
    } onCancel: {
      Task { await self.giveUp(id) }
    }
  }

  private func giveUp(_ id: Int) {
    let question = waiting.removeValue(forKey: id)
    question?.continuation.resume(
      returning: .failure(.cannotAsk("\(title) has not answered yet")))
  }

  private func timedOut(_ id: Int) {
    guard let question = waiting.removeValue(forKey: id) else { return }
    question.continuation.resume(returning: .failure(.cannotAsk("\(title) does not answer")))
    // What does not answer is as good as broken.
    silentLink = link?.number
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
    guard let ended = link, ended.number == number else { return }
    link = nil
    let complaint = ended.program.complaint
    let text =
      "the connection to \(title) has ended" + (complaint.isEmpty ? "" : ": \(complaint)")
    if SystemClock().now - ended.madeAt > Self.goodTime {
      pause = GrowingDelay(from: .milliseconds(500))
    }
    // A failed greeting is reported where the connection is expected. After one that has succeeded, the
    // settings are right, so the last line is not the reason.
    if !isConnecting { delayNext(.neverBegun(text)) }
    for question in waiting.values {
      question.continuation.resume(returning: .failure(.cannotAsk(text)))
    }
    waiting = [:]
    for inbox in inboxes.values { inbox.fail(text) }
    inboxes = [:]
  }
}
