// Listens for those who want to steer or see a live run. What one of them asks for is carried out in
// ControlConnection.

import Dispatch
import Platform
import Reprise
import Synchronization

/// What the clients of a socket may take of a process.
struct ControlLimits: Sendable {
  /// How many are connected at most.
  var clients = 128
  /// How long one may take until its first request.
  var silence = DispatchTimeInterval.seconds(10)
  /// How long one that reads nothing is waited for.
  var patience = DispatchTimeInterval.seconds(10)
  /// How long those that are attached may take to read the last events.
  var farewell = DispatchTimeInterval.seconds(2)
}

/// Serves one run at one socket.
///
/// All clients are served on one queue, so that none of them costs a thread; one that does not read delays
/// no other, and is disconnected after ten seconds. So is one that asks for nothing for so long. At most 128 are
/// connected: then the one that has been silent for the longest time makes room, unless it is attached.
package final class ControlServer: Sendable {
  private struct State {
    var isClosed = false
    var clients: [ObjectIdentifier: ControlConnection] = [:]
    var waiting = Waiters()
  }

  private let path: String
  private let listening: Int32
  private let target: any ControlTarget
  private let limits: ControlLimits
  private let state = Mutex(State())
  private let source = Mutex<EventSource?>(nil)
  private let queue = DispatchQueue(label: "reprise.control")

  /// Listens at a path, which the caller must have for itself.
  ///
  /// - Parameters:
  ///   - path: Where; what is there is replaced.
  ///   - target: What is served.
  /// - Throws: ``ControlError``.
  package convenience init(
    at path: String, serving target: any ControlTarget
  ) throws(ControlError) {
    try self.init(at: path, serving: target, limits: ControlLimits())
  }

  init(
    at path: String, serving target: any ControlTarget, limits: ControlLimits
  ) throws(ControlError) {
    self.path = path
    self.limits = limits
    listening = try listeningSocket(at: path)
    self.target = target
    let accepting = DispatchSource.makeReadSource(fileDescriptor: listening, queue: queue)
    let source = EventSource(accepting) { [weak self] in self?.accept(atMost: Self.acceptedAtOnce) }
    self.source.withLock { $0 = source }
  }

  deinit {
    closeDescriptor(listening)
  }

  /// Stops listening, and waits until those who are attached have got the last event, or two seconds.
  ///
  /// What has been asked for until now is answered.
  package func finish() async {
    source.withLock { $0 }?.cancel()
    try? removeFile(path)
    queue.async { [self] in
      accept(atMost: limits.clients)
      for client in connected { client.finish() }
    }
    queue.asyncAfter(deadline: .now() + limits.farewell) { [self] in
      for client in connected { client.close() }
    }
    // In the order of the queue: those who are let in above belong to those who are waited for.
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    state.withLock { $0.isClosed = true }
    await state.wait(until: { $0.clients.isEmpty }, among: { $0.waiting.add($1) })
  }

  private var connected: [ControlConnection] { state.withLock { Array($0.clients.values) } }

  /// How many are let in before others are served: a client that connects without a pause must not keep requests from
  /// being read and descriptors from being closed, both of which happen on the same queue.
  private static let acceptedAtOnce = 16

  private func accept(atMost count: Int) {
    for _ in 0..<count {
      guard let descriptor = acceptedSocket(listening) else { return }
      admit(descriptor)
    }
  }

  private func admit(_ descriptor: Int32) {
    let client = ControlConnection(
      descriptor, target: target, queue: queue, patience: limits.patience
    ) { [weak self] client in self?.remove(client) }
    guard hasRoom() else {
      return client.refuse("\(limits.clients) others are attached to the run")
    }
    let isWelcome = state.withLock { state in
      if !state.isClosed { state.clients[ObjectIdentifier(client)] = client }
      return !state.isClosed
    }
    guard isWelcome else { return client.close() }
    client.start()
    queue.asyncAfter(deadline: .now() + limits.silence) { [weak client] in
      client?.closeUnlessHeard()
    }
  }

  /// Whether one more client can be served; the one that has been silent for the longest time may have to go.
  private func hasRoom() -> Bool {
    let connected = connected
    guard connected.count >= limits.clients else { return true }
    let silent = connected.filter(\.isIdle).min { $0.lastHeard < $1.lastHeard }
    silent?.close()
    return silent != nil
  }

  private func remove(_ client: ControlConnection) {
    let waiting = state.withLock { state in
      state.clients[ObjectIdentifier(client)] = nil
      return state.isClosed && state.clients.isEmpty ? state.waiting.takeAll() : Waiters()
    }
    waiting.wake()
  }
}
