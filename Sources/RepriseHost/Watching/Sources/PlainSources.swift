// The sources of events that need no listening: the control socket, and the start of the watch.

import Reprise
import RepriseJournal

extension SocketTrigger: TriggerSource {
  /// Does nothing: the control socket of the watch hands in its events (`Watch+Control`).
  func start(in sources: WatchSources) {}
}

extension StartTrigger: TriggerSource {
  func start(in sources: WatchSources) {
    sources.inbox.put(WatchEvent(Trigger(.start, time: sources.now)))
  }
}
