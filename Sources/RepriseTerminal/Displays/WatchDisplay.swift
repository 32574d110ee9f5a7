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
    /// Returns the status of the watch, or of each watch of a project.
    package var statuses: @Sendable () -> [WatchStatus]
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
    ///   - statuses: Returns the status of the watch, or of each watch of a project.
    ///   - fire: Starts a run now.
    ///   - pause: Pauses or continues the watch.
    ///   - outputClosed: Called when the output has been closed.
    package init(
      keys: @escaping @Sendable () -> DisplayControls?,
      statuses: @escaping @Sendable () -> [WatchStatus],
      fire: @escaping @Sendable () -> Void, pause: @escaping @Sendable () -> Void,
      outputClosed: @escaping @Sendable () -> Void
    ) {
      self.keys = keys
      self.statuses = statuses
      self.fire = fire
      self.pause = pause
      self.outputClosed = outputClosed
    }
  }

  /// How the runs follow one another.
  package enum Runs: Sendable {
    /// One at a time; lines name none.
    case single
    /// They may overlap; each line begins with the id of its run.
    case parallel
    /// They are of several workflows; each line begins with the name of the workflow.
    case ofProject
  }

  /// Whether the output is for humans rather than other programs.
  package let isHumanReadable: Bool
  private let style: ProgressStyle
  private let environment: [String: String]
  private let runs: Runs
  /// Whether the end of each run is notified on the terminal.
  private let notifies: Bool
  private let controls: Controls
  /// The display shared by all runs, if they run one at a time.
  private let common: (any EventDisplay)?
  private let last = Mutex<Task<Void, Never>?>(nil)
  private let statusQueue = DispatchQueue(label: "reprise.watch.status")
  private let isStatusDue = Mutex(false)
  /// What was said last in lines.
  private let said = Mutex(SaidStatuses())

  /// Creates a display.
  ///
  /// - Parameters:
  ///   - style: The style of the display.
  ///   - environment: The environment with `TERM`, `NO_COLOR` and so on, and the locale.
  ///   - runs: How the runs follow one another; if not one at a time, they are shown as lines.
  ///   - notifies: Whether the end of each run is notified on the terminal.
  ///   - controls: The callbacks of the display.
  package init(
    style: ProgressStyle, environment: [String: String], runs: Runs, notifies: Bool = false,
    controls: Controls
  ) {
    let style = style.resolved(environment: environment)
    self.style = runs != .single && style == .tree ? .plain : style
    self.environment = environment
    self.runs = runs
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
        prefix: prefix(run.id, of: run.workflow.name))
    last.withLock { last in
      let before = last
      last = Task { [runs, notifies] in
        if runs == .single { await before?.value }
        for await event in run.events.values { display.show(event) }
        display.rest()
        if notifies {
          let outcome = await run.ended()
          EndNotification(workflow: run.workflow.name, ending: run.state.text(of: outcome)).send()
        }
        if runs != .single { await before?.value }
      }
    }
  }

  /// What the lines of a run begin with, after the time.
  private func prefix(_ run: RunID, of workflow: String) -> String {
    switch runs {
    case .single: ""
    case .parallel: " \(run)"
    case .ofProject: " \(workflow)"
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
      let statuses = controls.statuses()
      guard let common else { return sayWaiting(statuses) }
      if let status = statuses.first { common.show(status) }
    }
  }

  /// Says in lines what each watch waits for, while none of its runs is in progress, unless that was
  /// said last.
  private func sayWaiting(_ statuses: [WatchStatus]) {
    let isJSON = style == .json
    let (news, next) = said.withLock { said in
      (
        statuses.filter { said.isNews($0, ofProject: runs == .ofProject, withTimes: isJSON) },
        isJSON || runs != .ofProject ? nil : said.newNext(of: statuses)
      )
    }
    for status in news {
      write(isJSON ? status.waitingJSON : "\(Self.time) \(status.waitingLine)\n")
    }
    if let next { write("\(Self.time) next: \(next)\n") }
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
  ///   - workflow: The name of its workflow.
  package func announce(_ trigger: Trigger, _ words: String, run: RunID, of workflow: String) {
    let line: TerminalSafe
    switch style {
    case .json:
      line = TerminalSafe(
        json: #"{"event":"\#(Event.triggerName)","run":"\#(run)","trigger":\#(trigger.json)}"#)
    case .plain, .github, .auto:
      guard common == nil else { return }
      line = "\(Self.time)\(TerminalSafe(prefix(run, of: workflow))) trigger \(TerminalSafe(words))"
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

/// What was said last of what watches wait for.
private struct SaidStatuses {
  private var all: [String: WatchStatus] = [:]
  private var next: Timestamp?

  /// Returns whether the status of a watch is worth a line, which is written then.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - isOfProject: Whether there are others, so that a new one is said during its runs, too, and
  ///     the time of its next run does not count.
  ///   - withTimes: Whether that time counts all the same.
  /// - Returns: Whether it is.
  mutating func isNews(_ status: WatchStatus, ofProject isOfProject: Bool, withTimes: Bool) -> Bool
  {
    guard status.runs.isEmpty || isOfProject && all[status.workflow] == nil else { return false }
    let last = all.updateValue(status, forKey: status.workflow)
    // That no moment is left, as at the end of the watch, is no news.
    let isKnown = last?.triggers == status.triggers && last?.isPaused == status.isPaused
    return !isKnown
      || (withTimes || !isOfProject) && status.next != nil && last?.next != status.next
  }

  /// Returns the next moment of all schedules with the workflow, if it is another one than before,
  /// and no run is live.
  mutating func newNext(of statuses: [WatchStatus]) -> TerminalSafe? {
    let coming = statuses.compactMap { status in status.next.map { ($0, status.workflow) } }
    guard statuses.allSatisfy(\.runs.isEmpty),
      let (first, name) = coming.min(by: { $0.0.microseconds < $1.0.microseconds }), first != next
    else { return nil }
    next = first
    return "\(TerminalSafe(name)) at \(first.localMoment)"
  }
}

extension Timestamp {
  fileprivate var localMoment: TerminalSafe {
    let local = advanced(by: localTimeOffset(self)).description
    return "\(local.prefix(10)) \(local.dropFirst(11).prefix(8))"
  }
}

extension WatchStatus {
  /// What the watch waits for, as one line of plain text.
  fileprivate var waitingLine: TerminalSafe {
    let what = triggers.map { TerminalSafe($0) }.joined(separator: "; ")
    if isPaused { return "watching \(workflow), paused: \(what)" }
    let next = next.map { "; next at " + $0.localMoment } ?? ""
    return "watching \(workflow): \(what)" + next
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
