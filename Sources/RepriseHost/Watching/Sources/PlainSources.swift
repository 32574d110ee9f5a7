// The sources of events that need no listening: the control socket, and the start of the watch.

import Reprise
import RepriseJournal

extension SocketTrigger: TriggerSource {
  /// Does nothing: `Watch+Control` passes the events of the control socket to the inbox.
  func start(in sources: WatchSources) {}
}

extension StartTrigger: TriggerSource {
  func start(in sources: WatchSources) {
    sources.inbox.put(WatchEvent(Trigger(.start, time: sources.now)))
  }
}
