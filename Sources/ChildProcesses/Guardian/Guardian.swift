// The guardian: the engine's parent, which does nothing but watch it, so that nothing of its steps is
// left however it ends. Knows neither runs nor steps.

import ChildProcessesShim
import Platform

/// Splits this process in two: a guardian that keeps the process id, and the engine, its child.
///
/// The guardian is what the shell and its user know. It passes SIGINT, SIGTERM, SIGHUP and SIGUSR1 on
/// through the link that it returns, once each, although a terminal sends them to both; it stops and goes
/// on with the engine and its steps (Ctrl-Z, `fg`); it ends with the engine's status. An engine that has not
/// ended ten seconds after the second request to end is killed: it may be unable to do anything, for want of
/// threads or memory, and the guardian needs neither. When the engine is killed, it kills every descendant
/// that is left, gives the terminal back as it was, and ends as the engine did. When the guardian is killed,
/// the engine finds the link closed.
///
/// Must be called while the process has one thread. Nothing happens where orphans cannot be adopted.
///
/// - Parameter foreground: What the process has of the one that it was detached from, if it was.
/// - Returns: In the engine, its end of the link; nil when there is no guardian. The guardian never
///   returns.
package func splitOffGuardian(of foreground: DetachedLink? = nil) -> GuardianLink? {
  guard adoptOrphansOfThisProcess(), let ends = socketPair() else { return nil }
  // What is ignored from the start (SIGHUP under nohup) stays so.
  let passedOn = Guardian.passedOn.filter { !isIgnored($0) }
  let signals = SignalSet(passedOn + Guardian.handled)
  let before = signals.block()
  let terminal = TerminalModes()
  let group = ControlGroup.make()
  let engine = reprise_fork()
  if engine == 0 {
    closeDescriptor(ends.0)
    group?.takeChildren()
    // Its parent tells it of these.
    for number in passedOn { catchSignal(number) }
    before.blockOnlyThese()
    return GuardianLink(descriptor: ends.1, terminal: terminal, controlGroup: group)
  }
  closeDescriptor(ends.1)
  guard engine > 0 else {
    closeDescriptor(ends.0)
    group?.remove()
    before.blockOnlyThese()
    return nil
  }
  foreground?.letGo()
  var guardian = Guardian(
    engine: engine, link: ends.0, signals: signals, terminal: terminal, group: group)
  guardian.watch()
}

/// Why this process cannot run anything: the system gives it too few threads, and waiting for one has no end.
///
/// - Returns: The reason and what to do; nil when there are enough.
package func threadShortage() -> String? {
  // The reactor, the link to the guardian, the event queue, the record, and a pool that is as wide as the
  // machine; more come only when these are busy.
  let error = reprise_lacks_threads(8)
  guard error != 0 else { return nil }
  return
    "too few threads can be made (\(Errno(rawValue: error))): raise ulimit -u or -v, or end other programs"
}

/// What the guardian does, over and over.
struct Guardian {
  static let passedOn = [
    SignalNumber.interrupt, SignalNumber.terminate, SignalNumber.hangUp, SignalNumber.user1,
  ]
  static let handled = [
    SignalNumber.child, SignalNumber.resume, SignalNumber.terminalStop, SignalNumber.quit,
    SignalNumber.alarm,
  ]
  /// How long the engine may take to end after the second request, in seconds.
  static let secondsToEnd: UInt32 = 10

  let engine: Int32
  let link: Int32
  let signals: SignalSet
  let terminal: TerminalModes?
  let group: ControlGroup?
  var requests = EndRequests()

  mutating func watch() -> Never {
    // The engine may end before its guardian has written all that came: that is no reason to die.
    ignoreSignal(SignalNumber.pipe)
    // What is ignored would not be waited for.
    restoreSignal(SignalNumber.alarm)
    // The guardian never waits for its engine, neither to write to it nor to read what it left.
    setNonblocking(link)
    while true {
      let (number, isFromProcess) = waitForSignal(signals)
      switch number {
      case SignalNumber.child:
        takeNews()
      case SignalNumber.resume:
        for pid in descendants() { sendSignal(SignalNumber.resume, to: pid) }
      case SignalNumber.terminalStop, SignalNumber.quit:
        // A terminal sends them to the engine as well.
        if isFromProcess { sendSignal(number, to: engine) }
      case SignalNumber.alarm:
        requests.lastIsOver = true
        sendSignal(SignalNumber.kill, to: engine)
      default:
        if requests.add(number) { setAlarm(seconds: Self.secondsToEnd) }
        writeOnce([UInt8(truncatingIfNeeded: number)], to: link)
      }
    }
  }

  private func takeNews() {
    while let news = waitForAnyChild(WaitOption.withoutWaiting | WaitOption.stopped) {
      guard news.pid == engine else { continue }
      switch news.change {
      case .stopped:
        for pid in descendants() where pid != engine { sendSignal(SignalNumber.stop, to: pid) }
        sendSignal(SignalNumber.stop, to: processID)
      case .ended(let status):
        finish(status)
      }
    }
  }

  private func descendants() -> [Int32] {
    ProcessTable.current().withDescendants([processID]).map(\.pid).filter { $0 != processID }
  }

  /// The engine has ended: nothing of it may be left, and then this process ends as it did.
  private func finish(_ status: ChildExit) -> Never {
    group?.kill()
    killDescendants()
    group?.remove()
    if status != .exited(code: 0) { TemporaryFiles.removeLeftovers(of: engine) }
    switch status {
    case .exited(let code):
      exitAtOnce(code)
    case .signalled(let number):
      terminal?.restore()
      if number == SignalNumber.kill { explain() }
      if requests.lastIsOver, let asked = requests.last { exitAtOnce(128 + asked) }
      restoreSignal(number)
      SignalSet([number]).unblock()
      sendSignal(number, to: processID)
      // Signals whose default is not to end a process.
      exitAtOnce(128 + number)
    }
  }

  /// Says what happened and how to go on: the engine could not.
  private func explain() {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = readBytes(link, into: &buffer) ?? 0
    let run = String(decoding: buffer[..<count].filter { $0 != 0 }, as: UTF8.self)
    let reason =
      requests.lastIsOver
      ? ": it did not end within \(Self.secondsToEnd) s of the second signal" : ""
    let text =
      "reprise: the engine was killed\(reason); nothing of its steps is left\n"
      + (run.isEmpty ? "" : "  take the run up again with: reprise resume \(run)\n")
    writeOnce(Array(text.utf8), to: 2)
  }
}

/// The requests to end that have been passed on.
struct EndRequests {
  /// The signal of the last one.
  private(set) var last: Int32?
  /// Whether the time after the second one is over.
  var lastIsOver = false
  private var count = 0

  /// Adds a signal that was passed on.
  ///
  /// A terminal that closes sends SIGHUP twice, so that it is never the second request.
  ///
  /// - Returns: Whether it is the second request, which the engine has to follow at once.
  mutating func add(_ number: Int32) -> Bool {
    guard number != SignalNumber.user1, number != SignalNumber.hangUp || count == 0 else {
      return false
    }
    last = number
    count += 1
    return count == 2
  }
}

/// Kills every descendant of this process, and again until none is left; reaps them.
///
/// For a process that adopts orphans: as long as it has a descendant it has a child, so that none is left
/// is known for certain and costs one call. A fork storm is outrun because what is killed cannot fork,
/// and every one that is found is killed before the next look.
func killDescendants() {
  let this = processID
  while true {
    while waitForAnyChild(WaitOption.withoutWaiting) != nil {}
    guard hasChildren() else { return }
    let alive = ProcessTable.current().withDescendants([this])
    for entry in alive where entry.pid != this && !entry.isZombie {
      sendSignal(SignalNumber.kill, to: entry.pid)
    }
    pauseThread(milliseconds: 1)
  }
}

/// The modes of the terminal that this process was started on.
struct TerminalModes {
  private let settings: TerminalSettings

  /// Notes the modes; nil where there is no terminal.
  init?() {
    guard let settings = TerminalSettings(of: 0) else { return nil }
    self.settings = settings
  }

  /// Gives the terminal back as it was, with a cursor.
  func restore() {
    guard isInForeground(ofTerminal: 0) else { return }
    settings.apply(to: 0)
    if isTerminal(1) { writeOnce(Array("\u{1B}[?25h".utf8), to: 1) }
  }
}
