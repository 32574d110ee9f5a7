// The tree display: decides when to draw, and passes keys on. `Cockpit` decides what keys mean,
// `DisplayWindow` draws.

import Dispatch
import Platform
import Reprise
import Synchronization

/// Shows a run as a tree that is redrawn in place, and its logs in panes.
///
/// Events only change the state. Drawing and keys are handled on a queue of their own, so that the
/// display cannot block a run: ten frames a second while something moves, none while nothing does.
final class TreeDisplay: EventDisplay {
  /// The minimum time between two frames.
  private static let frameTime: Duration = .milliseconds(100)
  /// The time for which the size of the window must be the same after a change.
  ///
  /// While a window is being resized, a frame of the wrong width would wrap and remain.
  private static let settlingTime: Duration = .milliseconds(50)

  struct State {
    var run = RunState()
    var history = RunHistory()
    var watch: WatchStatus?
    var isScheduled = false
    /// Whether a frame is scheduled because time passes.
    var isTicking = false
    var lastFrame = Timestamp(microseconds: 0)
    /// The size of the window at the last look.
    var size: WindowSize?
    var isOver = false
    /// Whether the process is suspended (Ctrl-Z) or about to be, and another one has the terminal.
    var isSuspended = false
    /// Whether a program that the user has asked for, such as an editor, has the terminal.
    var isInUse = false
    /// Called when that program has ended.
    var afterUse: (@Sendable () -> Void)?
    /// Called when the user leaves the display after the end of the run.
    var onLeave: (@Sendable (DisplayEnding) -> Void)?
    var stream = StreamedEvents()
    var isStreaming = false
    /// The time of the last look at the workflow file.
    var lookedAt: Timestamp?

    mutating func takeLeave() -> (@Sendable (DisplayEnding) -> Void)? {
      defer { onLeave = nil }
      return onLeave
    }
  }

  private let device: TerminalDevice
  let controls: DisplayControls
  let keyboard: Keyboard
  private let clock = SystemClock()
  let state = Mutex(State())
  let window: Mutex<DisplayWindow>
  private let queue = DispatchQueue(label: "reprise.display")
  private let windowChanges = Mutex<EventSource?>(nil)

  init(device: TerminalDevice, keys: TerminalDevice, style: Style, controls: DisplayControls) {
    self.device = device
    self.controls = controls
    keyboard = Keyboard(device: keys)
    window = Mutex(
      DisplayWindow(
        style: style, hasKeys: keyboard.isUsable, logs: controls.logs,
        fillsWindow: controls.fillsWindow))
    catchSignal(SignalNumber.windowChange)
    let changes = DispatchSource.makeSignalSource(signal: SignalNumber.windowChange, queue: queue)
    let source = EventSource(changes) { [weak self] in self?.redraw() }
    windowChanges.withLock { $0 = source }
    // Pasted text arrives in brackets, so that it is not taken for keys.
    if keyboard.isUsable { write("\u{1B}[?2004h") }
    keyboard.start(
      onKey: { [weak self, queue] key in queue.async { [weak self] in self?.press(key) } },
      beforeStop: { [weak self] in self?.suspend() },
      afterStop: { [weak self] in self?.resumeDrawing() })
    let display = LentTerminal.Display(
      name: ObjectIdentifier(self), stepAside: { [weak self] in self?.stepAside() },
      comeBack: { [weak self] in self?.comeBack() })
    LentTerminal.shared.add(display, on: device.descriptor)
  }

  // MARK: Events

  func show(_ event: Event) {
    state.withLock { state in
      // A display never ends a run, not even if the engine reports nonsense.
      try? state.run.apply(event)
      if !event.isTransient { state.history.apply(event) }
      state.stream.append(event)
    }
    // What reading the file again has said is over with it, wherever the reload came from.
    if case .runReloaded = event.kind { window.withLock { $0.clearNotice() } }
    // A terminal that is slower than the output holds the run back, as with plain lines.
    if state.withLock({ $0.isStreaming && $0.stream.isFull }) { queue.sync { drawStream() } }
    schedule()
  }

  func show(_ status: WatchStatus) {
    state.withLock { $0.watch = status }
    schedule()
  }

  func say(_ text: String) {
    queue.sync {
      write("\(window.withLock { $0.clear() })\(TerminalSafe(lines: text))\n")
    }
    schedule()
  }

  // MARK: The end

  func finish(then leave: @escaping @Sendable (DisplayEnding) -> Void) {
    // The user has left before.
    guard !state.withLock({ $0.isOver }) else { return leave(.departed) }
    let run = state.withLock { $0.run }
    let stays = window.withLock { $0.hasKeys && (controls.staysAfter(run.phase) || $0.hasPane) }
    guard stays, run.plan != nil else { return end(.quit, leave) }
    state.withLock { $0.onLeave = leave }
    window.withLock { $0.staysAfterEnd = true }
    schedule()
  }

  func leave() {
    queue.async { [self] in
      if let leave = state.withLock({ $0.takeLeave() }) { end(.quit, leave) }
    }
  }

  /// Draws the last frame, restores the terminal, and reports how the display ends.
  func end(_ ending: DisplayEnding, _ leave: @escaping @Sendable (DisplayEnding) -> Void) {
    // An editor that is open must not be drawn over: the display ends when it is closed.
    let isLater = state.withLock { state in
      if state.isInUse { state.afterUse = { [self] in end(ending, leave) } }
      return state.isInUse
    }
    guard !isLater else { return }
    LentTerminal.shared.remove(ObjectIdentifier(self))
    keyboard.stop()
    windowChanges.withLock { $0 }?.cancel()
    state.withLock { $0.isOver = true }
    queue.async { [self] in
      leaveLastFrame(withReport: ending == .quit)
      if keyboard.isUsable { write("\u{1B}[?2004l") }
      leave(ending)
    }
  }

  func rest() {
    queue.sync {
      leaveLastFrame(withReport: true)
      state.withLock { state in
        state.run = RunState()
        state.history = RunHistory()
        state.stream = StreamedEvents()
      }
      window.withLock { $0.beginRun() }
    }
    schedule()
  }

  private func leaveLastFrame(withReport hasReport: Bool) {
    drawStream()
    let run = state.withLock { $0.run }
    write(window.withLock { $0.lastFrame(of: run, at: clock.now, device.size, hasReport) })
  }

  // MARK: Keys

  private func press(_ key: Key) {
    guard !state.withLock({ $0.isOver || $0.isSuspended }) else { return }
    let (run, watch) = state.withLock { ($0.run, $0.watch) }
    let (effect, text) = window.withLock { window in
      window.press(key, run, hasWatch: watch != nil, controls: controls, device.size)
    }
    write(text)
    let isStreaming = window.withLock { $0.isStreaming }
    state.withLock { $0.isStreaming = isStreaming }
    if let effect { perform(effect) }
    schedule()
  }

  /// Leaves the terminal to a step that owns it.
  private func stepAside() {
    keyboard.pauseReading()
    queue.sync {
      state.withLock { $0.isSuspended = true }
      leaveTerminal(keepsRows: false)
    }
    // Everything that is written to the terminal is written on the queue.
    queue.suspend()
  }

  /// Shows the run again, after the step that owned the terminal.
  private func comeBack() {
    queue.resume()
    keyboard.continueReading()
    resumeDrawing()
  }

  // MARK: Drawing

  /// Schedules a redraw unless one is pending.
  func schedule() {
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

  /// Draws, and schedules the next frame if time alone changes it.
  private func redraw(isTick: Bool = false) {
    let now = clock.now
    let size = device.size
    let delay = state.withLock { state -> Duration in
      defer { state.size = size }
      let isResizing = state.size != nil && state.size != size
      if isResizing { return Self.settlingTime }
      // An event may have been drawn a moment ago.
      return isTick ? Self.frameTime - (now - state.lastFrame) : .zero
    }
    if delay > .milliseconds(1) { return redraw(after: delay, isTick: isTick) }
    let isWanted = state.withLock { state in
      if isTick { state.isTicking = false } else { state.isScheduled = false }
      let isWanted = !state.isOver && !state.isSuspended
      if isWanted { state.lastFrame = now }
      return isWanted
    }
    guard isWanted else { return }
    lookAtFile(at: now)
    draw(at: now)
    let run = state.withLock { $0.run }
    let change = window.withLock { $0.nextChange(of: run, after: now) }
    guard let change else { return }
    let mustTick = state.withLock { state in
      defer { state.isTicking = true }
      return !state.isTicking
    }
    if mustTick { redraw(after: change, isTick: true) }
  }

  private func draw(at now: Timestamp) {
    drawStream()
    let (run, history, watch) = state.withLock { ($0.run, $0.history, $0.watch) }
    writeFrame(
      window.withLock { window in
        window.history = history
        return window.draw(run, watch, at: now, device.size)
      })
  }

  /// Writes the events since the last call as lines, if the window shows them.
  private func drawStream() {
    let size = device.size
    while window.withLock({ $0.isStreaming }) {
      let events = state.withLock { $0.stream.take() }
      guard !events.events.isEmpty else { return }
      writeFrame(window.withLock { $0.stream(events, size) })
    }
  }

  /// Restores the terminal for another program.
  ///
  /// - Parameter keepsRows: Whether the last frame stays in the scrollback.
  func suspend(keepsRows: Bool = true) {
    state.withLock { $0.isSuspended = true }
    // Keys are handled on the queue, signals are not.
    if keepsRows {
      queue.sync { leaveTerminal(keepsRows: true) }
    } else {
      leaveTerminal(keepsRows: false)
    }
  }

  private func leaveTerminal(keepsRows: Bool) {
    write(window.withLock { $0.suspend(keepsRows: keepsRows) })
  }

  func resumeDrawing() {
    state.withLock { $0.isSuspended = false }
    if keyboard.isUsable { write("\u{1B}[?2004h") }
    schedule()
  }

  /// Writes a frame, which terminals that understand its brackets show at once.
  ///
  /// See https://contour-terminal.org/vt-extensions/synchronized-output/.
  private func writeFrame(_ text: TerminalSafe) {
    if !text.isEmpty { write("\u{1B}[?2026h" + text + "\u{1B}[?2026l") }
  }

  func write(_ text: TerminalSafe) {
    guard !text.isEmpty, !window.withLock({ $0.isClosed }), !device.write(text) else { return }
    window.withLock { $0.isClosed = true }
    controls.outputClosed()
  }
}
