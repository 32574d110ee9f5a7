// `HostPool`: serves many attempts of an engine over one connection. The far side.

package import ChildProcesses
import Platform
import Reprise
import Synchronization

/// A pool of attempts on this machine, for an engine that may be elsewhere.
///
/// The engine sends requests, and the pool sends replies and news; see ``PoolRequest``. When the
/// connection ends, or nothing was heard for a while, attempts go on for the time that the engine
/// asked for, so that it can connect again; then they are stopped.
package final class HostPool: Sendable {
  private struct State {
    var attempts: [AttemptToken: HostedAttempt] = [:]
    /// Whether the attempts look around regularly.
    var isWatching = false
    var isClosed = false
    var lastHeard = SystemClock().now
    var patience = Duration.seconds(30)
  }

  private let root: String
  private let host: String
  private let send: @Sendable ([UInt8]) -> Void
  private let claims: KeptDescriptors?
  private let late = LateSync()
  private let state = Mutex(State())
  /// Held while a message is sent: parts of two large ones would mix.
  private let sending = Mutex(())

  /// Creates a pool.
  ///
  /// - Parameters:
  ///   - root: The folder for the records of attempts.
  ///   - host: The name of this machine.
  ///   - claims: Where the guardian of this process holds claims and other locks until nothing is left
  ///     of attempts.
  ///   - send: Sends bytes to the engine, on any thread, but never on two at once; must not block
  ///     for long.
  package init(
    attempts root: String, on host: String, claims: KeptDescriptors? = nil,
    send: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.root = root
    self.host = host
    self.claims = claims
    self.send = send
  }

  /// Creates the pool of a kept place, which no engine is connected to.
  package convenience init(place: AttemptFolder, on host: String, claims: KeptDescriptors?) {
    self.init(attempts: KeptPlace.poolPath(in: place.path), on: host, claims: claims) { _ in }
  }

  /// Handles one line of the engine.
  package func receive(_ line: [UInt8]) {
    guard let request = PoolRequest(json: line) else { return }
    state.withLock { $0.lastHeard = SystemClock().now }
    let token = request.token.flatMap { AttemptToken($0) }
    var reply = PoolMessage(id: request.id)
    switch (request.request, token) {
    case (.hello, _):
      if let patience = request.patience { state.withLock { $0.patience = .seconds(patience) } }
      reply.host = host
    case (.begin, let token?):
      guard let attempt = accepted(request.spec, token, &reply) else { break }
      // One message: srun holds a second piece back until the first one is acknowledged.
      reply.carry(.started(host: host), of: token, next: OutputMark())
      return send(reply, whileBeginning: { run(attempt, token) })
    case (.look, let token?):
      return answer(reply) { [self] in
        let handle = handle(token)
        // An attempt of an earlier connection goes on as long as an engine asks for it.
        handle.folder.renewInterest()
        return try await handle.sight()
      }
    case (.follow, let token?):
      follow(token, from: request.offset ?? 0)
    case (.stop, let token?):
      let grace = request.grace ?? .zero
      if let attempt = state.withLock({ $0.attempts[token] }) {
        attempt.stop(grace: grace)
      } else {
        Task { [self] in try? await handle(token).stop(grace: grace) }
      }
    case (.abandon, let token?):
      Task { [self] in try? await handle(token).abandon() }
    case (.remove, _):
      return removeRecords(of: request.run.flatMap { RunID($0) }, reply)
    case (_, nil):
      reply.refused = "a token is missing or invalid"
    }
    send(reply)
  }

  /// The number of times that records are removed again, since a host may be about to end.
  private static let removalsMax = 20

  private func removeRecords(of run: RunID?, _ reply: PoolMessage) {
    Task { [self] in
      for _ in 0..<Self.removalsMax {
        guard let run, !AttemptFolder.removeAll(of: run, in: root) else { break }
        try? await SystemClock().sleep(for: HostedAttempt.lookInterval)
      }
      send(reply)
    }
  }

  /// Stops everything soon, unless another connection asks for it.
  package func connectionEnded() {
    state.withLock { $0.isClosed = true }
  }

  /// Stops all attempts now.
  package func stopAll() {
    for attempt in state.withLock({ Array($0.attempts.values) }) { attempt.stop() }
  }

  /// Begins the attempts whose folders are there, and which no host has; they go on without a connection.
  package func beginSubmitted() {
    state.withLock { state in
      state.isClosed = true
      state.patience = .seconds(1 << 31)
    }
    for name in FolderReader.names(in: root) {
      let folder = AttemptFolder(path: root + "/" + name)
      guard let token = AttemptToken(name), folder.isSubmitted,
        !mayAccess(folder.claimPath, .existence)
      else { continue }
      var reply = PoolMessage()
      if let attempt = accepted(nil, token, &reply) { run(attempt, token) }
    }
  }

  /// Whether no attempt is left, and all results are on the disk.
  package var isIdle: Bool { state.withLock { $0.attempts.isEmpty } && late.isIdle }

  /// Returns an attempt that this pool must run; nil if the reply says why not, or it was begun before.
  ///
  /// Without a specification, it is in the folder.
  private func accepted(
    _ spec: AttemptSpec?, _ token: AttemptToken, _ reply: inout PoolMessage
  ) -> HostedAttempt? {
    let folder = AttemptFolder(of: token, in: root)
    do throws(Errno) {
      try makeFolderTree(root)
      try folder.make()
    } catch {
      reply.refused = "cannot create \(folder.path): \(error)"
      return nil
    }
    do throws(HostedAttempt.Refusal) {
      let attempt = try HostedAttempt(
        folder, on: host, spec: spec, late: late
      ) { [self] news, mark in
        send(news, of: token, next: mark)
      }
      state.withLock { $0.attempts[token] = attempt }
      return attempt
    } catch {
      switch error {
      case .claimed:
        // Begun before, by this engine: its news are asked for.
        follow(token, from: 0)
      case .unreadable(let text): reply.refused = text
      }
      return nil
    }
  }

  private func run(_ attempt: HostedAttempt, _ token: AttemptToken) {
    let held = [attempt.claimDescriptor] + attempt.lockDescriptors
    let kept = held.compactMap { claims?.keep($0) }
    attempt.lookAround()
    watchAttempts()
    Task { [self] in
      _ = await attempt.run { self.state.withLock { !$0.isClosed } }
      for copy in kept { claims?.release(copy) }
      _ = state.withLock { $0.attempts.removeValue(forKey: token) }
    }
  }

  /// The number of looks after the last attempt, so that short steps in a row share a watch.
  private static let idleLooksMax = 20

  /// Has all attempts look around regularly: one timer, as each takes as long as a short step.
  private func watchAttempts() {
    let isNew = state.withLock { state in
      defer { state.isWatching = true }
      return !state.isWatching
    }
    guard isNew else { return }
    Task { [self] in
      var idleLooks = 0
      while true {
        try? await SystemClock().sleep(for: HostedAttempt.lookInterval)
        let attempts = state.withLock { Array($0.attempts.values) }
        for attempt in attempts { attempt.lookAround { isWanted(attempt) } }
        idleLooks = attempts.isEmpty ? idleLooks + 1 : 0
        guard idleLooks > Self.idleLooksMax else { continue }
        let isOver = state.withLock { state in
          state.isWatching = !state.attempts.isEmpty
          return !state.isWatching
        }
        if isOver { return }
      }
    }
  }

  /// Whether an engine has given a sign of life within its patience.
  private func isWanted(_ attempt: HostedAttempt) -> Bool {
    let (lastHeard, patience) = state.withLock { ($0.lastHeard, $0.patience) }
    let now = SystemClock().now
    // Another pool may serve the engine that has come back. Its sign is a time of a file, which is only
    // compared with itself: the clock of runs does not follow when that of the machine is set.
    let hasSign = !attempt.interest.isStale(attempt.folder.interestTime, at: now, after: patience)
    return hasSign || now - lastHeard < patience
  }

  private func follow(_ token: AttemptToken, from offset: Int64) {
    Task { [self] in
      let handle = handle(token)
      do {
        for try await item in handle.news(from: OutputMark(offset: offset)) {
          handle.folder.renewInterest()
          send(item.news, of: token, next: item.next)
        }
      } catch {
        send(.outOfSight(String(describing: error)), of: token, next: OutputMark(offset: offset))
      }
    }
  }

  private func handle(_ token: AttemptToken) -> FolderHandle {
    FolderHandle(
      folder: AttemptFolder(of: token, in: root), token: token, site: PoolSite(),
      clock: SystemClock())
  }

  private func answer(
    _ reply: PoolMessage, _ sight: @escaping @Sendable () async throws -> AttemptSight
  ) {
    Task { [self] in
      var reply = reply
      do {
        reply.sight = CodedSight(try await sight())
      } catch {
        reply.cannotAsk = String(describing: error)
      }
      send(reply)
    }
  }

  private func send(_ news: AttemptNews, of token: AttemptToken, next: OutputMark) {
    var message = PoolMessage()
    message.carry(news, of: token, next: next)
    send(message)
  }

  /// Sends a message.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - begin: Begins something whose messages come after this one, so that it need not wait for
  ///     it; must not itself send.
  private func send(_ message: PoolMessage, whileBeginning begin: () -> Void = {}) {
    let bytes = Array((message.json + "\n").utf8)
    func deliver() {
      begin()
      // Without a connection, no one reads; a pipe that is full would block.
      if state.withLock({ $0.isClosed }) { return }
      send(bytes)
    }
    sending.withLock { _ in deliver() }
  }
}

/// Attempts of this machine that are known only by their folders.
private struct PoolSite: AttemptSite {
  let name = "the pool"
  let isThisMachine = true

  func submit(
    _ spec: AttemptSpec, _ token: AttemptToken, _ folder: AttemptFolder
  ) async throws(RunnerFailure) -> String {
    throw .refused("a pool submits nothing")
  }

  func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight { .absent }
}
