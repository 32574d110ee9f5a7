// One client of a control socket: what it asks for, and what is written to it. Knows no other clients.

import CombineOperators
import Dispatch
import Platform
import Reprise

/// A connected client.
///
/// All members are called on the queue of its server, and none blocks it: the socket is read when there is
/// something to read, and written to when there is room.
final class ControlConnection: Sendable {
  private struct State {
    var reading: EventSource?
    /// Only while something waits to be written.
    var writing: EventSource?
    var subscription: AnyCancellable?
    var lines = LineSplitter(bytesMax: ControlConnection.requestBytesMax)
    var outgoing: [UInt8] = []
    /// What waits until all has been written.
    var written: [CheckedContinuation<Void, Never>] = []
    /// How many bytes have been written: it grows while the client reads.
    var writtenCount = 0
    var pendingReplies = 0
    var lastHeard = ContinuousClock.now
    var hasAsked = false
    var isAttached = false
    /// Nothing more is read: it has sent all, or does not speak the protocol, or the run ends.
    var isLast = false
    var isClosed = false
  }

  static let requestBytesMax = 1 << 16
  /// What may wait to be written: replies, and one event.
  private static let outgoingBytesMax = 4 << 20

  private let socket: Socket
  private let target: any ControlTarget
  private let queue: DispatchQueue
  private let patience: DispatchTimeInterval
  private let onEnd: @Sendable (ControlConnection) -> Void
  private let state = Locked(State())

  /// Takes over a socket.
  ///
  /// - Parameters:
  ///   - descriptor: A socket that does not block; it is closed when nothing uses it any more.
  ///   - target: What requests are carried out by.
  ///   - queue: The serial queue on which everything happens.
  ///   - patience: How long the client is waited for while it reads nothing.
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

  /// Whether nothing is lost when the connection is closed.
  var isIdle: Bool {
    state.withLock { !$0.isAttached && $0.pendingReplies == 0 && $0.outgoing.isEmpty }
  }

  /// When the client sent something last, or connected.
  var lastHeard: ContinuousClock.Instant { state.withLock { $0.lastHeard } }

  /// Begins to read requests.
  func start() {
    let source = socket.readSource(on: queue) { [weak self] in self?.read() }
    state.withLock { $0.reading = source }
  }

  /// Says why nothing that the client asks for is done, and closes the connection.
  func refuse(_ reason: String) {
    state.withLock { $0.isLast = true }
    write(line(NumberedReply(ControlReply.refused(reason), to: nil)))
  }

  /// Closes the connection unless the client has asked for something.
  func closeUnlessHeard() {
    if !state.withLock({ $0.hasAsked }) { close() }
  }

  /// Serves what the client has sent already; closes the connection when it has got all that it waits for.
  func finish() {
    read()
    state.withLock { $0.isLast = true }
    closeIfDone()
  }

  /// Ends the connection at once.
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
      state.lastHeard = .now
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
      state.hasAsked = true
      state.pendingReplies += 1
    }
    switch received.request {
    case .success(.attach):
      guard let events = target.controlEvents else {
        let reason = "the run waits for another one of its group; nothing happens in it yet"
        return reply(.refused(reason), to: received.id)
      }
      reply(.ok, to: received.id)
      attach(to: events)
    case .success(let request):
      target.carryOut(request) { [weak self, queue] answer in
        guard let self else { return }
        queue.async { self.reply(answer, to: received.id) }
      }
    case .failure(let error):
      // A client that does not speak the protocol is not guessed at any further.
      state.withLock { $0.isLast = true }
      reply(.refused(error.description), to: received.id)
    }
  }

  /// Ends the reading: a client that was attached is gone, too.
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

  /// Writes events as fast as they are read at the other end; the last one ends the connection.
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

  /// Writes as much as there is room for.
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

/// A socket, closed when neither its connection nor a source uses it any more.
private final class Socket: Sendable {
  let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
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
