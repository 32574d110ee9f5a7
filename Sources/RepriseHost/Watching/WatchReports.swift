// The reports of a watch to displays, delivered in order without blocking the watch.

package import CombineOperators
import Dispatch
package import Reprise
import Synchronization

/// A report of a watch to displays.
package enum WatchReport: Sendable {
  /// A run has started.
  case began(Run)
  /// An event starts or restarts a run of a workflow.
  case handled(Trigger, by: RunID, of: String)
  /// ``Watch/watchStatus`` has changed.
  case statusChanged
  /// A message to the user.
  case message(String)
}

/// The reports of a watch.
///
/// Delivered one after the other on a separate queue, so that a blocking display delays neither
/// events nor runs. Pending changes of the status are coalesced.
package final class WatchReports: Sendable {
  /// The subject is not declared `Sendable`, but it is thread-safe; values are sent on one queue.
  private let subject = UncheckedSendable(PassthroughSubject<WatchReport, Never>())
  private let queue = DispatchQueue(label: "reprise.watch.reports")
  private let isStatusDue = Mutex(false)
  /// The dropped events that have not been reported.
  private let drops = Mutex<(count: Int, last: String)>((0, ""))

  /// Publishes the reports.
  package var publisher: AnyPublisher<WatchReport, Never> { subject.value.eraseToAnyPublisher() }

  func send(_ report: WatchReport) {
    guard case .statusChanged = report else {
      queue.async { [self] in subject.value.send(report) }
      return
    }
    let isDue = isStatusDue.withLock { isDue in
      defer { isDue = true }
      return isDue
    }
    guard !isDue else { return }
    queue.async { [self] in
      isStatusDue.withLock { $0 = false }
      subject.value.send(report)
    }
  }

  /// Reports a dropped event; those that a slow display has not shown yet become one message.
  func dropped(_ words: String, because reason: String) {
    let isFirst = drops.withLock { drops in
      drops = (drops.count + 1, words)
      return drops.count == 1
    }
    guard isFirst else { return }
    queue.async { [self] in
      let (count, last) = drops.withLock { drops in
        defer { drops = (0, "") }
        return drops
      }
      let what = count == 1 ? "event dropped" : "\(count) events dropped"
      subject.value.send(
        .message("\(what), because \(reason): \(count == 1 ? "" : "… ")\(last)"))
    }
  }

  /// Waits until all reports sent so far have been delivered.
  func flush() async { await queue.result(of: {}) }
}
