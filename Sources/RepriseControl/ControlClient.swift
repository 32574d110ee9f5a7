// The client of a control socket: controls and observes a live run of another process.

package import CombineOperators
import Dispatch
import Platform
package import Reprise
import Synchronization

/// A connection to a live run.
///
/// Thread-safe. The connection is closed when the client is deallocated.
package final class ControlClient: Sendable {
  private let descriptor: Int32
  private let reading = DispatchQueue(label: "reprise.control.reading")
  private let writing = DispatchQueue(label: "reprise.control.writing")
  private let lines: Mutex<LineReader>
  private let ended = Mutex(Int32?.none)

  /// The number of the signal that cancelled the run; nil if none did, or before the last event.
  package var stopSignal: Int32? { ended.withLock { $0 } }

  /// Connects to a run.
  ///
  /// - Parameter path: The socket of the run.
  /// - Throws: ``ControlError`` if no process is listening there.
  package init(_ path: String) throws(ControlError) {
    descriptor = try connectedSocket(to: path)
    lines = Mutex(LineReader(descriptor, bytesMax: 1 << 30))
  }

  deinit {
    closeDescriptor(descriptor)
  }

  /// Sends a request and waits for the reply.
  ///
  /// Must not be called once the client is attached.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - patience: The timeout, after which the connection is closed; nil to wait forever.
  /// - Returns: The reply.
  /// - Throws: ``ControlError`` if the connection ends before the reply, or on timeout.
  package func ask(
    _ request: ControlRequest, within patience: Duration? = nil
  ) async throws(ControlError) -> ControlReply {
    let alarm = patience.map { patience in
      Task {
        guard (try? await SystemClock().sleep(for: patience)) != nil else { return false }
        close()
        return true
      }
    }
    defer { alarm?.cancel() }
    post(request)
    guard let text = await nextLine() else {
      alarm?.cancel()
      throw ControlError(
        await alarm?.value == true
          ? "there is no answer; the request may still take effect; \(ControlError.stoppedHint)"
          : "the connection ended before an answer; the request may still take effect")
    }
    return try message(ControlReply.self, in: text)
  }

  /// Sends a request and ignores the reply.
  package func post(_ request: ControlRequest) {
    writing.async { [self] in _ = sendAll(line(request), to: descriptor) }
  }

  /// The events of the run, after a successful `attach`; they end with the run or the connection.
  ///
  /// Events are read on demand: for a slow subscriber, the server drops output, and memory use
  /// stays bounded.
  package var events: AnyPublisher<Event, Never> {
    EventLines(client: self).publisher.catch { _ in Empty<Event, Never>() }.eraseToAnyPublisher()
  }

  /// Closes the connection, which ends all waits for events and replies; the run continues.
  package func close() {
    shutDownSocket(descriptor)
  }

  fileprivate func recordCancel(by signal: Int32) {
    ended.withLock { $0 = signal }
  }

  fileprivate func nextLine() async -> [UInt8]? {
    await withCheckedContinuation { continuation in
      reading.async { [self] in continuation.resume(returning: lines.withLock { $0.next() }) }
    }
  }
}

/// The events among the received lines.
private struct EventLines: AsyncSequence, Sendable {
  typealias Element = Event

  let client: ControlClient

  struct Iterator: AsyncIteratorProtocol {
    let client: ControlClient

    mutating func next() async throws -> Event? {
      while let text = await client.nextLine() {
        // Skip replies to posted requests.
        guard let received = try? message(SignalledEvent.self, in: text) else { continue }
        if let signal = received.signal { client.recordCancel(by: signal) }
        return received.event
      }
      return nil
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(client: client) }
}
