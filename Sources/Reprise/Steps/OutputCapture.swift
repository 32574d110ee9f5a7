// Captures the standard output of one attempt, for outputs that are computed from it.

import Synchronization

/// The standard output of an attempt, up to a limit.
final class OutputCapture: Sendable {
  /// The captured size, in bytes, after which further lines are dropped.
  static let bytesMax = 1 << 20

  /// A captured text.
  struct Captured: Sendable, Equatable {
    /// The text, without line feeds at the end.
    var text = ""
    /// Whether lines were dropped.
    var isCut = false
  }

  private let buffer = Mutex(Captured())

  init() {}

  /// Appends whole lines.
  func append(_ lines: String) {
    buffer.withLock { kept in
      guard !kept.isCut, kept.text.utf8.count + lines.utf8.count <= Self.bytesMax else {
        kept.isCut = true
        return
      }
      if !kept.text.isEmpty { kept.text += "\n" }
      kept.text += lines
    }
  }

  /// Replaces the captured text.
  func take(_ captured: Captured) {
    buffer.withLock { $0 = captured }
  }

  /// What was captured.
  var captured: Captured {
    var captured = buffer.withLock { $0 }
    while captured.text.last == "\n" { captured.text.removeLast() }
    return captured
  }

  /// The captured text as it is kept in a store; nil if there is none.
  var kept: String? {
    let captured = captured
    if captured.text.isEmpty { return nil }
    return captured.text + (captured.isCut ? "\nreprise: what followed was not kept" : "")
  }

  /// The captured text, without line feeds at the end.
  var text: String { captured.text }
}
