// Terminals: detection, size and settings.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Returns whether a descriptor refers to a terminal.
package func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

/// Returns whether this process is in the foreground of a terminal, so that it can read without
/// being stopped.
package func isInForeground(ofTerminal descriptor: Int32) -> Bool {
  tcgetpgrp(descriptor) == getpgrp()
}

/// Returns the size of a terminal in characters; nil if it is unknown.
package func terminalSize(_ descriptor: Int32) -> (columns: Int, rows: Int)? {
  var window = winsize()
  guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0,
    window.ws_row > 0
  else { return nil }
  return (Int(window.ws_col), Int(window.ws_row))
}

/// The settings of a terminal.
package struct TerminalSettings: Sendable {
  private var settings = termios()

  /// Reads the settings; returns nil if there is no terminal.
  ///
  /// - Parameter descriptor: The descriptor of the terminal.
  package init?(of descriptor: Int32) {
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { return nil }
  }

  /// The same settings, except that keys are delivered one at a time and not echoed; keys such as
  /// Ctrl-C still send signals.
  package var keyByKey: TerminalSettings {
    var changed = self
    changed.settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    return changed
  }

  /// Applies the settings to a terminal immediately.
  ///
  /// - Parameter descriptor: The descriptor of the terminal.
  package func apply(to descriptor: Int32) {
    var settings = settings
    _ = unsafe tcsetattr(descriptor, TCSANOW, &settings)
  }
}
