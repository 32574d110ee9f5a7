// Ctrl-C and the other signals that ask a program to end, for programs that embed the engine.

import ChildProcesses
import Dispatch
import Platform
import Synchronization

/// The signals by which a user or the system asks this process to end, in the order of their arrival.
///
/// For a server that ends its runs before it exits:
///
///     let stopping = Task {
///       for await signal in StopSignals() {
///         for run in runs { run.interrupt() }
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
  /// A signal within 200 ms of the one before it is ignored: one request can arrive as several
  /// signals, such as a Ctrl-C from the terminal and from a program that passes it on, and must not
  /// end the grace periods of the steps.
  ///
  /// For a tool in a terminal: Ctrl-C ends the steps within their grace periods, a second Ctrl-C
  /// immediately, and ``outcome`` returns when nothing is left. Once the run has ended, the signals
  /// have their default action again. Returns immediately. A cancelled run is not resumed; a server whose
  /// recorded runs go on at its next start reads ``StopSignals`` and calls ``interrupt()``.
  ///
  ///     let run = Engine().start(workflow)
  ///     run.cancelOnSignals()
  ///     exit(try await run.exitStatus)
  ///
  /// - Parameter signals: The signals.
  public func cancelOnSignals(
    _ signals: Set<StopSignals.Signal> = Set(StopSignals.Signal.allCases)
  ) {
    let lastRequest = Mutex(ContinuousClock.Instant?.none)
    let watch = SignalWatch(signals) { [weak self] signal in
      // One request may arrive as several signals.
      let isRepeated = lastRequest.withLock { last in
        if let last, .now - last < TerminationRequests.mergingTime { return true }
        last = .now
        return false
      }
      guard let self, !isRepeated else { return }
      stopSignal.withLock { $0 = $0 ?? signal.number }
      let isAgain = if case .cancelling = state.phase { true } else { false }
      perform(.cancel(steps: [], now: isAgain), by: .signal(signal.number)) { _ in }
    }
    // Does not retain the run, because its release must cancel it.
    Task { [end] in
      _ = await end.value()
      watch.end()
    }
  }
}

extension Run {
  /// The exit status of a tool that ends with this run, as of the command `reprise`.
  ///
  /// That of ``outcome``; if a signal has cancelled the run, 128 and the number of the signal: 130
  /// after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP. Waits for the end of the run, like ``outcome``.
  public var exitStatus: Int32 {
    get async throws(CancellationError) {
      let outcome = try await outcome
      guard outcome == .cancelled || outcome == .interrupted,
        let signal = stopSignal.withLock({ $0 })
      else { return outcome.exitStatus }
      return 128 + signal
    }
  }
}

/// Calls a function for each signal until it ends.
private final class SignalWatch: Sendable {
  private let signals: Set<StopSignals.Signal>
  private let isOver = Mutex(false)
  private let receive: @Sendable (StopSignals.Signal) -> Void

  init(
    _ signals: Set<StopSignals.Signal>, _ receive: @escaping @Sendable (StopSignals.Signal) -> Void
  ) {
    self.signals = signals
    self.receive = receive
    for signal in signals { SignalSources.shared.add(self, to: signal) }
  }

  /// Ends the watch.
  ///
  /// Does nothing the second time.
  func end() {
    let isFirst = isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
    guard isFirst else { return }
    for signal in signals { SignalSources.shared.remove(self, from: signal) }
  }

  func deliver(_ signal: StopSignals.Signal) { receive(signal) }
}

/// The sources of the signals of this process.
///
/// A source stays for ever: Dispatch would lose signals while one source replaces another.
private final class SignalSources: Sendable {
  private struct Source {
    var watches: [SignalWatch] = []
    let source: any DispatchSourceSignal
  }

  static let shared = SignalSources()
  private let sources = Mutex<[StopSignals.Signal: Source]>([:])

  func add(_ watch: SignalWatch, to signal: StopSignals.Signal) {
    sources.withLock { sources in
      if sources[signal] == nil { sources[signal] = Source(source: makeSource(of: signal)) }
      sources[signal]?.watches.append(watch)
    }
  }

  func remove(_ watch: SignalWatch, from signal: StopSignals.Signal) {
    sources.withLock { $0[signal]?.watches.removeAll { $0 === watch } }
  }

  private func makeSource(of signal: StopSignals.Signal) -> any DispatchSourceSignal {
    catchSignal(signal.number)
    let source = DispatchSource.makeSignalSource(
      signal: signal.number, queue: DispatchQueue(label: "reprise.signals"))
    source.setEventHandler {
      let watches = self.sources.withLock { $0[signal]?.watches ?? [] }
      // Nothing handles the signal any more: it does what it does by default.
      if watches.isEmpty { raiseWithDefaultAction(signal.number) }
      for watch in watches { watch.deliver(signal) }
    }
    let registration = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { registration.signal() }
    source.activate()
    // Dispatch registers a source on a thread of its own. A signal before that would be lost.
    registration.wait()
    return source
  }
}
