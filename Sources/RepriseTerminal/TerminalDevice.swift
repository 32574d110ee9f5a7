// What a terminal is asked and told by system calls: its size, its modes, bytes to show. Knows
// nothing of runs.

import Platform
package import Reprise

/// A descriptor that may be a terminal.
struct TerminalDevice: Sendable {
  let descriptor: Int32

  /// Whether it is a terminal.
  var isTerminal: Bool { Platform.isTerminal(descriptor) }

  /// Whether this process may read its keys without being stopped.
  var isInForeground: Bool { Platform.isInForeground(ofTerminal: descriptor) }

  /// The size of the window; 80 × 24 where it does not tell.
  var size: TreeView.Size {
    let (columns, rows) = terminalSize(descriptor) ?? (80, 24)
    return TreeView.Size(columns: columns, rows: rows)
  }

  /// Writes all of a text, waiting where it has to.
  ///
  /// - Returns: false when nobody reads any more.
  func write(_ text: TerminalSafe) -> Bool {
    do throws(Errno) {
      try writeBytes(Array(text.string.utf8), to: descriptor)
      return true
    } catch {
      OutputError.note(error)
      return false
    }
  }

  /// Has keys delivered one by one and not echoed; signals such as that of Ctrl-C stay.
  ///
  /// - Returns: The modes to go back to, or nil where there are none.
  func enterKeyMode() -> TerminalSettings? {
    guard let modes = TerminalSettings(of: descriptor) else { return nil }
    modes.keyByKey.apply(to: descriptor)
    return modes
  }

  /// Goes back to former modes.
  func restore(_ modes: TerminalSettings) {
    modes.apply(to: descriptor)
  }

  /// Reads the keys that have been pressed; nil at the end of the input.
  func readKeys() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 64)
    do throws(Errno) {
      // After a signal there may be no keys yet: the source calls again when there are.
      let count = try readOnce(descriptor, into: &buffer, retriesAfterSignal: false)
      return count > 0 ? Array(buffer[..<count]) : nil
    } catch {
      return error == .interrupted || error == .resourceTemporarilyUnavailable ? [] : nil
    }
  }
}

/// How far the local time of this machine is ahead of UTC at a moment.
package func localTimeOffset(_ time: Timestamp) -> Duration {
  .seconds(localTimeOffset(atSecond: time.microseconds / 1_000_000))
}
