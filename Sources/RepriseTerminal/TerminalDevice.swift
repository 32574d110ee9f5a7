// What a terminal is asked and told by system calls: its size, its modes, bytes to show. Knows
// nothing of runs.

package import Reprise

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A descriptor that may be a terminal.
struct TerminalDevice: Sendable {
  let descriptor: Int32

  /// Whether it is a terminal.
  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Whether this process may read its keys without being stopped.
  var isInForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

  /// The size of the window; 80 × 24 where it does not tell.
  var size: TreeView.Size {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0
    else { return TreeView.Size(columns: 80, rows: 24) }
    return TreeView.Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }

  /// Writes all of a text, waiting where it has to.
  ///
  /// - Returns: false when nobody reads any more.
  func write(_ text: TerminalSafe) -> Bool {
    var rest = Array(text.string.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&waiting, 1, -1)
      } else if errno != EINTR {
        OutputError.note(errno)
        return false
      }
    }
    return true
  }

  /// Has keys delivered one by one and not echoed; signals such as that of Ctrl-C stay.
  ///
  /// - Returns: The modes to go back to, or nil where there are none.
  func enterKeyMode() -> termios? {
    var modes = termios()
    guard tcgetattr(descriptor, &modes) == 0 else { return nil }
    var keyModes = modes
    keyModes.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(descriptor, TCSANOW, &keyModes)
    return modes
  }

  /// Goes back to former modes.
  func restore(_ modes: termios) {
    var modes = modes
    tcsetattr(descriptor, TCSANOW, &modes)
  }

  /// Reads the keys that have been pressed; nil at the end of the input.
  func readKeys() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    if count > 0 { return Array(buffer[..<count]) }
    return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
  }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

/// How far the local time of this machine is ahead of UTC at a moment.
package func localTimeOffset(_ time: Timestamp) -> Duration {
  var seconds = time_t(time.microseconds / 1_000_000)
  var local = tm()
  localtime_r(&seconds, &local)
  return .seconds(local.tm_gmtoff)
}

/// Ends or stops this process by a signal, as if it had not been caught.
func raiseWithDefaultAction(_ signalNumber: Int32) {
  signal(signalNumber, SIG_DFL)
  // To this thread, which lets it through: Dispatch has it blocked everywhere and would take one that
  // is sent to the process for news of its own.
  var set = sigset_t()
  sigemptyset(&set)
  sigaddset(&set, signalNumber)
  pthread_sigmask(SIG_UNBLOCK, &set, nil)
  raise(signalNumber)
}

/// Has a signal caught, so that a dispatch source can see it.
func catchSignal(_ signalNumber: Int32) {
  signal(signalNumber) { _ in }
}

/// The signals that a display cares for.
enum DisplaySignal {
  static let windowChanged = SIGWINCH
  static let stop = SIGTSTP
  static let quit = SIGQUIT
  static let realStop = SIGSTOP
  static let goOn = SIGCONT
}
