// Ctrl-C and the other signals that ask a program to end, for programs that embed the engine.

import Dispatch
import Platform
import Synchronization

/// The signals by which a user or the system asks this process to end, in the order of their arrival.
///
/// For a server that ends its runs before it exits:
///
///     let stopping = Task {
///       for await signal in StopSignals() {
///         for run in runs { run.cancel() }
///       }
///     }
///
/// From the initializer on, the signals no longer end the process by themselves. When all copies of
/// the value and their iterators are gone, or the task that reads them is cancelled, the signals have
/// their default action again. Processes that the program starts are not affected. For a single run,
/// ``Run/cancelOnSignals(_:)`` is shorter.
public struct StopSignals: AsyncSequence, Sendable {
  /// A signal that asks a process to end.
  public enum Signal: Sendable, CaseIterable {
    /// SIGINT, which Ctrl-C sends.
    case interrupt
    /// SIGTERM, which `kill` and service managers send.
    case terminate
    /// SIGHUP, which a terminal sends when it is closed.
    case hangUp

    /// The number of the signal.
    public var number: Int32 {
      switch self {
      case .interrupt: SignalNumber.interrupt
      case .terminate: SignalNumber.terminate
      case .hangUp: SignalNumber.hangUp
      }
    }
  }

  /// A signal.
  public typealias Element = Signal
  /// The sequence does not fail.
  public typealias Failure = Never

  private let stream: AsyncStream<Signal>

  /// Starts to receive signals.
  ///
  /// - Parameter signals: The signals to receive.
  public init(_ signals: Set<Signal> = Set(Signal.allCases)) {
    let (stream, continuation) = AsyncStream.makeStream(of: Signal.self)
    let watch = SignalWatch(signals) { continuation.yield($0) }
    continuation.onTermination = { _ in watch.end() }
    self.stream = stream
  }

  /// Returns an iterator over the signals.
  ///
  /// Each signal is delivered to one iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: stream.makeAsyncIterator())
  }

  /// Waits for the signals.
  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncStream<Signal>.Iterator

    /// Waits for the next signal.
    ///
    /// - Returns: The signal; nil if the task is cancelled.
    public mutating func next() async -> Signal? {
      await base.next(isolation: #isolation)
    }
  }
}

extension Run {
  /// Cancels the run when this process receives a signal, and kills it at the next one.
  ///
  /// For a tool in a terminal: Ctrl-C ends the steps within their grace periods, a second Ctrl-C
  /// immediately, and ``outcome`` returns when nothing is left. Once the run has ended, the signals
  /// have their default action again. Returns immediately.
  ///
  ///     let run = Engine().start(workflow)
  ///     run.cancelOnSignals()
  ///     exit(await run.outcome.exitStatus)
  ///
  /// - Parameter signals: The signals.
  public func cancelOnSignals(
    _ signals: Set<StopSignals.Signal> = Set(StopSignals.Signal.allCases)
  ) {
    let watch = SignalWatch(signals) { [weak self] _ in
      guard let self else { return }
      if case .cancelling = state.phase { kill() } else { cancel() }
    }
    // Does not retain the run, because its release must cancel it.
    Task { [end] in
      _ = await end.value()
      watch.end()
    }
  }
}

/// Calls a function for each signal until it ends; then restores the actions of the signals.
private final class SignalWatch: Sendable {
  /// The number of watches of each signal.
  ///
  /// The default action is restored when the last one ends.
  private static let watched = Mutex<[Int32: Int]>([:])

  private let signals: Set<StopSignals.Signal>
  private let sources: Mutex<[any DispatchSourceSignal]>

  init(
    _ signals: Set<StopSignals.Signal>, _ receive: @escaping @Sendable (StopSignals.Signal) -> Void
  ) {
    self.signals = signals
    let queue = DispatchQueue(label: "reprise.signals")
    let registrations = DispatchGroup()
    sources = Mutex(
      signals.map { signal in
        Self.watched.withLock { watched in
          watched[signal.number, default: 0] += 1
          catchSignal(signal.number)
        }
        let source = DispatchSource.makeSignalSource(signal: signal.number, queue: queue)
        source.setEventHandler { receive(signal) }
        registrations.enter()
        source.setRegistrationHandler { registrations.leave() }
        source.activate()
        return source
      })
    // Dispatch registers a source on a thread of its own. A signal before that would be lost.
    registrations.wait()
  }

  /// Ends the watch.
  ///
  /// Does nothing the second time.
  func end() {
    let sources = self.sources.withLock { sources in
      defer { sources = [] }
      return sources
    }
    guard !sources.isEmpty else { return }
    for source in sources { source.cancel() }
    Self.watched.withLock { watched in
      for signal in signals {
        watched[signal.number, default: 1] -= 1
        if watched[signal.number] == 0 { restoreSignal(signal.number) }
      }
    }
  }
}
