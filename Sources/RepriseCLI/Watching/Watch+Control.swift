// What is asked of a watch from outside: by signals, by keys, by other terminals. What it does by itself is
// in Watch.

import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal

extension Watch: SignalTarget {
  func receive(_ signal: Int32) {
    guard signal != SignalListener.restarting else {
      runs.newest?.restart()
      return
    }
    // The first one cancels the runs, a second one kills them. In this order: the end of the watch cancels
    // its runs too, and a signal that finds a run being cancelled would be taken for the second.
    runs.receive(signal)
    stop(signal)
  }

  func freeze() {
    runs.freeze()
  }
}

extension Watch: ControlTarget {
  /// Starts a run because somebody wants it.
  func fire() {
    inbox.put(WatchEvent(Trigger(kind: .manual, time: SystemClock().now.description)))
  }

  /// The run that keys mean.
  var newestRun: Run? { runs.newest }

  func trigger(
    parameters: [String: String], answer: @escaping @Sendable (ControlReply) -> Void
  ) {
    let event = WatchEvent(
      Trigger(kind: .socket, time: SystemClock().now.description), parameters: parameters)
    if let reason = refusal(of: event) { return answer(.refused(reason)) }
    inbox.put(event) { result in
      switch result {
      case .accepted: answer(.ok)
      case .refused(let reason): answer(.refused(reason))
      }
    }
  }

  /// Why an event that somebody waits for cannot be accepted.
  private func refusal(of event: WatchEvent) -> String? {
    guard triggers.hasSocket else {
      return "the workflow \"\(watch.workflow)\" has no \"socket: true\" under \"on\""
    }
    if triggers.whenBusy == .ignore, runs.isBusy || inbox.waitingCount > 0 {
      return "a run is under way, and when-busy is ignore"
    }
    if triggers.whenBusy == .queue, triggers.buffer.whenFull != .dropOldest,
      inbox.waitingCount >= triggers.buffer.size
    {
      return "\(triggers.buffer.size) events wait, and no more may"
    }
    do throws(Problem) {
      _ = try runs.load(for: event)
      return nil
    } catch {
      return error.text.string
    }
  }

  func restart(from step: String?) -> ControlReply { .refused(Self.isNoRun) }
  func cancel(now: Bool) {}
  func decide(on step: String, isApproved: Bool) -> ControlReply { .refused(Self.isNoRun) }
  var controlEvents: RunEvents? { nil }

  private static let isNoRun = "this is the watch of a workflow, and not a run"
}

extension Watch {
  /// Where the watch stands.
  var watchStatus: WatchStatus? {
    var status = WatchStatus(workflow: watch.workflow, triggers: triggers.words)
    inbox.describe(in: &status)
    status.isPaused = isPaused
    status.next = sources.next
    status.runs = runs.live
    return status
  }

  /// Has the display show where the watch stands by now.
  func showStatus() {
    display.statusChanged()
  }
}
