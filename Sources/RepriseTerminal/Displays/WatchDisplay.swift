// The display of a watch: shows its runs one after the other, and its status between them.

import Dispatch
package import Reprise
import Synchronization

/// Shows a watch from its runs and its status.
package final class WatchDisplay: Sendable {
  /// The callbacks of the display.
  package struct Controls: Sendable {
    /// Returns the actions of the keys for the current run; nil if there is none.
    package var keys: @Sendable () -> DisplayControls?
    /// Returns the status of the watch.
    package var status: @Sendable () -> WatchStatus?
    /// Starts a run now.
    package var fire: @Sendable () -> Void
    /// Pauses or continues the watch.
    package var pause: @Sendable () -> Void
    /// Called when the output has been closed.
    package var outputClosed: @Sendable () -> Void
    /// Returns the logs of a step, oldest first.
    package var logs: (@Sendable (RunID, _ step: String) -> [StepLog])?

    /// Creates controls.
    ///
    /// - Parameters:
    ///   - keys: Returns the actions of the keys for the current run.
    ///   - status: Returns the status of the watch.
    ///   - fire: Starts a run now.
    ///   - pause: Pauses or continues the watch.
    ///   - outputClosed: Called when the output has been closed.
    package init(
      keys: @escaping @Sendable () -> DisplayControls?,
      status: @escaping @Sendable () -> WatchStatus?,
      fire: @escaping @Sendable () -> Void, pause: @escaping @Sendable () -> Void,
      outputClosed: @escaping @Sendable () -> Void
    ) {
      self.keys = keys
      self.status = status
      self.fire = fire
      self.pause = pause
      self.outputClosed = outputClosed
    }
  }

  /// Whether the output is for humans rather than other programs.
  package let isHumanReadable: Bool
  private let style: ProgressStyle
  private let environment: [String: String]
  private let isParallel: Bool
  /// Whether the end of each run is notified on the terminal.
  private let notifies: Bool
  private let controls: Controls
  /// The display shared by all runs, if they run one at a time.
  private let common: (any EventDisplay)?
  private let last = Mutex<Task<Void, Never>?>(nil)
  private let statusQueue = DispatchQueue(label: "reprise.watch.status")
  private let isStatusDue = Mutex(false)
  /// What the watch waits for, as it was said last in lines.
  private let said = Mutex<WatchStatus?>(nil)

  /// Creates a display.
  ///
  /// - Parameters:
  ///   - style: The style of the display.
  ///   - environment: The environment with `TERM`, `NO_COLOR` and so on, and the locale.
  ///   - isParallel: Whether runs may overlap; if so, they are shown as lines.
  ///   - notifies: Whether the end of each run is notified on the terminal.
  ///   - controls: The callbacks of the display.
  package init(
    style: ProgressStyle, environment: [String: String], isParallel: Bool, notifies: Bool = false,
    controls: Controls
  ) {
    let style = style.resolved(environment: environment)
    self.style = isParallel && style == .tree ? .plain : style
    self.environment = environment
    self.isParallel = isParallel
    self.notifies = notifies
    self.controls = controls
    isHumanReadable = style.isHumanReadable
    common =
      self.style == .tree
      ? makeDisplay(
        self.style, output: 1, input: 0, environment: environment,
        controls: Self.runControls(controls)) : nil
  }

  private static func runControls(_ controls: Controls) -> DisplayControls {
    var result = DisplayControls(outputClosed: controls.outputClosed)
    result.request = { intervention, key in
      await controls.keys()?.request(intervention, key) ?? ("error: no run is live", false)
    }
    result.fire = controls.fire
    result.pause = controls.pause
    result.logs = controls.logs
    return result
  }

  /// Shows a whole run after the previous ones.
  package func show(_ run: Run) {
    let display =
      common
      ?? makeDisplay(
        style, output: 1, input: 0, environment: environment, controls: Self.runControls(controls),
        prefix: isParallel ? " \(run.id)" : "")
    last.withLock { last in
      let before = last
      last = Task { [isParallel, notifies] in
        if !isParallel { await before?.value }
        for await event in run.events.values { display.show(event) }
        display.rest()
        if notifies {
          let outcome = await run.ended()
          EndNotification(workflow: run.workflow.name, ending: run.state.text(of: outcome)).send()
        }
        if isParallel { await before?.value }
      }
    }
  }

  /// Schedules an update of the watch status.
  package func statusChanged() {
    guard style != .none else { return }
    let isFirst = isStatusDue.withLock { isDue in
      defer { isDue = true }
      return !isDue
    }
    guard isFirst else { return }
    // Coalesce changes in quick succession.
    statusQueue.asyncAfter(deadline: .now() + .milliseconds(30)) { [self] in
      isStatusDue.withLock { $0 = false }
      guard let status = controls.status() else { return }
      if let common { common.show(status) } else { sayWaiting(status) }
    }
  }

  /// Says in a line what the watch waits for, while no run is in progress, unless that was said last.
  private func sayWaiting(_ status: WatchStatus) {
    guard status.runs.isEmpty else { return }
    let isNews = said.withLock { said in
      // That no moment is left, as at the end of the watch, is no news.
      let isKnown = said?.triggers == status.triggers && said?.isPaused == status.isPaused
      defer { said = status }
      return !isKnown || status.next != nil && said?.next != status.next
    }
    guard isNews else { return }
    write(style == .json ? status.waitingJSON : "\(Self.time) \(status.waitingLine)\n")
  }

  /// The time of day in lines.
  private static var time: String {
    let now = SystemClock().now
    return String(now.advanced(by: localTimeOffset(now)).description.dropFirst(11).prefix(12))
  }

  /// Writes a line beside those of the runs.
  private func write(_ line: TerminalSafe) {
    let text = style == .github ? GitHubCommand.inertIfNeeded(line) : line
    if !TerminalDevice(descriptor: 1).write(text) { controls.outputClosed() }
  }

  /// Shows a message that does not belong to a run.
  ///
  /// - Parameter text: The message, of one or more lines.
  package func say(_ text: String) {
    guard let common else {
      _ = TerminalDevice(descriptor: 2).write("\(TerminalSafe(lines: text))\n")
      return
    }
    common.say(text)
  }

  /// Shows the event that starts or restarts a run, if runs are shown as lines.
  ///
  /// - Parameters:
  ///   - trigger: The event.
  ///   - words: The description of the event.
  ///   - run: The run that handles it.
  package func announce(_ trigger: Trigger, _ words: String, run: RunID) {
    let line: TerminalSafe
    switch style {
    case .json:
      line = TerminalSafe(
        json: #"{"event":"\#(Event.triggerName)","run":"\#(run)","trigger":\#(trigger.json)}"#)
    case .plain, .github, .auto:
      guard common == nil else { return }
      line = "\(Self.time)\(isParallel ? " \(run)" : "") trigger \(TerminalSafe(words))"
    case .tree, .none: return
    }
    write(line + "\n")
  }

  /// Waits until the last run has been shown, and restores the terminal.
  package func finish() async {
    await last.withLock { $0 }?.value
    guard let common else { return }
    await withCheckedContinuation { continuation in
      common.finish { _ in continuation.resume() }
    }
  }
}

extension WatchStatus {
  /// What the watch waits for, as one line of plain text.
  fileprivate var waitingLine: TerminalSafe {
    let what = triggers.map { TerminalSafe($0) }.joined(separator: "; ")
    if isPaused { return "watching \(workflow), paused: \(what)" }
    let next = next.map { moment -> TerminalSafe in
      let local = moment.advanced(by: localTimeOffset(moment)).description
      return "; next at \(local.prefix(10)) \(local.dropFirst(11).prefix(8))"
    }
    return "watching \(workflow): \(what)" + (next ?? "")
  }

  /// The same as one line of JSON.
  fileprivate var waitingJSON: TerminalSafe {
    struct Line: Encodable {
      let event = "watching"
      let workflow: String
      let triggers: [String]
      let paused: Bool
      let next: Timestamp?
    }
    return JSONLines().line(
      for: Line(workflow: workflow, triggers: triggers, paused: isPaused, next: next))
  }
}
