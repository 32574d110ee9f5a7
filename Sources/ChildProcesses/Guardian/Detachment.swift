// A command that goes on in the background: a child in a session of its own, and a parent that waits
// for its first word. Knows nothing of what the child does.

import ChildProcessesShim
import Platform

/// What a process is after it has been split.
package enum Detachment {
  /// The process that goes on in the background.
  case background(DetachedLink)
  /// The process that was started; the child's first word or its exit status ends its waiting.
  case foreground(DetachedWait)
}

/// Splits this process in two, of which one goes on in a session of its own, without a terminal.
///
/// Must be called while the process has one thread.
///
/// - Returns: Which one this is; nil when no process can be made.
package func detach() -> Detachment? {
  guard let ends = socketPair() else { return nil }
  let child = reprise_fork()
  guard child >= 0 else { return nil }
  guard child == 0 else {
    closeDescriptor(ends.1)
    return .foreground(DetachedWait(child: child, descriptor: ends.0))
  }
  startSession()
  // What it inherited belongs to whoever started the other one, who may wait for its end.
  reprise_close_all_but(ends.1)
  return .background(DetachedLink(descriptor: ends.1))
}

/// What the process in the background has of the one that was started.
package struct DetachedLink: Sendable {
  let descriptor: Int32

  /// Whether the one that was started still waits for the word.
  package var isWaiting: Bool { hasPeer(descriptor) }

  /// Tells the word, and lets go of the terminal.
  package func announce(_ word: String) {
    writeOnce(Array(word.utf8), to: descriptor)
    letGo()
  }

  /// Lets go of the terminal without a word: the guardian's part.
  func letGo() {
    closeDescriptor(descriptor)
    dropStandardDescriptors()
  }
}

/// What the process that was started has of the one in the background.
package struct DetachedWait {
  let child: Int32
  let descriptor: Int32

  /// Waits for the word; nil when the child ended without one, with its exit status.
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
