// The line display, for pipes and logs. Writes synchronously, so that a slow reader applies
// back-pressure and memory stays bounded.

import Dispatch
import Platform
import Reprise
import Synchronization

/// Shows a run as lines.
final class LineDisplay: EventDisplay {
  /// The format of the lines.
  enum Content: Sendable {
    case plain(Style)
    /// Plain lines with the output of each step in a group.
    case github(Style, GitHubJob)
    case json
    /// Only the report at the end of the run.
    case report(Style)
  }

  private struct State {
    var log: PlainLog
    /// The output of steps that waits for their end, under GitHub Actions.
    var groups: GitHubGroups?
    var lastWrite = SystemClock().now
    var isClosed = false
  }

  private let device: TerminalDevice
  private let controls: DisplayControls
  private let content: Content
  // An encoder is not Sendable; only `show` uses it, on one thread at a time.
  private let json = UncheckedSendable(JSONLines())
  private let prefix: String
  private let state: Mutex<State>
  private let heartbeat = Mutex<EventSource?>(nil)
  /// Everything is written on this queue, so that no line is written inside a group.
  private let queue = DispatchQueue(label: "reprise.lines")

  /// Creates a display.
  ///
  /// - Parameters:
  ///   - device: The device to write to.
  ///   - controls: The callbacks; only `outputClosed` and `place` are used.
  ///   - content: The format of the lines.
  ///   - prefix: A text after the time of each line that identifies the run.
  ///   - joinedAt: The time of attaching; earlier events are a replay. Nil if there are none.
  init(
    device: TerminalDevice, controls: DisplayControls, content: Content, prefix: String = "",
    joinedAt: Timestamp? = nil
  ) {
    self.prefix = prefix
    self.device = device
    self.controls = controls
    self.content = content
    let style: Style
    switch content {
    case .plain(let given), .github(let given, _), .report(let given): style = given
    case .json: style = Style(hasColour: false, hasUnicode: false)
    }
    var state = State(
      log: PlainLog(style: style, prefix: prefix, joinedAt: joinedAt, offset: localTimeOffset))
    if case .github(_, let job) = content {
      state.groups = GitHubGroups(job, keepsColours: style.hasColour)
    }
    self.state = Mutex(state)
    // While a step owns the terminal, lines wait.
    let display = LentTerminal.Display(
      name: ObjectIdentifier(self),
      stepAside: { [queue] in
        queue.sync {}
        queue.suspend()
      }, comeBack: { [queue] in queue.resume() })
    LentTerminal.shared.add(display, on: device.descriptor)
    switch content {
    case .json, .report: return
    case .plain, .github: break
    }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + 1, repeating: 1)
    let source = EventSource(timer) { [weak self] in self?.showSignOfLife() }
    heartbeat.withLock { $0 = source }
  }

  func show(_ event: Event) {
    switch content {
    case .plain: write(state.withLock { $0.log.text(for: event) })
    case .github:
      var place: (path: String, line: Int?)?
      if case .step(let id, _, .failed) = event.kind { place = controls.place(id) }
      write(state.withLock { $0.groups?.text(for: event, in: &$0.log, place: place) ?? "" })
    case .json: write(json.value.line(for: event))
    case .report: state.withLock { $0.log.note(event) }
    }
  }

  func take(_ run: RunState) {
    // Only the report at the end needs no text for what has happened.
    guard case .report = content else { return run.recap.forEach(show) }
    state.withLock { $0.log.take(run) }
  }

  func finish(then leave: @escaping @Sendable (DisplayEnding) -> Void) {
    finish()
    leave(.quit)
  }

  func leave() {}

  private func finish() {
    LentTerminal.shared.remove(ObjectIdentifier(self))
    heartbeat.withLock { $0 }?.cancel()
    let run = state.withLock { $0.log.state }
    switch content {
    case .json: break
    case .plain(let style), .report(let style):
      write(lines(FailureReport(state: run, style: style).lines))
    case .github(let style, let job):
      let report = lines(FailureReport(state: run, style: style).lines)
      write(state.withLock { $0.groups?.inertIfNeeded(report) ?? report })
      if let file = job.summaryFile { append(GitHubSummary(state: run), to: file) }
    }
  }

  /// Appends a summary to a file, within the limit of GitHub.
  private func append(_ summary: GitHubSummary, to path: String) {
    do throws(Errno) {
      try appendToFile(path) { size in
        Array(summary.markdown(room: GitHubSummary.bytesMax - size).utf8)
      }
    } catch {
      write("the summary of the run cannot be written to \(path): \("\(error)")\n")
    }
  }

  func rest() {
    finish()
  }

  func say(_ text: String) {
    write("\(TerminalSafe(lines: text))\n")
  }

  func show(_ status: WatchStatus) {}

  /// Writes which steps run, if there was no output for some time; called on the queue.
  private func showSignOfLife() {
    let now = SystemClock().now
    let line = state.withLock { $0.log.heartbeat(at: now, lastWrite: $0.lastWrite) }
    guard let line else { return }
    let text = lines([line])
    writeOnQueue(state.withLock { $0.groups?.inertIfNeeded(text) ?? text })
  }

  private func lines(_ lines: [TerminalSafe]) -> TerminalSafe {
    lines.map { $0 + "\n" }.joined()
  }

  private func write(_ text: TerminalSafe) {
    guard !text.isEmpty else { return }
    queue.sync { writeOnQueue(text) }
  }

  private func writeOnQueue(_ text: TerminalSafe) {
    let isClosed = state.withLock { state in
      state.lastWrite = SystemClock().now
      return state.isClosed
    }
    guard !isClosed, !device.write(text) else { return }
    state.withLock { $0.isClosed = true }
    controls.outputClosed()
  }
}
