// The line display, for pipes and logs. Writes synchronously, so that a slow reader applies
// back-pressure and memory stays bounded.

import Dispatch
import Reprise
import Synchronization

/// Shows a run as lines.
final class LineDisplay: EventDisplay {
  /// The format of the lines.
  enum Content: Sendable {
    case plain(Style)
    case json
    /// Only the report at the end of the run.
    case report(Style)
  }

  private struct State {
    var log: PlainLog
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

  /// Creates a display.
  ///
  /// - Parameters:
  ///   - device: The device to write to.
  ///   - controls: The callbacks; only `outputClosed` is used.
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
    case .plain(let given), .report(let given): style = given
    case .json: style = Style(hasColour: false, hasUnicode: false)
    }
    state = Mutex(
      State(
        log: PlainLog(
          style: style, prefix: prefix, joinedAt: joinedAt, offset: localTimeOffset)))
    guard case .plain = content else { return }
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "reprise.sign-of-life"))
    timer.schedule(deadline: .now() + 1, repeating: 1)
    let source = EventSource(timer) { [weak self] in self?.showSignOfLife() }
    heartbeat.withLock { $0 = source }
  }

  func show(_ event: Event) {
    switch content {
    case .plain: write(state.withLock { $0.log.text(for: event) })
    case .json: write(json.value.line(for: event))
    case .report: state.withLock { $0.log.note(event) }
    }
  }

  func finish(then leave: @escaping @Sendable (DisplayEnding) -> Void) {
    finish()
    leave(.quit)
  }

  func leave() {}

  private func finish() {
    heartbeat.withLock { $0 }?.cancel()
    switch content {
    case .json: break
    case .plain(let style), .report(let style):
      let report = FailureReport(state: state.withLock { $0.log.state }, style: style)
      write(report.lines)
    }
  }

  func rest() {
    finish()
  }

  func say(_ text: String) {
    write("\(TerminalSafe(lines: text))\n")
  }

  func show(_ status: WatchStatus) {}

  private func showSignOfLife() {
    let now = SystemClock().now
    let line = state.withLock { state -> TerminalSafe? in
      guard now - state.lastWrite >= PlainLog.silenceMax else { return nil }
      return state.log.heartbeat(at: now)
    }
    if let line { write([line]) }
  }

  private func write(_ lines: [TerminalSafe]) {
    guard !lines.isEmpty else { return }
    write(lines.joined(separator: "\n") + "\n")
  }

  private func write(_ text: TerminalSafe) {
    guard !text.isEmpty else { return }
    let isClosed = state.withLock { state in
      state.lastWrite = SystemClock().now
      return state.isClosed
    }
    guard !isClosed, !device.write(text) else { return }
    state.withLock { $0.isClosed = true }
    controls.outputClosed()
  }
}
