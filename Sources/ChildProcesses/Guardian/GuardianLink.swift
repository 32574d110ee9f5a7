// The engine's end of the link to its guardian.

import ChildProcessesShim
import Dispatch
import Platform

/// The engine's connection to its guardian.
package struct GuardianLink: Sendable {
  let descriptor: Int32
  /// Where signs of life are written; nil if the guardian asks for none.
  let answers: Int32?
  let terminal: TerminalModes?
  /// The control group of all processes that this process starts, if there is one.
  package let controlGroup: ControlGroup?

  /// Starts listening, on a dedicated thread.
  ///
  /// - Parameters:
  ///   - onSignal: Called with the number of each signal that the guardian received, one at a time.
  ///   - onDeath: Called when the guardian is gone. When it returns, every descendant of this
  ///     process is killed, and this process exits immediately, without further cleanup.
  package func listen(
    onSignal: @escaping @Sendable (Int32) -> Void, onDeath: @escaping @Sendable () -> Void
  ) {
    // Not a shared queue: this must work even if all others are blocked.
    let thread = DispatchQueue(label: "reprise.guardian", qos: .userInteractive)
    let sign = answers.map { SignOfLife(to: $0) }
    thread.async { [descriptor, terminal, controlGroup] in
      var buffer = [UInt8](repeating: 0, count: 16)
      while let count = readBytes(descriptor, into: &buffer), count > 0 {
        for number in buffer[..<count] {
          if number == Pulse.question { sign?.give() } else { onSignal(Int32(number)) }
        }
      }
      onDeath()
      // Prevent new starts: each killed step would release its slot to another one.
      Reactor.shared.withoutStartsAndEnds {
        killDescendants()
        terminal?.restore()
        // If this process is in the group itself, it ends here.
        controlGroup?.kill()
        controlGroup?.remove()
        exitAtOnce(128 + SignalNumber.kill)
      }
    }
  }

  /// Makes the guardian hold a descriptor, such as a lock, until it ends: until no process of the
  /// engine's steps is left.
  ///
  /// - Parameters:
  ///   - kept: The descriptor.
  ///   - run: The id of the run, for the guardian's message if the engine is killed.
  package func keep(_ kept: Int32, run: String) {
    _ = unsafe reprise_send_descriptor(descriptor, kept, run)
  }
}
