// What starts runs and what happens to events, in the words of the display and of the pipeline.

import Reprise

extension WhenBusy {
  init(_ triggers: Triggers, room: Int) {
    switch triggers.whenBusy {
    case .restart: self = .restart
    case .ignore: self = .ignore
    case .parallel: self = .parallel()
    case .queue:
      let full: Full =
        switch triggers.buffer.whenFull {
        case .dropOldest: .dropOldest
        case .dropNewest: .dropNewest
        case .fail: .fail
        }
      self = .queue(limit: max(triggers.buffer.size, room), whenFull: full)
    }
  }
}

extension Triggers {
  /// Whether something may start a run when standard input is over.
  var goesOnWithoutInput: Bool {
    files != nil || !schedules.isEmpty || hasSocket || !after.isEmpty
  }

  /// What starts runs, in words.
  var words: [String] {
    var words: [String] = []
    if let files { words.append("files " + files.patterns.joined(separator: " ")) }
    words += schedules.map { "schedule " + $0.text }
    if let standardInput { words.append("stdin " + standardInput.rawValue) }
    if hasSocket { words.append("socket") }
    words += after.map { "after " + $0 }
    if atStart { words.append("start") }
    return words
  }
}
