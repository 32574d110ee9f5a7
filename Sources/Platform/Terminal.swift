// Terminals: whether a descriptor is one, how large it is, its settings.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Whether a descriptor is that of a terminal.
package func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

/// Whether this process is in the foreground of a terminal, so that it may read from it without being stopped.
package func isInForeground(ofTerminal descriptor: Int32) -> Bool {
  tcgetpgrp(descriptor) == getpgrp()
}

/// The size of a terminal in characters; nil where it has none.
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

  /// Reads the settings; nil where there is no terminal.
  ///
  /// - Parameter descriptor: That of the terminal.
  package init?(of descriptor: Int32) {
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { return nil }
  }

  /// The same settings, but keys are delivered one by one and not echoed; signals such as that of Ctrl-C stay.
  package var keyByKey: TerminalSettings {
    var changed = self
    changed.settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    return changed
  }

  /// Gives a terminal these settings at once.
  ///
  /// - Parameter descriptor: That of the terminal.
  package func apply(to descriptor: Int32) {
    var settings = settings
    _ = unsafe tcsetattr(descriptor, TCSANOW, &settings)
  }
}
