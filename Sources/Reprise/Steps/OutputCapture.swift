// Captures the standard output of one attempt, for outputs that are computed from it.

import Synchronization

/// The standard output of an attempt, up to a limit.
final class OutputCapture: Sendable {
  /// The captured size, in bytes, after which further lines are dropped.
  static let bytesMax = 1 << 20

  private let kept = Mutex("")

  init() {}

  /// Appends whole lines.
  func append(_ lines: String) {
    kept.withLock { kept in
      guard kept.utf8.count < Self.bytesMax else { return }
      if !kept.isEmpty { kept += "\n" }
      kept += lines
    }
  }

  /// Replaces the captured text.
  func take(_ text: String) {
    kept.withLock { $0 = text }
  }

  /// The captured text, without line feeds at the end.
  var text: String {
    var text = kept.withLock { $0 }
    while text.last == "\n" { text.removeLast() }
    return text
  }
}
