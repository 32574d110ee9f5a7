// The requests to a watch: from signals, keys and other terminals.

import Platform
package import Reprise
package import RepriseControl
import RepriseJournal
import RepriseTerminal

extension Watch: SignalTarget {
  package func receive(_ signal: Int32) {
    guard signal != SignalNumber.user1 else {
      newest?.restart()
      return
    }
    // The first one cancels the runs, a second one kills them.
    runs.receive(signal)
    end(because: .signal(signal))
  }

  package func freeze() {
    runs.freeze()
  }
}

extension Watch: ControlTarget {
  /// Starts a run; called when the user presses `t`.
  package func fire() {
    guard isReady else { return }
    inbox.put(WatchEvent(Trigger(.manual, time: SystemClock().now.description)))
  }

  /// The controls of the newest run, on which keys act.
  package var newest: RunControls? { runs.newest }

  package func trigger(
    parameters: [String: String], waits: Bool, within callers: [String] = [],
    answer: @escaping @Sendable (ControlReply) -> Void
  ) {
    if waits, triggers.whenBusy != .parallel,
      let caller = runs.live.first(where: { callers.contains($0.description) })
    {
      return answer(
        .refused("run \(caller) of this watch waits for the command, which would wait for its end"))
    }
    let event = WatchEvent(
      Trigger(.socket, time: SystemClock().now.description), parameters: parameters)
    if let reason = refusal(of: event) { return answer(.refused(reason)) }
    let onEnd: @Sendable (WatchInbox.End) -> Void = { if waits { answer(ControlReply($0)) } }
    inbox.put(
      event,
      answer: { result in
        switch result {
        case .accepted where waits: break
        case .accepted: answer(.ok)
        case .refused(let reason): answer(.refused(reason))
        }
      }, onEnd: onEnd)
  }

  /// Returns why an event of a client cannot be accepted, or nil if it can.
  private func refusal(of event: WatchEvent) -> String? {
    if triggers.whenBusy == .ignore, runs.isBusy || inbox.waitingCount > 0 {
      return "a run is in progress, and when-busy is ignore"
    }
    let dropsOldest = triggers.buffer.isPolicyChosen && triggers.buffer.whenFull == .dropOldest
    if triggers.whenBusy == .queue, !dropsOldest, inbox.waitingCount >= triggers.buffer.size {
      return "the buffer is full: \(triggers.buffer.size) events are queued"
    }
    do throws(Problem) {
      _ = try runs.load(for: event)
      return nil
    } catch {
      return error.text.string
    }
  }

  package func perform(
    _ intervention: Intervention, by requester: Requester,
    answer: @escaping @Sendable (ControlReply) -> Void
  ) {
    answer(.refused(Self.isNoRun))
  }

  package var controlEvents: Result<RunEvents, InterventionRefusal> {
    .failure(InterventionRefusal(Self.isNoRun))
  }

  private static let isNoRun = "this is a watch, not a run"
}

extension Watch {
  /// The status of the watch.
  package var watchStatus: WatchStatus? {
    var status = WatchStatus(workflow: watch.workflow, triggers: triggers.words)
    inbox.describe(in: &status)
    status.isPaused = isPaused
    status.next = sources.next
    status.runs = runs.live
    return status
  }
}

extension ControlReply {
  /// The reply to a client that waits for the end of its event.
  fileprivate init(_ end: WatchInbox.End) {
    switch end {
    case .handled(let run): self = .handled(by: run)
    case .dropped:
      self = .refused("no run handles the event: it was dropped; see the watch for why")
    case .left: self = .refused("the watch has ended; the next watch handles the event")
    }
  }
}
