// Calls handlers for signals.

import Dispatch
import Platform
import Reprise

/// Calls a handler for each signal of a set, as long as the listener lives.
///
/// Works for signals sent to this process alone (`kill PID`, systemd, `docker stop`, `timeout`) as
/// well as to its group (Ctrl-C).
package final class SignalListener: Sendable {
  /// The signals that cancel.
  package static let stopping = [
    SignalNumber.interrupt, SignalNumber.terminate, SignalNumber.hangUp,
  ]

  private let sources: [EventSource]

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - signals: The numbers of the signals, whose default actions are disabled.
  ///   - handler: Called with the number of each signal, on a serial queue.
  package init(_ signals: [Int32], handler: @escaping @Sendable (Int32) -> Void) {
    let queue = DispatchQueue(label: "reprise.signals")
    sources = signals.map { number in
      // Do not use SIG_IGN, which children would inherit across `exec`.
      catchSignal(number)
      return EventSource(DispatchSource.makeSignalSource(signal: number, queue: queue)) {
        handler(number)
      }
    }
  }

  /// Stops listening.
  ///
  /// The default actions stay disabled, since the process is about to exit.
  package func cancel() {
    for source in sources { source.cancel() }
  }
}
