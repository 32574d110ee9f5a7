// The server of a control socket: accepts and limits clients. `ControlConnection` serves each one.

import Dispatch
import Platform
import Reprise
import Synchronization

/// The limits for the clients of a control socket.
struct ControlLimits: Sendable {
  /// The maximum number of connected clients.
  var clients = 128
  /// The maximum time until a client's first request.
  var silence = DispatchTimeInterval.seconds(10)
  /// The maximum time that a client may read nothing while output is pending.
  var patience = DispatchTimeInterval.seconds(10)
  /// The maximum time for attached clients to read the last events.
  var farewell = DispatchTimeInterval.seconds(2)
}

/// Serves one run at one socket.
///
/// All clients are served on one queue, without a thread each. A client that does not read its
/// output, or sends no first request, is disconnected after ten seconds and never delays others. At
/// most 128 clients are connected; another one replaces the idle client that has been silent
/// longest.
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

  /// Starts listening at a path, which no other process may use.
  ///
  /// - Parameters:
  ///   - path: The path of the socket; an existing file is replaced.
  ///   - target: The run or watch to serve.
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

  /// Stops listening, and waits at most two seconds until attached clients have the last event.
  ///
  /// Requests received before the call are still answered.
  ///
  /// - Parameter removesFile: Whether the socket is removed. Not after the lock of its run was released:
  ///   it can be that of a process that has resumed the run since.
  package func finish(removesFile: Bool = true) async {
    source.withLock { $0 }?.cancel()
    if removesFile { try? removeFile(path) }
    queue.async { [self] in
      accept(atMost: limits.clients)
      for client in connected { client.finish() }
    }
    queue.asyncAfter(deadline: .now() + limits.farewell) { [self] in
      for client in connected { client.close() }
    }
    // Wait for the queue, so that the clients accepted above are waited for as well.
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    state.withLock { $0.isClosed = true }
    await state.wait(until: { $0.clients.isEmpty }, among: { $0.waiting.add($1) })
  }

  private var connected: [ControlConnection] { state.withLock { Array($0.clients.values) } }

  /// The maximum number of clients accepted before the queue does other work.
  ///
  /// A client that keeps connecting must not starve reading requests and closing descriptors, which
  /// happen on the same queue.
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
      return client.refuse("too many clients: \(limits.clients) are attached to the run")
    }
    let isAccepted = state.withLock { state in
      if !state.isClosed { state.clients[ObjectIdentifier(client)] = client }
      return !state.isClosed
    }
    guard isAccepted else { return client.close() }
    client.start()
    queue.asyncAfter(deadline: .now() + limits.silence) { [weak client] in
      client?.closeUnlessActive()
    }
  }

  /// Makes room for one more client, and returns whether there is room.
  ///
  /// May disconnect the idle client that has been silent longest.
  private func hasRoom() -> Bool {
    let connected = connected
    guard connected.count >= limits.clients else { return true }
    let silent = connected.filter(\.isIdle).min { $0.lastReceived < $1.lastReceived }
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
