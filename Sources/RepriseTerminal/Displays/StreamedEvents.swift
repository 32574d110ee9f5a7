// The events that have not been shown as lines yet, for the view that streams all output.

import Reprise

/// A queue of events with a bounded amount of output.
///
/// While the tree is shown, the output waits here, so that a change of the view loses nothing. If
/// there is too much, the oldest output is dropped and counted; it remains in the logs.
struct StreamedEvents {
  /// The size of the waiting output, in bytes, from which on a display should show it first.
  static let bytesFull = 8 << 20
  /// The maximum size of the waiting output in bytes.
  static let bytesMax = 16 << 20

  private var events: [Event] = []
  private(set) var bytes = 0
  private var droppedLines = 0

  /// Whether a display that shows the events should do so before more are added.
  var isFull: Bool { bytes >= Self.bytesFull }

  /// Adds an event.
  mutating func append(_ event: Event) {
    events.append(event)
    guard case .step(_, _, .output(_, let text, isPartial: false)) = event.kind else {
      // What is not finished is of no use as a line.
      if event.isTransient { events.removeLast() }
      return
    }
    bytes += text.utf8.count
    if bytes > Self.bytesMax { dropHalf() }
  }

  /// Returns the waiting events, and the number of lines that were dropped before them.
  mutating func take() -> (events: [Event], droppedLines: Int) {
    defer { self = StreamedEvents() }
    return (events, droppedLines)
  }

  /// Returns the position of the event from which on there are some lines of output.
  static func beginning(ofLast lines: Int, in events: [Event]) -> Int {
    var left = lines
    for position in events.indices.reversed() where left > 0 {
      left -= PlainLog.lineCount(of: events[position])
      if left <= 0 { return position }
    }
    return 0
  }

  /// Drops the older half of the output; all at once, so that it costs little for each event.
  private mutating func dropHalf() {
    var excess = bytes / 2
    events.removeAll { event in
      guard excess > 0, case .step(_, _, .output(_, let text, isPartial: _)) = event.kind else {
        return false
      }
      excess -= text.utf8.count
      bytes -= text.utf8.count
      droppedLines += PlainLog.lineCount(of: event)
      return true
    }
  }
}
