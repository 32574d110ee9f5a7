// Steers and sees a live run of another process. Knows nothing of who shows it.

package import CombineOperators
import Dispatch
import Platform
package import Reprise
import Synchronization

/// A connection to a live run.
///
/// All members may be used from any thread. The connection ends with the last reference.
package final class ControlClient: Sendable {
  private let descriptor: Int32
  private let reading = DispatchQueue(label: "reprise.control.reading")
  private let writing = DispatchQueue(label: "reprise.control.writing")
  private let lines: Mutex<LineReader>
  private let ended = Mutex(Int32?.none)

  /// The number of the signal that made the run end; nil when none did, and before the last event.
  package var stopSignal: Int32? { ended.withLock { $0 } }

  /// Connects to a run.
  ///
  /// - Parameter path: The socket of the run.
  /// - Throws: ``ControlError`` when nobody listens there.
  package init(_ path: String) throws(ControlError) {
    descriptor = try connectedSocket(to: path)
    lines = Mutex(LineReader(descriptor, bytesMax: 1 << 30))
  }

  deinit {
    closeDescriptor(descriptor)
  }

  /// Asks for something and waits for the answer.
  ///
  /// Not to be used any more once the client is attached.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - patience: How long to wait; without end when nil. When it is over, so is the connection.
  /// - Returns: The answer.
  /// - Throws: ``ControlError`` when the run is gone before it answers, or does not answer in time.
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
          ? "there is no answer, and what was asked for may still happen; \(ControlError.stoppedHint)"
          : "the connection ended before there was an answer; what was asked for may still happen")
    }
    return try message(ControlReply.self, in: text)
  }

  /// Asks for something without looking at the answer.
  package func post(_ request: ControlRequest) {
    writing.async { [self] in _ = sendAll(line(request), to: descriptor) }
  }

  /// The events of the run, once it has said yes to `attach`; they end with the run or the connection.
  ///
  /// Read as they are asked for: a slow reader makes the run's side drop output, and costs no memory.
  package var events: AnyPublisher<Event, Never> {
    EventLines(client: self).publisher.catch { _ in Empty<Event, Never>() }.eraseToAnyPublisher()
  }

  /// Ends the connection, and what waits for events or answers; the run goes on.
  package func close() {
    shutDownSocket(descriptor)
  }

  fileprivate func noteEnd(by signal: Int32) {
    ended.withLock { $0 = signal }
  }

  fileprivate func nextLine() async -> [UInt8]? {
    await withCheckedContinuation { continuation in
      reading.async { [self] in continuation.resume(returning: lines.withLock { $0.next() }) }
    }
  }
}

/// The events among the lines that come.
private struct EventLines: AsyncSequence, Sendable {
  typealias Element = Event

  let client: ControlClient

  struct Iterator: AsyncIteratorProtocol {
    let client: ControlClient

    mutating func next() async throws -> Event? {
      while let text = await client.nextLine() {
        // Replies to what was posted meanwhile are no events.
        guard let received = try? message(SignalledEvent.self, in: text) else { continue }
        if let signal = received.signal { client.noteEnd(by: signal) }
        return received.event
      }
      return nil
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(client: client) }
}
