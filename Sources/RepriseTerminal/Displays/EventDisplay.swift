// What all displays of events have in common, and the actions that their keys can ask for.

package import Reprise

/// The callbacks of a display: the actions of its keys, and the notification of a closed output.
package struct DisplayControls: Sendable {
  /// Asks the run for something because of a key; returns what it does now, or why it does not.
  package var request: @Sendable (_ intervention: Intervention, _ key: String) async -> KeyAnswer =
    { _, _ in ("error: no run is live", false) }
  /// Called when the output has been closed.
  package var outputClosed: @Sendable () -> Void
  /// Reads the workflow file again, and restarts the steps that have changed and their dependents.
  ///
  /// A dry run only says what would happen. Returns what happens now, or why nothing does; the text
  /// may have several lines.
  package var reload: @Sendable (_ isDryRun: Bool) async -> KeyAnswer = {
    _ in ("there is no workflow file to read again", false)
  }
  /// Says what the workflow file would change if a run that is over were resumed, and whether it can be.
  package var previewResume: @Sendable (RunID) async -> KeyAnswer = {
    _ in ("there is no record of the run to resume", false)
  }
  /// Returns a message if the workflow file has changed since the last call; may block.
  package var fileChange: @Sendable () -> String? = { nil }
  /// Returns the path of the workflow file, and the line of a step in it if it is found.
  package var place: @Sendable (_ step: String) -> (path: String, line: Int?)? = { _ in nil }
  /// Starts a run of a watch now.
  package var fire: @Sendable () -> Void = {}
  /// Pauses or continues a watch.
  package var pause: @Sendable () -> Void = {}
  /// Leaves the run alone and ends the display; nil if the run would end, too.
  package var detach: (@Sendable () -> Void)?
  /// Lets the run go on in the background, once the display has ended; nil if that is impossible.
  package var depart: (@Sendable () -> Void)?
  /// Returns the logs of a step, oldest first; nil if the run is not recorded.
  package var logs: (@Sendable (RunID, _ step: String) -> [StepLog])?
  /// Opens files in a pager, and returns once it is closed; a message if that fails.
  package var page: @Sendable (_ paths: [String]) async -> String? = { _ in nil }
  /// Whether the display fills the window and leaves no trace, as between two looks at the list of runs.
  package var fillsWindow = false
  /// What `T` does.
  package var runs = RunsAccess.none
  /// Edits the workflow file at a step, and returns when the editor has ended; a message if there
  /// is something to say.
  package var edit: @Sendable (_ step: String?) async -> String? = { _ in nil }
  /// Prepares what is to happen after the display has ended; a message if that is impossible.
  package var prepareToLeave: @Sendable (RunID, DisplayEnding) async -> String? = { _, _ in nil }
  /// Returns whether the display waits for keys after the end of a run.
  package var staysAfter: @Sendable (RunPhase) -> Bool = { _ in false }

  /// Creates controls.
  ///
  /// - Parameter outputClosed: Called when the output has been closed.
  package init(outputClosed: @escaping @Sendable () -> Void) {
    self.outputClosed = outputClosed
  }
}

/// How a display of a run shows the list of runs.
package enum RunsAccess: Sendable {
  /// There is none.
  case none
  /// Shows it on the same terminal, and returns once the user comes back; a message if that fails.
  case opened(@Sendable () async -> String?)
  /// Ends the display, since it was opened from the list.
  case left(@Sendable () -> Void)
}

/// What a run does now that a key has asked for something, or why nothing happens.
package typealias KeyAnswer = (text: String, isAccepted: Bool)

/// A display that shows events.
///
/// Called by one thread at a time.
protocol EventDisplay: Sendable {
  func show(_ event: Event)
  /// Takes the state of a run of which no events are shown.
  func take(_ state: RunState)
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

extension EventDisplay {
  func take(_ state: RunState) { for event in state.recap { show(event) } }
}
