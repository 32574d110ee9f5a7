// What a watch reports to displays, in order, and without being held up by them.

package import CombineOperators
import Dispatch
package import Reprise
import Synchronization

/// What a watch reports, for displays.
package enum WatchReport: Sendable {
  /// A run has begun.
  case began(Run)
  /// An event starts a run, or restarts one.
  case handled(Trigger, by: RunID)
  /// Something of ``Watch/status`` has changed.
  case statusChanged
  /// Something that people have to know.
  case said(String)
}

/// The reports of a watch.
///
/// Delivered one after the other on a queue of their own: a display that blocks holds up neither events nor
/// runs. Changes of the status that come meanwhile are one report.
package final class WatchReports: Sendable {
  /// Not Sendable as declared, though any thread may use it: values are sent from one queue.
  private let subject = UncheckedSendable(PassthroughSubject<WatchReport, Never>())
  private let queue = DispatchQueue(label: "reprise.watch.reports")
  private let isStatusDue = Mutex(false)

  /// The reports, as they come.
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

  /// Waits until everything so far has been delivered.
  func flush() async { await queue.result(of: {}) }
}
