// The display of a watch: shows its runs one after the other, and where it stands between them. How a run
// looks is the business of the displays of runs.

import Dispatch
package import Reprise
import Synchronization

/// Shows a watch from its runs and its status.
package final class WatchDisplay: Sendable {
  /// What keys do, and what is shown.
  package struct Controls: Sendable {
    /// What keys do to the run that they mean; nil when none is under way.
    package var keys: @Sendable () -> DisplayControls?
    /// Where the watch stands.
    package var status: @Sendable () -> WatchStatus?
    /// Starts a run now.
    package var fire: @Sendable () -> Void
    /// Lets no run begin, or lets them begin again.
    package var pause: @Sendable () -> Void
    /// Is told that nobody reads the output any more.
    package var outputClosed: @Sendable () -> Void

    /// Puts controls together.
    ///
    /// - Parameters:
    ///   - keys: What keys do to the run that they mean.
    ///   - status: Where the watch stands.
    ///   - fire: Starts a run now.
    ///   - pause: Lets no run begin, or lets them begin again.
    ///   - outputClosed: Is told that nobody reads the output any more.
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

  /// Whether people read what is shown, and not other programs.
  package let isForPeople: Bool
  private let style: ProgressStyle
  private let environment: [String: String]
  private let isParallel: Bool
  private let controls: Controls
  /// One display for all runs, where they come one after the other.
  private let common: (any EventDisplay)?
  private let last = Mutex<Task<Void, Never>?>(nil)
  private let statusQueue = DispatchQueue(label: "reprise.watch.status")
  private let isStatusDue = Mutex(false)

  /// Makes a display.
  ///
  /// - Parameters:
  ///   - style: How progress is shown.
  ///   - environment: Where `TERM`, `NO_COLOR` and the locale are read.
  ///   - isParallel: Whether runs may be under way side by side; they are shown as lines then.
  ///   - controls: What keys do.
  package init(
    style: ProgressStyle, environment: [String: String], isParallel: Bool, controls: Controls
  ) {
    self.style = isParallel && (style == .auto || style == .tree) ? .plain : style
    self.environment = environment
    self.isParallel = isParallel
    self.controls = controls
    isForPeople = style.isForPeople
    common =
      isTree(self.style, output: 1, environment: environment)
      ? makeDisplay(
        self.style, output: 1, input: 0, environment: environment,
        controls: Self.runControls(controls)) : nil
  }

  private static func runControls(_ controls: Controls) -> DisplayControls {
    var result = DisplayControls(
      restart: { controls.keys()?.restart() }, cancel: { controls.keys()?.cancel() },
      kill: { controls.keys()?.kill() }, approve: { controls.keys()?.approve($0, $1) },
      outputClosed: controls.outputClosed)
    result.fire = controls.fire
    result.pause = controls.pause
    return result
  }

  /// Shows a run from its beginning to its end, after those before it.
  package func show(_ run: Run) {
    let display =
      common
      ?? makeDisplay(
        style, output: 1, input: 0, environment: environment, controls: Self.runControls(controls),
        prefix: isParallel ? " \(run.id)" : "")
    last.withLock { last in
      let before = last
      last = Task { [isParallel] in
        if !isParallel { await before?.value }
        for await event in run.events.values { display.show(event) }
        display.rest()
        if isParallel { await before?.value }
      }
    }
  }

  /// Shows where the watch stands by now.
  package func statusChanged() {
    guard let common else { return }
    let isFirst = isStatusDue.withLock { isDue in
      defer { isDue = true }
      return !isDue
    }
    guard isFirst else { return }
    // Of changes that follow one another quickly, the last is shown.
    statusQueue.asyncAfter(deadline: .now() + .milliseconds(30)) { [self] in
      isStatusDue.withLock { $0 = false }
      if let status = controls.status() { common.show(status) }
    }
  }

  /// Shows a line that belongs to no run.
  ///
  /// - Parameter text: For people; may have several lines.
  package func say(_ text: String) {
    guard let common else {
      _ = TerminalDevice(descriptor: 2).write("\(TerminalSafe(lines: text))\n")
      return
    }
    common.say(text)
  }

  /// Shows what starts a run or takes one again, where runs are shown as lines.
  ///
  /// - Parameters:
  ///   - trigger: The event.
  ///   - words: The event in words.
  ///   - run: The run that handles it.
  package func announce(_ trigger: Trigger, _ words: String, run: RunID) {
    let line: TerminalSafe
    switch style {
    case .json:
      line = TerminalSafe(
        json: #"{"event":"\#(Event.triggerName)","run":"\#(run)","trigger":\#(trigger.json)}"#)
    case .plain, .auto:
      guard common == nil else { return }
      let now = SystemClock().now
      let time = now.advanced(by: localTimeOffset(now)).description.dropFirst(11).prefix(12)
      line = "\(time)\(isParallel ? " \(run)" : "") trigger \(TerminalSafe(words))"
    case .tree, .none: return
    }
    if !TerminalDevice(descriptor: 1).write(line + "\n") { controls.outputClosed() }
  }

  /// Waits until the last run has been shown, and leaves the terminal as it was found.
  package func finish() async {
    await last.withLock { $0 }?.value
    common?.finish()
  }
}
