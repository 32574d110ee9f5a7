// What is asked of a watch from outside: by signals, by keys, by other terminals. What it does by itself is
// in Watch.

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
  /// Starts a run, as the key of a display asks for.
  package func fire() {
    guard isReady else { return }
    inbox.put(WatchEvent(Trigger(.manual, time: SystemClock().now.description)))
  }

  /// What controls the run that keys mean: the newest one.
  package var newest: RunControls? { runs.newest }

  package func trigger(
    parameters: [String: String], answer: @escaping @Sendable (ControlReply) -> Void
  ) {
    let event = WatchEvent(
      Trigger(.socket, time: SystemClock().now.description), parameters: parameters)
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

  package func restart(from step: String?) -> ControlReply { .refused(Self.isNoRun) }
  package func cancel(now: Bool) {}
  package func decide(on step: String, isApproved: Bool) -> ControlReply { .refused(Self.isNoRun) }
  package var controlEvents: RunEvents? { nil }

  private static let isNoRun = "this is the watch of a workflow, and not a run"
}

extension Watch {
  /// The state of the watch.
  package var watchStatus: WatchStatus? {
    var status = WatchStatus(workflow: watch.workflow, triggers: triggers.words)
    inbox.describe(in: &status)
    status.isPaused = isPaused
    status.next = sources.next
    status.runs = runs.live
    return status
  }
}
