// Receives the signals of a process that drives runs, from its start on.

package import ChildProcesses
import Platform
import Synchronization

/// Receives signals through the guardian, or directly if there is none, and forwards them.
///
/// Until there is a target, while prompting for parameters or fetching secrets, a terminating
/// signal ends the process at once; the guardian cleans up its child processes.
package final class SignalRelay: Sendable {
  private let endProcess: @Sendable (Int32) -> Void
  private let target = Mutex<(any SignalTarget)?>(nil)
  private let listener = Mutex<SignalListener?>(nil)
  private let requests = Mutex(TerminationRequests())

  /// Starts receiving signals.
  ///
  /// - Parameters:
  ///   - guardian: The link to the guardian, if any.
  ///   - endProcess: Ends the process because of a signal.
  package init(_ guardian: GuardianLink?, endProcess: @escaping @Sendable (Int32) -> Void) {
    self.endProcess = endProcess
    if let guardian {
      guardian.listen(
        onSignal: { [self] in receive($0) },
        onDeath: { [self] in target.withLock { $0 }?.freeze() })
    } else {
      let all = SignalListener.stopping + [SignalNumber.user1]
      // The guardian merges the signals of one request; without it, that is done here.
      let heard = SignalListener(all) { [self] number in
        let meaning = requests.withLock { $0.add(number, at: .now) }
        if meaning != .repeated { receive(number) }
      }
      listener.withLock { $0 = heard }
    }
  }

  /// Handles a signal as if it had been sent to this process.
  package func receive(_ signal: Int32) {
    if let target = target.withLock({ $0 }) { return target.receive(signal) }
    if signal != SignalNumber.user1 { endProcess(signal) }
  }

  /// Forwards signals to a target from now on.
  package func passOn(to target: any SignalTarget) {
    self.target.withLock { $0 = target }
  }
}
