// Keeps the standard output of one attempt, for outputs that are computed from it.

import Synchronization

/// What an attempt has written to its standard output, up to a limit.
final class OutputCapture: Sendable {
  /// How much is kept, in bytes.
  static let bytesMax = 1 << 20

  private let kept = Mutex("")

  init() {}

  /// Adds whole lines.
  func append(_ lines: String) {
    kept.withLock { kept in
      guard kept.utf8.count < Self.bytesMax else { return }
      if !kept.isEmpty { kept += "\n" }
      kept += lines
    }
  }

  /// Keeps a text in place of what there is.
  func take(_ text: String) {
    kept.withLock { $0 = text }
  }

  /// Everything, without line feeds at the end.
  var text: String {
    var text = kept.withLock { $0 }
    while text.last == "\n" { text.removeLast() }
    return text
  }
}
