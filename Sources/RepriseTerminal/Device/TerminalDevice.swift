// System calls on a terminal: its size, its modes, reading keys and writing text.

import Platform
package import Reprise

/// A descriptor that may be a terminal.
struct TerminalDevice: Sendable {
  let descriptor: Int32

  /// Whether it is a terminal.
  var isTerminal: Bool { Platform.isTerminal(descriptor) }

  /// Whether this process can read keys without being stopped by SIGTTIN.
  var isInForeground: Bool { Platform.isInForeground(ofTerminal: descriptor) }

  /// The size of the window; 80 × 24 if unknown.
  var size: WindowSize {
    let (columns, rows) = terminalSize(descriptor) ?? (80, 24)
    return WindowSize(columns: columns, rows: rows)
  }

  /// Writes a text completely; blocks if necessary.
  ///
  /// - Parameter text: The text.
  /// - Returns: Whether the text could be written; false if the output has been closed.
  func write(_ text: TerminalSafe) -> Bool {
    do throws(Errno) {
      try writeBytes(Array(text.string.utf8), to: descriptor)
      return true
    } catch {
      OutputError.note(error)
      return false
    }
  }

  /// Makes the terminal deliver keys one by one without echo; Ctrl-C still sends a signal.
  ///
  /// - Returns: The previous modes; nil if the descriptor is not a terminal.
  func enterKeyMode() -> TerminalSettings? {
    guard let modes = TerminalSettings(of: descriptor) else { return nil }
    modes.keyByKey.apply(to: descriptor)
    return modes
  }

  /// Restores previous modes.
  func restore(_ modes: TerminalSettings) {
    modes.apply(to: descriptor)
  }

  /// Reads the pressed keys; nil at the end of the input.
  func readKeys() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 64)
    do throws(Errno) {
      // After a signal there may be no keys yet; the source calls again when there are.
      let count = try readOnce(descriptor, into: &buffer, retriesAfterSignal: false)
      return count > 0 ? Array(buffer[..<count]) : nil
    } catch {
      return error == .interrupted || error == .resourceTemporarilyUnavailable ? [] : nil
    }
  }
}

/// Returns the offset of the machine's local time from UTC at a moment.
package func localTimeOffset(_ time: Timestamp) -> Duration {
  .seconds(localTimeOffset(atSecond: time.microseconds / 1_000_000))
}
