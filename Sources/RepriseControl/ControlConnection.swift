// One client of a control socket: reads its requests, and writes replies and events.

import CombineOperators
import Dispatch
import Platform
import Reprise

/// A connected client.
///
/// All members must be called on the queue of the server, and never block it: the socket is read
/// when it is readable, and written to when it is writable.
final class ControlConnection: Sendable {
  private struct State {
    var reading: EventSource?
    /// Non-nil only while output is pending.
    var writing: EventSource?
    var subscription: AnyCancellable?
    var lines = LineSplitter(bytesMax: ControlConnection.requestBytesMax)
    var outgoing: [UInt8] = []
    /// Resumed when all pending output has been written.
    var written: [CheckedContinuation<Void, Never>] = []
    /// The number of bytes written, which grows while the client reads.
    var writtenCount = 0
    var pendingReplies = 0
    var lastReceived = ContinuousClock.now
    var hasSentRequest = false
    var isAttached = false
    /// Whether reading has stopped: end of input, protocol error, or end of the run.
    var isLast = false
    var isClosed = false
  }

  static let requestBytesMax = 1 << 16
  /// The maximum size of pending output: replies, and one event.
  private static let outgoingBytesMax = 4 << 20

  private let socket: Socket
  private let target: any ControlTarget
  private let queue: DispatchQueue
  private let patience: DispatchTimeInterval
  private let onEnd: @Sendable (ControlConnection) -> Void
  private let state = Locked(State())

  /// Takes ownership of a socket.
  ///
  /// - Parameters:
  ///   - descriptor: A nonblocking socket, which is closed after its last use.
  ///   - target: The target of requests.
  ///   - queue: The serial queue for all work.
  ///   - patience: The maximum time that the client may read nothing while output is pending.
  ///   - onEnd: Called once, when the connection is closed.
  init(
    _ descriptor: Int32, target: any ControlTarget, queue: DispatchQueue,
    patience: DispatchTimeInterval,
    onEnd: @escaping @Sendable (ControlConnection) -> Void
  ) {
    socket = Socket(descriptor)
    self.target = target
    self.queue = queue
    self.patience = patience
    self.onEnd = onEnd
  }

  /// Whether the connection can be closed without losing anything.
  var isIdle: Bool {
    state.withLock { !$0.isAttached && $0.pendingReplies == 0 && $0.outgoing.isEmpty }
  }

  /// The time when the client last sent something, or connected.
  var lastReceived: ContinuousClock.Instant { state.withLock { $0.lastReceived } }

  /// Starts reading requests.
  func start() {
    let source = socket.readSource(on: queue) { [weak self] in self?.read() }
    state.withLock { $0.reading = source }
  }

  /// Sends an error, and closes the connection without reading requests.
  func refuse(_ reason: String) {
    state.withLock { $0.isLast = true }
    write(line(NumberedReply(ControlReply.refused(reason), to: nil)))
  }

  /// Closes the connection unless the client has sent a request.
  func closeUnlessActive() {
    if !state.withLock({ $0.hasSentRequest }) { close() }
  }

  /// Serves the requests already received, and closes the connection after their replies.
  func finish() {
    read()
    state.withLock { $0.isLast = true }
    closeIfDone()
  }

  /// Closes the connection immediately.
  ///
  /// Idempotent.
  func close() {
    let closed = state.withLock { state -> State? in
      guard !state.isClosed else { return nil }
      let held = state
      state = State()
      state.isClosed = true
      return held
    }
    guard let closed else { return }
    closed.reading?.cancel()
    closed.writing?.cancel()
    closed.subscription?.cancel()
    shutDownSocket(socket.descriptor)
    for continuation in closed.written { continuation.resume() }
    onEnd(self)
  }

  // MARK: Reading

  private func read() {
    guard !state.withLock({ $0.isClosed || $0.isLast }) else { return }
    var chunk = [UInt8](repeating: 0, count: Self.requestBytesMax)
    let count: Int
    do throws(Errno) {
      count = try receiveBytes(socket.descriptor, into: &chunk)
    } catch {
      if error == .resourceTemporarilyUnavailable || error == .interrupted { return }
      return inputEnded()
    }
    guard count > 0 else { return inputEnded() }
    state.withLock { state in
      state.lines.append(chunk[..<count])
      state.lastReceived = .now
    }
    while let next = nextLine() { serve(next) }
  }

  private func nextLine() -> LineSplitter.Line? {
    state.withLock { $0.isClosed || $0.isLast ? nil : $0.lines.next() }
  }

  private func serve(_ received: LineSplitter.Line) {
    guard case .text(let text) = received else { return inputEnded() }
    let received = NumberedRequest<ControlRequest>(in: text)
    state.withLock { state in
      state.hasSentRequest = true
      state.pendingReplies += 1
    }
    switch received.request {
    case .success(.attach):
      switch target.controlEvents {
      case .success(let events):
        reply(.ok, to: received.id)
        attach(to: events)
      case .failure(let refusal): reply(.refused(refusal.description), to: received.id)
      }
    case .success(let request):
      target.carryOut(request, of: socket.peer) { [weak self, queue] answer in
        guard let self else { return }
        queue.async { self.reply(answer, to: received.id) }
      }
    case .failure(let error):
      // Close the connection after a protocol error, rather than guess where the next request is.
      state.withLock { $0.isLast = true }
      reply(.refused(error.description), to: received.id)
    }
  }

  /// Stops reading, and detaches the client.
  private func inputEnded() {
    let (reading, subscription) = state.withLock { state in
      state.isLast = true
      state.isAttached = false
      defer { (state.reading, state.subscription) = (nil, nil) }
      return (state.reading, state.subscription)
    }
    reading?.cancel()
    subscription?.cancel()
    closeIfDone()
  }

  private func closeIfDone() {
    let isDone = state.withLock {
      $0.isLast && !$0.isAttached && $0.pendingReplies == 0 && $0.outgoing.isEmpty
    }
    if isDone { close() }
  }

  // MARK: Writing

  private func reply(_ reply: ControlReply, to id: RequestID?) {
    state.withLock { $0.pendingReplies -= 1 }
    write(line(NumberedReply(reply, to: id)))
  }

  /// Writes events as fast as the client reads them, and closes the connection after the last one.
  private func attach(to events: RunEvents) {
    guard !state.withLock({ $0.isClosed || $0.isAttached }) else { return }
    state.withLock { $0.isAttached = true }
    let subscription = events.sinkOneByOne { [weak self] event in
      guard let self else { return }
      await withCheckedContinuation { continuation in
        self.queue.async { self.write(event, then: continuation) }
      }
    }
    state.withLock { $0.subscription = subscription }
  }

  private func write(_ event: Event, then continuation: CheckedContinuation<Void, Never>) {
    let isOpen = state.withLock { state in
      guard !state.isClosed else { return false }
      state.written.append(continuation)
      if case .runEnded = event.kind { (state.isAttached, state.isLast) = (false, true) }
      return true
    }
    isOpen
      ? write(line(SignalledEvent(event, stopSignal: target.stopSignal))) : continuation.resume()
  }

  private func write(_ bytes: [UInt8]) {
    let fits = state.withLock { state in
      guard !state.isClosed else { return true }
      state.outgoing += bytes
      return state.outgoing.count <= Self.outgoingBytesMax
    }
    fits ? flush() : close()
  }

  /// Writes as much as the socket accepts.
  private func flush() {
    let outgoing = state.withLock { $0.outgoing }
    var start = 0
    while start < outgoing.count {
      do throws(Errno) {
        start += try sendBytes(outgoing[start...], to: socket.descriptor)
      } catch {
        if error == .resourceTemporarilyUnavailable { break }
        if error != .interrupted { return close() }
      }
    }
    start == outgoing.count ? allWritten() : waitForRoom(after: start)
  }

  private func allWritten() {
    let (writing, written) = state.withLock { state in
      state.outgoing = []
      defer { (state.writing, state.written) = (nil, []) }
      return (state.writing, state.written)
    }
    writing?.cancel()
    for continuation in written { continuation.resume() }
    closeIfDone()
  }

  private func waitForRoom(after count: Int) {
    let (mustWait, total) = state.withLock { state in
      guard !state.isClosed else { return (false, 0) }
      state.outgoing.removeFirst(count)
      state.writtenCount += count
      return (state.writing == nil, state.writtenCount)
    }
    queue.asyncAfter(deadline: .now() + patience) { [weak self] in
      self?.closeIfUnread(since: total)
    }
    guard mustWait else { return }
    let source = socket.writeSource(on: queue) { [weak self] in self?.flush() }
    state.withLock { $0.writing = source }
  }

  private func closeIfUnread(since total: Int) {
    if state.withLock({ $0.writing != nil && $0.writtenCount == total }) { close() }
  }
}

/// A socket that is closed once neither its connection nor an event source uses it.
private final class Socket: Sendable {
  let descriptor: Int32
  /// The id of the process that has connected, if it is known.
  let peer: Int?

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    peer = peerProcess(of: descriptor).map(Int.init)
  }

  deinit {
    closeDescriptor(descriptor)
  }

  func readSource(on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) -> EventSource
  {
    EventSource(
      DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue), holding: self,
      handler: handler)
  }

  func writeSource(on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void)
    -> EventSource
  {
    EventSource(
      DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue), holding: self,
      handler: handler)
  }
}
