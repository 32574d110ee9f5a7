// Converts the `when-busy` policy of a workflow to the policy of the engine.

import Reprise

extension WhenBusy {
  init(_ triggers: Triggers, room: Int) {
    switch triggers.whenBusy {
    case .restart: self = .restart
    case .ignore: self = .ignore
    case .parallel: self = .parallel()
    case .queue:
      self = .queue(limit: max(triggers.buffer.size, room), whenFull: triggers.buffer.whenFull)
    }
  }
}
