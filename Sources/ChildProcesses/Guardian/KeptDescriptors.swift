// Descriptors that the guardian holds for the engine and that can be released, such as the locks of
// several runs.

import ChildProcessesShim
import Platform
import Synchronization

/// A mutable set of descriptors that the guardian of this process holds.
///
/// The guardian never reads the descriptors that it is sent directly, so they cannot be released.
/// Instead, it is sent the receiving end of a second socket pair, and the set is queued in that
/// pair as one message. Both processes have the receiving end, so the engine can take the message
/// out again when it sends a new one.
package final class KeptDescriptors: DescriptorHolder {
  private struct State {
    var kept: [Int32] = []
    var hasSent = false
  }

  private let sending: Int32
  private let receiving: Int32
  private let state = Mutex(State())

  /// Creates an empty set.
  ///
  /// - Parameters:
  ///   - link: The link to the guardian.
  ///   - run: The id of the run, for the guardian's message if the engine is killed.
  package init?(_ link: GuardianLink, run: String = "") {
    guard let ends = socketPair() else { return nil }
    (sending, receiving) = ends
    link.keep(receiving, run: run)
  }

  deinit {
    closeDescriptors(state.withLock { $0.kept } + [sending, receiving])
  }

  /// Makes the guardian and this process hold a descriptor until it is released.
  ///
  /// If there are more than 250, the guardian holds the newest.
  ///
  /// - Parameter descriptor: The descriptor; it is duplicated.
  /// - Returns: The duplicate, by which it is released; nil if it cannot be duplicated.
  package func keep(_ descriptor: Int32) -> Int32? {
    guard let copy = copyOfDescriptor(descriptor) else { return nil }
    state.withLock { state in
      state.kept.append(copy)
      send(&state)
    }
    return copy
  }

  /// Releases a descriptor.
  ///
  /// - Parameter copy: The duplicate that ``keep(_:)`` returned; must be released only once.
  package func release(_ copy: Int32) {
    state.withLock { state in
      state.kept.removeAll { $0 == copy }
      send(&state)
    }
    closeDescriptor(copy)
  }

  /// Sends the current set, then drops the previous message, so that one of them is always held.
  private func send(_ state: inout State) {
    let newest = Array(state.kept.suffix(Int(REPRISE_DESCRIPTORS_MAX)))
    let hadSent = state.hasSent
    if newest.isEmpty {
      state.hasSent = false
    } else {
      state.hasSent = unsafe reprise_send_descriptors(sending, newest, Int32(newest.count)) == 0
    }
    // Drop the previous message even if there was no room for the new one; otherwise its
    // descriptors would stay held.
    if hadSent { reprise_drop_descriptors(receiving) }
  }
}

/// Descriptors that the guardian holds, with a set of its own that is created for the first of them.
///
/// Most processes have none, and some are short of descriptors.
package final class LaterKeptDescriptors: DescriptorHolder {
  private let link: GuardianLink
  private let kept = Mutex<KeptDescriptors?>(nil)

  /// Creates an empty set.
  package init(_ link: GuardianLink) { self.link = link }

  package func keep(_ descriptor: Int32) -> Int32? {
    kept.withLock { kept in
      kept = kept ?? KeptDescriptors(link)
      return kept
    }?.keep(descriptor)
  }

  package func release(_ copy: Int32) { kept.withLock { $0 }?.release(copy) }
}
