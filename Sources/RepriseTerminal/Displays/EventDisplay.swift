// What all displays of events have in common, and the actions that their keys can ask for.

package import Reprise

/// The callbacks of a display: the actions of its keys, and the notification of a closed output.
package struct DisplayControls: Sendable {
  /// Restarts the run from the top.
  package var restart: @Sendable () -> Void
  /// Cancels the run.
  package var cancel: @Sendable () -> Void
  /// Cancels the run without a grace period.
  package var kill: @Sendable () -> Void
  /// Approves or rejects a step that is waiting for approval.
  package var approve: @Sendable (_ step: String, _ isApproved: Bool) -> Void
  /// Called when the output has been closed.
  package var outputClosed: @Sendable () -> Void
  /// Restarts a step, or the steps of a group, and their dependents.
  package var restartFrom: @Sendable (_ step: String) -> Void = { _ in }
  /// Cancels a step, while the run continues; kills it if it is already being cancelled.
  package var cancelStep: @Sendable (_ step: String) -> Void = { _ in }
  /// Reads the workflow file again, and restarts the steps that have changed and their dependents.
  ///
  /// A dry run only says what would happen. Returns what happens now, or why nothing does; the text
  /// may have several lines.
  package var reload: @Sendable (_ isDryRun: Bool) async -> (text: String, isAccepted: Bool) = {
    _ in ("there is no workflow file to read again", false)
  }
  /// Returns the path of the workflow file, and the line of a step in it if it is found.
  package var place: @Sendable (_ step: String) -> (path: String, line: Int?)? = { _ in nil }
  /// Starts a run of a watch now.
  package var fire: @Sendable () -> Void = {}
  /// Pauses or continues a watch.
  package var pause: @Sendable () -> Void = {}
  /// Leaves the run alone and ends the display; nil if the run would end, too.
  package var detach: (@Sendable () -> Void)?
  /// Returns the logs of a step, oldest first; nil if the run is not recorded.
  package var logs: (@Sendable (RunID, _ step: String) -> [StepLog])?
  /// Opens files in a pager, and returns once it is closed; a message if that fails.
  package var page: @Sendable (_ paths: [String]) async -> String? = { _ in nil }
  /// Edits the workflow file at a step, and returns when the editor has ended; a message if there
  /// is something to say.
  package var edit: @Sendable (_ step: String?) async -> String? = { _ in nil }
  /// Prepares what is to happen after the display has ended; a message if that is impossible.
  package var prepareToLeave: @Sendable (RunID, DisplayEnding) async -> String? = { _, _ in nil }
  /// Returns whether the display waits for keys after the end of a run.
  package var staysAfter: @Sendable (RunPhase) -> Bool = { _ in false }

  /// Creates controls.
  ///
  /// - Parameters:
  ///   - restart: Restarts the run from the top.
  ///   - cancel: Cancels the run.
  ///   - kill: Cancels the run without a grace period.
  ///   - approve: Approves or rejects a step that is waiting for approval.
  ///   - outputClosed: Called when the output has been closed.
  package init(
    restart: @escaping @Sendable () -> Void, cancel: @escaping @Sendable () -> Void,
    kill: @escaping @Sendable () -> Void,
    approve: @escaping @Sendable (_ step: String, _ isApproved: Bool) -> Void,
    outputClosed: @escaping @Sendable () -> Void
  ) {
    self.restart = restart
    self.cancel = cancel
    self.kill = kill
    self.approve = approve
    self.outputClosed = outputClosed
  }
}

/// A display that shows events.
///
/// Called by one thread at a time.
protocol EventDisplay: Sendable {
  func show(_ event: Event)
  /// Ends the display after the last event, and restores the terminal.
  ///
  /// The display may stay until the user leaves it; `leave` is called once, when it has ended.
  func finish(then leave: @escaping @Sendable (DisplayEnding) -> Void)
  /// Ends a display that stays after the end of its run.
  func leave()
  /// Prepares for the next run, after the last event of one of several runs.
  func rest()
  /// Shows a message that does not belong to a run.
  func say(_ text: String)
  /// Shows the status of the watch that the runs belong to.
  func show(_ status: WatchStatus)
}
