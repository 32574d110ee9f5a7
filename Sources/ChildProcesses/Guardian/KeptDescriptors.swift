// Descriptors that a guardian holds for as long as its engine wants, such as the locks of several runs.
// Knows nothing of what they are.

import ChildProcessesShim
import Platform
import Synchronization

/// A set of descriptors that the guardian of this process holds, and that changes.
///
/// What is sent to the guardian itself is never read there, so it cannot be taken back. So the guardian is
/// sent one end of another pair of sockets, and the set waits in that: a message with all of it. Both
/// processes have this end, and the engine takes the message back when there is a new one.
package final class KeptDescriptors: Sendable {
  private struct State {
    var kept: [Int32] = []
    var hasSent = false
  }

  private let sending: Int32
  private let receiving: Int32
  private let state = Mutex(State())

  /// Prepares a set, which is empty.
  ///
  /// - Parameter link: The link to the guardian.
  package init?(_ link: GuardianLink) {
    guard let ends = socketPair() else { return nil }
    (sending, receiving) = ends
    link.keep(receiving, run: "")
  }

  deinit {
    closeDescriptors(state.withLock { $0.kept } + [sending, receiving])
  }

  /// Has the guardian hold a descriptor until it is let go of, and this process as well.
  ///
  /// Of more than 250, the newest are held.
  ///
  /// - Parameter descriptor: The descriptor; a copy is made.
  /// - Returns: The copy, by which it is let go of; nil where there is none.
  package func keep(_ descriptor: Int32) -> Int32? {
    guard let copy = copyOfDescriptor(descriptor) else { return nil }
    state.withLock { state in
      state.kept.append(copy)
      send(&state)
    }
    return copy
  }

  /// Lets go of a descriptor.
  ///
  /// - Parameter copy: What ``keep(_:)`` has returned; used once.
  package func letGo(of copy: Int32) {
    state.withLock { state in
      state.kept.removeAll { $0 == copy }
      send(&state)
    }
    closeDescriptor(copy)
  }

  /// Puts the present set in the place of the former one; neither is missing at any moment.
  private func send(_ state: inout State) {
    let newest = Array(state.kept.suffix(Int(REPRISE_DESCRIPTORS_MAX)))
    let hadSent = state.hasSent
    if newest.isEmpty {
      state.hasSent = false
    } else {
      state.hasSent = unsafe reprise_send_descriptors(sending, newest, Int32(newest.count)) == 0
    }
    // Where there is no room for a message, the former one has to go, or its descriptors would stay.
    if hadSent { reprise_drop_descriptors(receiving) }
  }
}
