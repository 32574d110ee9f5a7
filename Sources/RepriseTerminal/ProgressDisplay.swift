// The display of a run: selects an `EventDisplay` for a progress style and feeds it events.

package import CombineOperators
package import Reprise
import Synchronization

/// The style of the progress display.
package enum ProgressStyle: String, Sendable, CaseIterable {
  /// A tree on a terminal, plain lines elsewhere.
  case auto
  /// A tree of steps, redrawn in place.
  case tree
  /// A line for each transition and each line of output.
  case plain
  /// One JSON event per line.
  case json
  /// Only a report of failures at the end.
  case none

  /// Whether human-readable messages may be written alongside.
  package var isHumanReadable: Bool { [.auto, .tree, .plain].contains(self) }
}

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
  /// Restarts a step and its dependents.
  package var restartFrom: @Sendable (_ step: String) -> Void = { _ in }
  /// Cancels a step, while the run continues; kills it if it is already being cancelled.
  package var cancelStep: @Sendable (_ step: String) -> Void = { _ in }
  /// Reads the workflow file again and restarts the run with it; only the steps that have changed
  /// and their dependents if `changedOnly` is true.
  ///
  /// Returns what happens now, or why nothing does; may have several lines.
  package var reload: @Sendable (_ changedOnly: Bool) async -> String = { _ in
    "there is no workflow file to read again"
  }
  /// Returns the path of the workflow file, and the line of a step in it if it is found.
  package var place: @Sendable (_ step: String) -> (path: String, line: Int?)? = { _ in nil }
  /// Starts a run of a watch now.
  package var fire: @Sendable () -> Void = {}
  /// Pauses or continues a watch.
  package var pause: @Sendable () -> Void = {}

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
  func finish()
  /// Prepares for the next run, after the last event of one of several runs.
  func rest()
  /// Shows a message that does not belong to a run.
  func say(_ text: String)
  /// Shows the status of the watch that the runs belong to.
  func show(_ status: WatchStatus)
}

/// Shows a run from its events alone, independent of their source.
package final class ProgressDisplay: Sendable {
  // @unchecked: a subscription is not Sendable; this one is only stored and released.
  private struct Listening: @unchecked Sendable {
    var subscription: AnyCancellable?
    var isFinished = false
    var waiting = Waiters()
  }

  private let display: any EventDisplay
  private let listening = Mutex(Listening())

  /// Creates a display, which shows nothing until it is attached.
  ///
  /// - Parameters:
  ///   - style: The style of the display.
  ///   - output: The descriptor to write to.
  ///   - input: The descriptor to read keys from, if it is a terminal.
  ///   - environment: The environment with `TERM`, `NO_COLOR` and the locale.
  ///   - joinedAt: The time of attaching to a run in progress: plain lines mark earlier events as a
  ///     replay. Nil if the display is attached from the start.
  ///   - controls: The actions of the keys.
  package init(
    style: ProgressStyle, output: Int32 = 1, input: Int32 = 0, environment: [String: String],
    joinedAt: Timestamp? = nil, controls: DisplayControls
  ) {
    display = makeDisplay(
      style, output: output, input: input, environment: environment, controls: controls,
      joinedAt: joinedAt)
  }

  /// Subscribes to the events of a run and shows them.
  ///
  /// Must be called at most once.
  ///
  /// - Parameter events: The events of one run.
  package func attach(to events: some Publisher<Event, Never>) {
    let subscription = events.sink { [self] _ in
      display.finish()
      let waiting = listening.withLock { listening in
        listening.isFinished = true
        return listening.waiting.takeAll()
      }
      waiting.wake()
    } receiveValue: { [display] event in
      display.show(event)
    }
    let held = Listening(subscription: subscription)
    listening.withLock { $0.subscription = held.subscription }
  }

  /// Waits until the last event has been shown and the terminal is restored.
  package func finish() async {
    await listening.wait(until: { $0.isFinished }, among: { $0.waiting.add($1) })
  }
}

/// Returns the display for a style and an output.
func makeDisplay(
  _ style: ProgressStyle, output: Int32, input: Int32, environment: [String: String],
  controls: DisplayControls, prefix: String = "", joinedAt: Timestamp? = nil
) -> any EventDisplay {
  let look = Style(environment: environment)
  let device = TerminalDevice(descriptor: output)
  let plainLook = Style(hasColour: false, hasUnicode: look.hasUnicode)
  switch style {
  case .auto, .tree, .plain:
    guard isTree(style, output: output, environment: environment) else {
      return LineDisplay(
        device: device, controls: controls, content: .plain(plainLook), prefix: prefix,
        joinedAt: joinedAt)
    }
    return TreeDisplay(
      device: device, keys: TerminalDevice(descriptor: input), style: look, controls: controls)
  case .json: return LineDisplay(device: device, controls: controls, content: .json)
  case .none:
    return LineDisplay(
      device: TerminalDevice(descriptor: 2), controls: controls, content: .report(plainLook))
  }
}

/// Returns whether runs are shown as a tree.
func isTree(_ style: ProgressStyle, output: Int32, environment: [String: String]) -> Bool {
  let isTerminal = TerminalDevice(descriptor: output).isTerminal
  return style == .tree || style == .auto && isTerminal && environment["TERM"] != "dumb"
}
