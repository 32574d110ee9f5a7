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

  /// Without an engine, the far side stops attempts after this time.
  package let orphanAfter: Duration?

  private let connection: PoolConnection

  /// Creates a runner; connects at its first use.
  ///
  /// - Parameters:
  ///   - title: The name of the far side, for messages.
  ///   - patience: How long attempts go on there without a sign of life.
  ///   - acknowledges: Whether the program holds back small pieces until the last one is
  ///     acknowledged, so that news are answered with an empty line.
  ///   - failure: What a connection that was not made means, by the last line of the program.
  ///   - connect: Starts the program that connects; may prepare the far side first.
  package init(
    _ title: String, patience: Duration, acknowledges: Bool = false,
    failure: @escaping @Sendable (String) -> RunnerFailure = { .neverBegun($0) },
    connect: @escaping @Sendable () async throws(RunnerFailure) -> ConnectedProgram
  ) {
    orphanAfter = patience
    connection = PoolConnection(
      title: title, patience: patience, acknowledges: acknowledges, failure: failure,
      connect: connect)
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

  /// Removes what is recorded of a run on the far side, if it can be reached now.
  package func release(_ run: RunID) async -> String? {
    await connection.removeRecords(of: run)
    return nil
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

  /// What the far side cannot be asked for now, it stops by itself.
  func abandon() async throws(RunnerFailure) {
    guard await connection.isConnected else { return }
    var request = PoolRequest(request: .abandon, id: 0)
    request.token = token.text
    _ = try? await connection.ask(request)
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
