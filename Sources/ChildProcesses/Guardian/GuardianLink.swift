// The engine's end of the link to its guardian.

import ChildProcessesShim
import Dispatch
import Platform

/// What an engine has of its guardian.
package struct GuardianLink: Sendable {
  let descriptor: Int32
  let terminal: TerminalModes?
  /// The control group that all is in that this process starts, where there is one.
  package let controlGroup: ControlGroup?

  /// Begins to listen, on a thread of its own.
  ///
  /// - Parameters:
  ///   - onSignal: Called with the number of each signal that the guardian was sent, one by one.
  ///   - onDeath: Called when the guardian is gone. When it returns, every descendant of this process
  ///     is killed and it ends at once, with nothing else done.
  package func listen(
    onSignal: @escaping @Sendable (Int32) -> Void, onDeath: @escaping @Sendable () -> Void
  ) {
    // Not a queue that is shared: it has to work when nothing else does.
    let thread = DispatchQueue(label: "reprise.guardian", qos: .userInteractive)
    thread.async { [descriptor, terminal, controlGroup] in
      var buffer = [UInt8](repeating: 0, count: 16)
      while let count = readBytes(descriptor, into: &buffer), count > 0 {
        for number in buffer[..<count] { onSignal(Int32(number)) }
      }
      onDeath()
      // Nothing is started any more: what is killed now would give its place to others.
      Reactor.shared.withoutStartsAndEnds {
        killDescendants()
        terminal?.restore()
        // Where this process is in it, too, it ends here.
        controlGroup?.kill()
        controlGroup?.remove()
        exitAtOnce(128 + SignalNumber.kill)
      }
    }
  }

  /// Has the guardian hold a descriptor, such as a lock, for as long as it lives: until nothing of the
  /// engine's steps is left.
  ///
  /// - Parameters:
  ///   - kept: The descriptor.
  ///   - run: The id of the run, for what the guardian says if the engine is killed.
  package func keep(_ kept: Int32, run: String) {
    _ = unsafe reprise_send_descriptor(descriptor, kept, run)
  }
}
