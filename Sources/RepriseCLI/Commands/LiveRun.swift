// One run in the foreground of a terminal: the run, its display, and the signals that steer it.

import ChildProcesses
import Reprise
import RepriseTerminal
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Runs a workflow, shows it, and listens to signals until it is over.
final class LiveRun: Sendable {
  private let run: Run
  private let display: ProgressDisplay
  /// The signal that first asked for the end.
  private let stopSignal = FirstSignal()

  /// Starts the run.
  init(_ workflow: Workflow, progress: ProgressStyle) {
    adoptOrphans()
    let run = Engine().start(workflow)
    self.run = run
    display = ProgressDisplay(
      style: progress, environment: inheritedEnvironment(),
      controls: DisplayControls(
        restart: { run.restart() }, cancel: { run.cancel() }, kill: { run.kill() },
        outputClosed: { [stopSignal] in
          stopSignal.note(SIGPIPE)
          run.cancel()
        }))
  }

  /// Shows the run until it is over.
  ///
  /// - Parameter passesThrough: Whether a failed step's own status is given.
  /// - Returns: The exit status of the command.
  func exitStatus(passesThrough: Bool) async -> ExitStatus {
    let signals = SignalListener([SIGINT, SIGTERM, SIGHUP, SIGUSR1]) { number in
      self.receive(number)
    }
    display.attach(to: run.events)
    let outcome = await run.outcome
    await display.finish()
    signals.cancel()
    return .of(outcome, signal: stopSignal.number, passesThrough: passesThrough)
  }

  private func receive(_ signal: Int32) {
    guard signal != SIGUSR1 else { return run.restart() }
    let isFirst = stopSignal.note(signal)
    // The key `c` may have been the first request.
    if case .cancelling = run.state.phase { return run.kill() }
    isFirst ? run.cancel() : run.kill()
  }
}

/// The signal that came first, whichever thread notes it.
private final class FirstSignal: Sendable {
  private let first = Mutex(Int32?.none)

  var number: Int32? { first.withLock { $0 } }

  /// Notes a signal.
  ///
  /// - Returns: Whether it is the first one.
  @discardableResult
  func note(_ number: Int32) -> Bool {
    first.withLock { first in
      defer { first = first ?? number }
      return first == nil
    }
  }
}
