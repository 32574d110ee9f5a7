// Turns signals into calls.

import Dispatch
import Platform
import Reprise

/// Calls a handler for each signal of a set that reaches this process, for as long as it lives.
///
/// Works for signals sent to this process alone (`kill PID`, systemd, `docker stop`, `timeout`) as
/// well as to its group (Ctrl-C).
package final class SignalListener: Sendable {
  /// The signals that ask for the end.
  package static let stopping = [
    SignalNumber.interrupt, SignalNumber.terminate, SignalNumber.hangUp,
  ]

  private let sources: [EventSource]

  /// Listens from now on.
  ///
  /// - Parameters:
  ///   - signals: The numbers of the signals; their default actions are switched off.
  ///   - handler: Called with the number, on one queue, one signal after the other.
  package init(_ signals: [Int32], handler: @escaping @Sendable (Int32) -> Void) {
    let queue = DispatchQueue(label: "reprise.signals")
    sources = signals.map { number in
      // Not SIG_IGN: an ignored signal would be ignored in children of whoever runs `exec`, too.
      catchSignal(number)
      return EventSource(DispatchSource.makeSignalSource(signal: number, queue: queue)) {
        handler(number)
      }
    }
  }

  /// Stops listening.
  ///
  /// The default actions stay switched off: the process is about to end.
  package func cancel() {
    for source in sources { source.cancel() }
  }
}
