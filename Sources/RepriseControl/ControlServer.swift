// Listens for those who want to steer or see a live run. Knows nothing of who drives it.

import CombineOperators
import Dispatch
public import Reprise
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What can be steered and seen through a control socket.
///
/// Its members are called from any thread, and return at once.
public protocol ControlTarget: Sendable {
  /// Takes the run again from the top, or from a step.
  ///
  /// - Returns: Whether it will.
  func restart(from step: String?) -> ControlReply
  /// Cancels the run.
  func cancel(now: Bool)
  /// Approves a step that waits for that, or refuses it.
  ///
  /// - Returns: Whether it was waiting.
  func decide(on step: String, isApproved: Bool) -> ControlReply
  /// What happens in the run, beginning with what brings a listener to the present state; nil while it
  /// has not begun.
  var controlEvents: RunEvents? { get }
  /// Starts a run of a watched workflow.
  ///
  /// - Parameters:
  ///   - parameters: The texts by the names of the parameters.
  ///   - answer: Called, from any thread, when the event has been accepted for good, or refused.
  func trigger(
    parameters: [String: String], answer: @escaping @Sendable (ControlReply) -> Void)
  /// Where the watch stands; nil for what is no watch.
  var watchStatus: WatchStatus? { get }
}

extension ControlTarget {
  /// Refuses: a run is not started by events.
  public func trigger(
    parameters: [String: String], answer: @escaping @Sendable (ControlReply) -> Void
  ) {
    answer(.refused("this is a run, and not the watch of a workflow"))
  }

  /// None: a run is no watch.
  public var watchStatus: WatchStatus? { nil }
}

extension ControlTarget {
  /// Carries out a request.
  ///
  /// - Parameters:
  ///   - request: Anything but `attach`, which is the business of whoever holds the connection.
  ///   - answer: Called once, from any thread.
  package func carryOut(
    _ request: ControlRequest, answer: @escaping @Sendable (ControlReply) -> Void
  ) {
    switch request {
    case .restart(let from): answer(restart(from: from))
    case .cancel(let now):
      cancel(now: now)
      answer(.ok)
    case .approve(let step, let isApproved): answer(decide(on: step, isApproved: isApproved))
    case .trigger(let parameters): trigger(parameters: parameters, answer: answer)
    case .status:
      answer(
        watchStatus.map(ControlReply.status)
          ?? .refused("this is a run, and not the watch of a workflow"))
    case .attach: preconditionFailure("BUG: only who holds a connection can attach to it")
    }
  }
}

extension Run: ControlTarget {
  /// Takes the run again.
  public func restart(from step: String?) -> ControlReply {
    guard let step else {
      restart()
      return .ok
    }
    do throws(SelectionError) {
      try restart(from: step)
      return .ok
    } catch {
      return .refused(error.description)
    }
  }

  /// Cancels the run, or kills it.
  public func cancel(now: Bool) {
    now ? kill() : cancel()
  }

  /// Approves a step that waits for that, or refuses it.
  public func decide(on step: String, isApproved: Bool) -> ControlReply {
    do throws(SelectionError) {
      return try answer(step, isApproved: isApproved)
        ? .ok : .refused("the step \"\(step)\" does not wait for approval")
    } catch {
      return .refused(error.description)
    }
  }

  /// The events of the run.
  public var controlEvents: RunEvents? { events }
}

/// Serves one run at one socket.
///
/// Each client has a thread while it is connected: there are few, and one that does not read holds up
/// nobody else.
public final class ControlServer: Sendable {
  private struct State {
    var isClosed = false
    var clients: Set<Int32> = []
    var waiting = Waiters()
  }

  private let path: String
  private let listening: Int32
  private let target: any ControlTarget
  private let state = Mutex(State())
  private let source = Mutex<EventSource?>(nil)
  private let queue = DispatchQueue(label: "reprise.control")

  /// Listens at a path, which whoever calls this must have for itself.
  ///
  /// - Parameters:
  ///   - path: Where; what stands there is replaced.
  ///   - target: What is served.
  /// - Throws: ``ControlError``.
  public init(at path: String, serving target: any ControlTarget) throws(ControlError) {
    self.path = path
    listening = try listeningSocket(at: path)
    self.target = target
    let accepting = DispatchSource.makeReadSource(fileDescriptor: listening, queue: queue)
    let source = EventSource(accepting) { [weak self] in self?.accept() }
    self.source.withLock { $0 = source }
  }

  deinit {
    close(listening)
  }

  /// Stops listening, and waits until those who are attached have got the last event, or two seconds.
  public func finish() async {
    source.withLock { $0 }?.cancel()
    unlink(path)
    queue.asyncAfter(deadline: .now() + 2) { [self] in
      // Whoever still does not read is cut off; its thread then ends.
      for client in state.withLock({ $0.clients }) { shutdown(client, Int32(SHUT_RDWR)) }
    }
    state.withLock { $0.isClosed = true }
    await state.wait(until: { $0.clients.isEmpty }, among: { $0.waiting.add($1) })
  }

  private func accept() {
    guard let client = acceptedSocket(listening) else { return }
    let isWelcome = state.withLock { state in
      if !state.isClosed { state.clients.insert(client) }
      return !state.isClosed
    }
    guard isWelcome else {
      close(client)
      return
    }
    DispatchQueue(label: "reprise.control.client").async { [self] in
      serve(client)
      let waiting = state.withLock { state in
        state.clients.remove(client)
        close(client)
        return state.isClosed && state.clients.isEmpty ? state.waiting.takeAll() : Waiters()
      }
      waiting.wake()
    }
  }

  /// Answers requests until the client leaves.
  private func serve(_ client: Int32) {
    let attached = AttachedClient(client)
    var lines = LineReader(client, bytesMax: 1 << 16)
    reading: while let text = lines.next() {
      let received = NumberedRequest<ControlRequest>(in: text)
      let answer: @Sendable (ControlReply) -> Void = { attached.reply($0, to: received.id) }
      switch received.request {
      case .success(.attach):
        guard let events = target.controlEvents else {
          answer(.refused("the run waits for another one of its group; nothing happens in it yet"))
          continue
        }
        answer(.ok)
        attached.attach(to: events)
      case .success(let request):
        target.carryOut(request, answer: answer)
      case .failure(let error):
        // Whoever does not speak the protocol is not guessed at any further.
        answer(.refused(error.description))
        break reading
      }
    }
    attached.leave()
  }
}

/// One client: what is written to it, in one order.
private final class AttachedClient: Sendable {
  private struct State {
    var subscription: AnyCancellable?
    /// The descriptor may belong to somebody else by now.
    var isClosed = false
  }

  private let descriptor: Int32
  private let queue = DispatchQueue(label: "reprise.control.writer")
  private let state = Locked(State())

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  func reply(_ reply: ControlReply, to id: RequestID?) {
    queue.async { [self] in write(line(NumberedReply(reply, to: id))) }
  }

  /// Writes events as fast as they are read at the other end; the last one ends the connection.
  func attach(to events: RunEvents) {
    // After the reply to the request, whose turn comes first.
    queue.async { [self] in
      guard !state.withLock({ $0.isClosed }) else { return }
      let subscription = events.sinkOneByOne { [weak self] event in
        guard let self else { return }
        await withCheckedContinuation { continuation in
          self.queue.async {
            self.write(line(event))
            if case .runEnded = event.kind { shutdown(self.descriptor, Int32(SHUT_RDWR)) }
            continuation.resume()
          }
        }
      }
      state.withLock { $0.subscription = subscription }
    }
  }

  private func drop() {
    let held = state.withLock { state in
      defer { state.subscription = nil }
      return state.subscription
    }
    held?.cancel()
  }

  /// Ends the writing; waits until what is being written has been.
  func leave() {
    drop()
    queue.sync { state.withLock { $0.isClosed = true } }
    // What was being attached to meanwhile.
    drop()
  }

  private func write(_ bytes: [UInt8]) {
    guard !state.withLock({ $0.isClosed }) else { return }
    if !sendAll(bytes, to: descriptor) { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }
}
