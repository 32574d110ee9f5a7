// Shows a run as a tree on a terminal, and listens to its keys. When to draw is decided here, what to
// draw by TreeView, how to write it by Screen.

import Dispatch
import Platform
import Reprise
import Synchronization

/// Shows a run as a tree that is redrawn in place.
///
/// Events only change the state; drawing happens on a queue of its own, at most ten times a second and
/// only when something has changed, so that the display can neither slow nor hold up a run. When nothing
/// happens, it is the times of what runs that change, once a second.
final class TreeDisplay: EventDisplay {
  /// The shortest time between two redraws.
  private static let frameTime: Duration = .milliseconds(100)

  private struct State {
    var run = RunState()
    var watch: WatchStatus?
    var options = TreeView.Options()
    var isScheduled = false
    /// Whether a redraw will come when the next second begins.
    var isTicking = false
    var lastFrame = Timestamp(microseconds: 0)
    var isOver = false
    /// The process is about to be stopped, or was: the terminal belongs to somebody else.
    var isAway = false
  }

  /// What belongs to the drawing queue.
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
      beforeStop: { [weak self] in self?.leaveScreen() },
      afterStop: { [weak self] in self?.comeBack() })
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
    queue.sync { leaveLastPicture() }
  }

  func rest() {
    queue.sync {
      leaveLastPicture()
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

  private func leaveLastPicture() {
    guard state.withLock({ $0.run.plan != nil }) else {
      // What a watch waits for is of no interest once it does not.
      return write(drawing.withLock { $0.screen.clear() + $0.screen.leave() })
    }
    // The last picture is not folded to the window: it stays in the scroll-back.
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
      $0.options.refusal = "the run is being cancelled and cannot be restarted any more"
    }
    schedule()
  }

  // MARK: Drawing

  /// Has a redraw happen soon, unless one will anyway.
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

  /// Draws, and sees to it that running times go on.
  private func redraw(isTick: Bool = false) {
    let now = clock.now
    let (isOver, nextTick) = state.withLock { state -> (Bool, Duration?) in
      if isTick { state.isTicking = false } else { state.isScheduled = false }
      let isOver = state.isOver || state.isAway
      if !isOver { state.lastFrame = now }
      guard !isOver, !state.isTicking, state.run.counts.underWay > 0 else { return (isOver, nil) }
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
        // More rows than the window has cannot be gone back to: the old ones go first.
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

  private func leaveScreen() {
    state.withLock { $0.isAway = true }
    queue.sync { write(drawing.withLock { $0.screen.leave() }) }
  }

  private func comeBack() {
    state.withLock { $0.isAway = false }
    schedule()
  }

  private func write(_ text: TerminalSafe) {
    guard !text.isEmpty, !drawing.withLock({ $0.isClosed }), !device.write(text) else { return }
    drawing.withLock { $0.isClosed = true }
    controls.outputClosed()
  }
}
