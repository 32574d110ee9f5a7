// Detaches a command into the background: a child in a new session, and a parent that waits for the
// child's message.

import ChildProcessesShim
import Platform

/// The role of a process after ``detach()``.
package enum Detachment {
  /// The process that continues in the background.
  case background(DetachedLink)
  /// The original process, which waits for the child's message or exit status.
  case foreground(DetachedWait)
}

/// Forks this process; the child continues in a new session, without a terminal.
///
/// Must be called while the process has only one thread.
///
/// - Returns: The role of the calling process; nil if the process cannot be forked.
package func detach() -> Detachment? {
  guard let ends = socketPair() else { return nil }
  let child = reprise_fork()
  guard child >= 0 else { return nil }
  guard child == 0 else {
    closeDescriptor(ends.1)
    return .foreground(DetachedWait(child: child, descriptor: ends.0))
  }
  startSession()
  // Close the inherited descriptors: the process that started this command may wait until they are
  // closed.
  reprise_close_all_but(ends.1)
  return .background(DetachedLink(descriptor: ends.1))
}

/// The background process's end of the connection to the original process.
package struct DetachedLink: Sendable {
  let descriptor: Int32

  /// Whether the original process is still waiting for the message.
  package var isWaiting: Bool { hasPeer(descriptor) }

  /// Sends the message, and releases the terminal.
  package func announce(_ word: String) {
    writeOnce(Array(word.utf8), to: descriptor)
    release()
  }

  /// Releases the terminal without a message; called by the guardian.
  func release() {
    closeDescriptor(descriptor)
    dropStandardDescriptors()
  }
}

/// The original process's end of the connection to the background process.
package struct DetachedWait {
  let child: Int32
  let descriptor: Int32

  /// Waits for the message; if the child ends without one, returns nil and its exit status.
  package func word() -> (word: String?, status: Int32) {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = readBytes(descriptor, into: &buffer) ?? 0
    if count > 0 { return (String(decoding: buffer[..<count], as: UTF8.self), 0) }
    while let news = waitForAnyChild(0) {
      guard news.pid == child, case .ended(let status) = news.change else { continue }
      switch status {
      case .exited(let code): return (nil, code)
      case .signalled(let number): return (nil, 128 + number)
      }
    }
    return (nil, 4)
  }
}
