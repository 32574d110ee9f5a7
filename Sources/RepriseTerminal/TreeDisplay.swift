// The tree display: decides when to draw, and handles keys. `TreeView` renders the rows, and
// `Screen` the codes to write.

import Dispatch
import Platform
import Reprise
import Synchronization

/// Shows a run as a tree that is redrawn in place.
///
/// Events only change the state. Drawing happens on a separate queue, at most ten times a second
/// and only after a change, so that the display cannot block a run. Without events, the times of
/// running steps are updated once a second.
final class TreeDisplay: EventDisplay {
  /// The minimum time between two redraws.
  private static let frameTime: Duration = .milliseconds(100)

  private struct State {
    var run = RunState()
    var watch: WatchStatus?
    var options = TreeView.Options()
    var isScheduled = false
    /// Whether a redraw is scheduled for the start of the next second.
    var isTicking = false
    var lastFrame = Timestamp(microseconds: 0)
    var isOver = false
    /// Whether the process is suspended (Ctrl-Z) or about to be, and another one has the terminal.
    var isSuspended = false
  }

  /// The state used by the drawing queue.
  private struct Drawing {
    var screen = Screen()
    var size: TreeView.Size?
    var isClosed = false
  }

  private let device: TerminalDevice
  private let style: Style
  private let controls: DisplayControls
  private let keyboard: Keyboard
  private let clock = SystemClock()
  private let state = Mutex(State())
  private let drawing = Mutex(Drawing())
  private let queue = DispatchQueue(label: "reprise.display")
  private let windowChanges = Mutex<EventSource?>(nil)

  init(device: TerminalDevice, keys: TerminalDevice, style: Style, controls: DisplayControls) {
    self.device = device
    self.style = style
    self.controls = controls
    keyboard = Keyboard(device: keys)
    catchSignal(SignalNumber.windowChange)
    let hasKeys = keyboard.isUsable
    state.withLock { $0.options.hasKeys = hasKeys }
    let changes = DispatchSource.makeSignalSource(signal: SignalNumber.windowChange, queue: queue)
    let source = EventSource(changes) { [weak self] in self?.redraw() }
    windowChanges.withLock { $0 = source }
    keyboard.start(
      onKey: { [weak self] in self?.press($0) },
      beforeStop: { [weak self] in self?.suspend() },
      afterStop: { [weak self] in self?.resumeDrawing() })
  }

  func show(_ event: Event) {
    state.withLock { state in
      do {
        try state.run.apply(event)
      } catch {
        preconditionFailure("BUG: \(error)")
      }
    }
    schedule()
  }

  func finish() {
    keyboard.stop()
    windowChanges.withLock { $0 }?.cancel()
    state.withLock { $0.isOver = true }
    queue.sync { leaveLastFrame() }
  }

  func rest() {
    queue.sync {
      leaveLastFrame()
      state.withLock { $0.run = RunState() }
    }
    schedule()
  }

  func say(_ text: String) {
    queue.sync {
      write("\(drawing.withLock { $0.screen.clear() })\(TerminalSafe(lines: text))\n")
    }
    schedule()
  }

  func show(_ status: WatchStatus) {
    state.withLock { $0.watch = status }
    schedule()
  }

  private func leaveLastFrame() {
    guard state.withLock({ $0.run.plan != nil }) else {
      // Remove the status of a watch that has ended.
      return write(drawing.withLock { $0.screen.clear() + $0.screen.leave() })
    }
    // Do not fold the last frame to the window size: it stays in the scrollback.
    draw(rows: 200)
    let report = FailureReport(state: state.withLock { $0.run }, style: style).lines
    write(drawing.withLock { $0.screen.leave() } + report.map { $0 + "\n" }.joined())
  }

  // MARK: Keys

  private func press(_ key: UInt8) {
    let isCancelling = state.withLock { state in
      state.options.refusal = nil
      return if case .cancelling = state.run.phase { true } else { false }
    }
    switch key {
    case UInt8(ascii: "r"): isCancelling ? refuseRestart() : controls.restart()
    case UInt8(ascii: "c"): isCancelling ? controls.kill() : controls.cancel()
    case UInt8(ascii: "a"), UInt8(ascii: "x"):
      let step = state.withLock { $0.run.steps.first { $0.approval != nil }?.id }
      if let step { controls.approve(step, key == UInt8(ascii: "a")) }
    case UInt8(ascii: "l"):
      state.withLock { $0.options.showsOutput.toggle() }
      schedule()
    case UInt8(ascii: "t"): controls.fire()
    case UInt8(ascii: "p"): controls.pause()
    case UInt8(ascii: "?"):
      state.withLock { $0.options.showsHelp.toggle() }
      schedule()
    default:
      break
    }
  }

  private func refuseRestart() {
    state.withLock {
      $0.options.refusal = "the run is being cancelled and can no longer be restarted"
    }
    schedule()
  }

  // MARK: Drawing

  /// Schedules a redraw unless one is pending.
  private func schedule() {
    let now = clock.now
    let delay = state.withLock { state -> Duration? in
      guard !state.isScheduled, !state.isOver else { return nil }
      state.isScheduled = true
      return max(.zero, Self.frameTime - (now - state.lastFrame))
    }
    if let delay { redraw(after: delay) }
  }

  private func redraw(after delay: Duration, isTick: Bool = false) {
    let microseconds = Int(delay / .microseconds(1))
    queue.asyncAfter(deadline: .now() + .microseconds(microseconds)) { [weak self] in
      self?.redraw(isTick: isTick)
    }
  }

  /// Draws, and schedules the next tick if steps are running.
  private func redraw(isTick: Bool = false) {
    let now = clock.now
    let (isOver, nextTick) = state.withLock { state -> (Bool, Duration?) in
      if isTick { state.isTicking = false } else { state.isScheduled = false }
      let isOver = state.isOver || state.isSuspended
      if !isOver { state.lastFrame = now }
      guard !isOver, !state.isTicking, state.run.counts.active > 0 else { return (isOver, nil) }
      state.isTicking = true
      return (isOver, TreeView.second(of: state.run, at: now).untilNext)
    }
    if let nextTick { redraw(after: nextTick, isTick: true) }
    if !isOver { draw(rows: nil) }
  }

  private func draw(rows: Int?) {
    let (run, options, watch) = state.withLock { ($0.run, $0.options, $0.watch) }
    var size = device.size
    let text = drawing.withLock { drawing -> TerminalSafe in
      var clearing = drawing.size == nil || drawing.size == size ? "" : drawing.screen.clear()
      drawing.size = size
      if let rows {
        // The cursor cannot move back over more rows than the window has: clear the old ones first.
        size.rows = rows
        clearing += drawing.screen.clear()
      }
      let now = TreeView.second(of: run, at: clock.now).beginning
      var view = TreeView(state: run, now: now, style: style, options: options)
      view.watch = watch.map { WatchRows(status: $0, style: style, offset: localTimeOffset) }
      return clearing + drawing.screen.update(to: view.lines(size))
    }
    write(text)
  }

  private func suspend() {
    state.withLock { $0.isSuspended = true }
    queue.sync { write(drawing.withLock { $0.screen.leave() }) }
  }

  private func resumeDrawing() {
    state.withLock { $0.isSuspended = false }
    schedule()
  }

  private func write(_ text: TerminalSafe) {
    guard !text.isEmpty, !drawing.withLock({ $0.isClosed }), !device.write(text) else { return }
    drawing.withLock { $0.isClosed = true }
    controls.outputClosed()
  }
}
