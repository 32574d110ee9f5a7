// The connection between a command and the process that a shell waits for, which may end before the command
// does.

import ChildProcessesShim
import Dispatch
import Platform
import Synchronization

/// The command's end of the connection to the process in the foreground of the shell.
///
/// Thread-safe.
package final class ForegroundLink: Sendable {
  /// How long to wait for the guardian to leave the terminal, in milliseconds.
  private static let patience = 2000
  /// The number below which inherited descriptors are looked for.
  private static let inheritedMax: Int32 = 256

  let descriptor: Int32
  private let foreground: Int32
  /// The descriptors that the command was started with, besides the standard ones.
  ///
  /// They are needed until it is left, such as `/dev/fd/63` in `reprise run <(…)`. Then they are closed, since
  /// the program that started the command may wait for that.
  let inherited: [Int32]
  private let hasLeft = Mutex(false)

  /// Creates the link in a process that has opened nothing itself yet.
  init(descriptor: Int32, foreground: Int32) {
    self.descriptor = descriptor
    self.foreground = foreground
    inherited = (3..<Self.inheritedMax).filter { $0 != descriptor && isOpenDescriptor($0) }
  }

  /// Starts listening, on a dedicated thread.
  ///
  /// - Parameter onDeath: Called if the process in the foreground is killed.
  package func listen(onDeath: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "reprise.foreground").async { [self] in
      var buffer = [UInt8](repeating: 0, count: 1)
      while let count = readBytes(descriptor, into: &buffer), count > 0 {}
      if hasLeft.withLock({ !$0 }) { onDeath() }
    }
  }

  /// Leaves the terminal: this process and its guardian go on in sessions of their own, and the process in the
  /// foreground ends with status 0.
  ///
  /// The terminal must have its settings from before. Blocks for a moment; works once.
  ///
  /// - Parameter word: What the process in the foreground gets to say.
  package func leave(saying word: String) {
    let isFirst = hasLeft.withLock { hasLeft in
      defer { hasLeft = true }
      return !hasLeft
    }
    guard isFirst else { return }
    if parentProcessID != foreground {
      let session = sessionID(of: parentProcessID)
      sendSignal(SignalNumber.user2, to: parentProcessID)
      for _ in 0..<Self.patience where sessionID(of: parentProcessID) == session {
        pauseThread(milliseconds: 1)
      }
    }
    startSession()
    dropStandardDescriptors()
    closeDescriptors(inherited)
    writeOnce(Array(word.utf8), to: descriptor)
    sendSignal(SignalNumber.user2, to: foreground)
  }
}
