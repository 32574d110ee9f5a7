// Sources that have nothing to listen to: the socket of the watch, and its beginning.

import Reprise
import RepriseJournal

extension SocketTrigger: TriggerSource {
  /// Nothing: the socket of the watch hands its events in (`Watch+Control`).
  func start(in sources: WatchSources) {}
}

extension StartTrigger: TriggerSource {
  func start(in sources: WatchSources) {
    sources.inbox.put(WatchEvent(Trigger(.start, time: sources.now)))
  }
}
