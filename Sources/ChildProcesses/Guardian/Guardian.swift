// The guardian: the engine's parent process, which only watches the engine, so that no process of
// its steps survives, however the engine ends.

import ChildProcessesShim
import Platform

/// Forks this process: the parent becomes the guardian and keeps the process id; the child is the
/// engine.
///
/// The guardian is the process that the shell and its user know:
///
/// - It forwards SIGINT, SIGTERM, SIGHUP and SIGUSR1 through the returned link, once each, although
///   a terminal sends them to both processes.
/// - It stops and continues together with the engine and its steps (Ctrl-Z, `fg`).
/// - It exits with the engine's status.
/// - It leaves the terminal when the engine does, after SIGUSR2.
/// - If the engine has not ended ten seconds after the second request to end, the guardian kills
///   it. The engine may be unable to act because it has no threads or memory; the guardian needs
///   neither.
/// - It asks the engine every few seconds for a sign of life, and kills one that gives none, or that
///   can get no more threads and would wait for them forever.
/// - If the engine is killed, the guardian kills every remaining descendant, restores the terminal,
///   and ends the same way as the engine.
///
/// If the guardian is killed, the engine finds the link closed.
///
/// Must be called while the process has only one thread. Does nothing if orphans cannot be adopted.
///
/// - Parameters:
///   - foreground: The connection to the original process, if this process was detached.
///   - shell: The connection to the process in the foreground of the shell, if there is one.
/// - Returns: In the engine, its end of the link; nil if there is no guardian. The guardian never
///   returns.
package func splitOffGuardian(
  of foreground: DetachedLink? = nil, shell: ForegroundLink? = nil
) -> GuardianLink? {
  guard adoptOrphansOfThisProcess(), let ends = socketPair() else { return nil }
  let answers = try? PipeEnds()
  // A signal that is ignored from the start (SIGHUP under nohup) stays ignored.
  let passedOn = Guardian.passedOn.filter { !isIgnored($0) }
  let signals = SignalSet(passedOn + Guardian.handled)
  let before = signals.block()
  let terminal = TerminalModes()
  let group = ControlGroup.make()
  let engine = reprise_fork()
  if engine == 0 {
    closeDescriptors([ends.0] + [answers?.reading].compactMap(\.self))
    group?.takeChildren()
    // The guardian forwards these.
    for number in passedOn { catchSignal(number) }
    before.blockOnlyThese()
    return GuardianLink(
      descriptor: ends.1, answers: answers?.writing, terminal: terminal, controlGroup: group)
  }
  closeDescriptors([ends.1] + [answers?.writing].compactMap(\.self))
  guard engine > 0 else {
    closeDescriptors([ends.0] + [answers?.reading].compactMap(\.self))
    group?.remove()
    before.blockOnlyThese()
    return nil
  }
  foreground?.release()
  // The link must close with the engine.
  if let shell { closeDescriptor(shell.descriptor) }
  var guardian = Guardian(
    engine: engine, link: ends.0, signals: signals, terminal: terminal, group: group,
    inherited: shell?.inherited ?? [], pulse: Pulse(answers: answers?.reading))
  guardian.watch()
}

/// Returns the reason why not enough threads can be created; without them, Dispatch waits forever.
///
/// - Returns: The reason and what to do; nil if there are enough.
package func threadShortage() -> String? {
  // For the reactor, the link to the guardian, the event queue, the journal writer, and the
  // cooperative pool, which is as wide as the machine and starts more threads only when these are
  // busy.
  let error = reprise_lacks_threads(8, 0)
  guard error != 0 else { return nil }
  return "cannot create enough threads (\(Errno(rawValue: error))): \(adviceOnThreads)"
}

/// What helps if threads cannot be created.
let adviceOnThreads = "raise ulimit -u or -v, or end other programs"

/// The guardian's main loop.
struct Guardian {
  static let passedOn = [
    SignalNumber.interrupt, SignalNumber.terminate, SignalNumber.hangUp, SignalNumber.user1,
  ]
  static let handled = [
    SignalNumber.child, SignalNumber.resume, SignalNumber.terminalStop, SignalNumber.quit,
    SignalNumber.alarm, SignalNumber.user2,
  ]
  /// The maximum time from the second request to the end of the engine, in seconds.
  static let secondsToEnd: UInt32 = 10

  let engine: Int32
  let link: Int32
  let signals: SignalSet
  let terminal: TerminalModes?
  let group: ControlGroup?
  var requests = TerminationRequests()
  /// The descriptors that the command was started with, which are closed when it leaves the terminal.
  let inherited: [Int32]
  /// Whether a request to stop has arrived here as well, since this process was last resumed.
  var isStoppedByTerminal = false
  var pulse: Pulse

  mutating func watch() -> Never {
    // Writing to an engine that has already ended must not kill the guardian.
    ignoreSignal(SignalNumber.pipe)
    // sigwaitinfo(2) does not report ignored signals.
    restoreSignal(SignalNumber.alarm)
    // The guardian must never block on the link: neither when it writes, nor when it reads the
    // run id that the engine has sent.
    setNonblocking(link)
    while true {
      let (number, isFromProcess) = waitForSignal(signals, within: pulse.timeLeft)
      switch number {
      case 0:
        if pulse.isOver(of: engine, link) { sendSignal(SignalNumber.kill, to: engine) }
      case SignalNumber.child:
        reapChildren()
      case SignalNumber.resume:
        isStoppedByTerminal = false
        resumeDescendants()
      case SignalNumber.terminalStop, SignalNumber.quit:
        if number == SignalNumber.terminalStop { isStoppedByTerminal = true }
        // A terminal sends these to the engine as well.
        if isFromProcess { sendSignal(number, to: engine) }
      case SignalNumber.user2:
        startSession()
        dropStandardDescriptors()
        closeDescriptors(inherited)
      case SignalNumber.alarm:
        requests.deadlineExpired = true
        sendSignal(SignalNumber.kill, to: engine)
      default:
        pass(on: number)
      }
    }
  }

  /// Passes a request on to the engine, once for all signals of which it consists.
  private mutating func pass(on number: Int32) {
    switch requests.add(number, at: .now) {
    case .repeated: return
    case .second: setAlarm(seconds: Self.secondsToEnd)
    case .other, .first, .later: break
    }
    writeOnce([UInt8(truncatingIfNeeded: number)], to: link)
  }

  private mutating func reapChildren() {
    let options = WaitOption.withoutWaiting | WaitOption.stopped | WaitOption.resumed
    while let news = waitForAnyChild(options) {
      guard news.pid == engine else { continue }
      switch news.change {
      case .stopped:
        pulse.engineChanged(isStopped: true)
        // What stops and resumes processes one by one, such as Slurm, may have resumed this one first:
        // its stop would come last, and no one would resume it again.
        if isResumed { continue }
        for pid in descendants() where pid != engine { sendSignal(SignalNumber.stop, to: pid) }
        if isResumed { continue }
        // If only the engine was stopped, only it will be resumed: this process must see that.
        guard isStoppedByTerminal || SignalSet.isPending(SignalNumber.terminalStop) else {
          continue
        }
        sendSignal(SignalNumber.stop, to: processID)
      case .resumed:
        pulse.engineChanged(isStopped: false)
        resumeDescendants()
      case .ended(let status):
        finish(status)
      }
    }
  }

  /// Whether a signal that resumes this process has arrived and was not handled yet.
  private var isResumed: Bool { SignalSet.isPending(SignalNumber.resume) }

  private func resumeDescendants() {
    for pid in descendants() { sendSignal(SignalNumber.resume, to: pid) }
  }

  private func descendants() -> [Int32] {
    ProcessTable.current().withDescendants([processID]).map(\.pid).filter { $0 != processID }
  }

  /// Kills the processes that the engine has left behind, then exits with the engine's status.
  private mutating func finish(_ status: ChildExit) -> Never {
    group?.kill()
    let hasSurvivors = killDescendants()
    group?.remove()
    if status != .exited(code: 0) { TemporaryFiles.removeLeftovers(of: engine) }
    if case .signalled(let number) = status {
      terminal?.restore()
      if number == SignalNumber.kill { explain(hasSurvivors: hasSurvivors) }
      if requests.deadlineExpired, let asked = requests.last { exitAtOnce(128 + asked) }
      if pulse.problem != nil { exitAtOnce(4) }
    }
    end(as: status)
  }

  /// Prints what happened and how to continue, on behalf of the killed engine.
  private mutating func explain(hasSurvivors: Bool) {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = readBytes(link, into: &buffer) ?? 0
    let run = String(decoding: buffer[..<count].filter { $0 != 0 }, as: UTF8.self)
    let reason =
      requests.deadlineExpired
      ? ": it did not end within \(Self.secondsToEnd) s of the second signal"
      : pulse.findProblem().map { ": " + $0 } ?? ""
    let text =
      "reprise: the engine was killed\(reason); all processes of its steps are gone"
      + (hasSurvivors ? ", except those that survive it\n" : "\n")
      + (run.isEmpty ? "" : "  resume the run with: reprise resume \(run)\n")
    writeOnce(Array(text.utf8), to: 2)
  }
}

/// Ends this process in the same way as a child has ended.
func end(as status: ChildExit) -> Never {
  switch status {
  case .exited(let code): exitAtOnce(code)
  case .signalled(let number):
    restoreSignal(number)
    SignalSet([number]).unblock()
    sendSignal(number, to: processID)
    // Reached if the default action of the signal does not end a process.
    exitAtOnce(128 + number)
  }
}

/// Kills and reaps every descendant of this process, repeatedly until none is left, except those
/// of a ``DetachedHost``.
///
/// This process must adopt orphans: as long as it has a descendant, it then also has a child, so it
/// is certain that none is left when it has no children. This stops a fork bomb, because a killed
/// process cannot fork, and every process that is found is killed before the next scan.
///
/// - Returns: Whether a host is left.
@discardableResult
func killDescendants() -> Bool {
  let this = processID
  while true {
    while waitForAnyChild(WaitOption.withoutWaiting) != nil {}
    guard hasChildren() else { return false }
    let table = ProcessTable.current()
    let alive = table.withDescendants([this]).filter { $0.pid != this && !$0.isZombie }
    // Only hosts may be left; then the children of this process prove nothing, but a whole table
    // does: a process that is missing in it would have ended while it was read.
    // With what they have started, which need not have kept the mark: containers have monitors.
    let hosts = alive.map(\.pid).filter(DetachedHost.isSpared)
    let spared = Set(table.withDescendants(hosts).map(\.pid))
    let others = alive.filter { !spared.contains($0.pid) }
    if others.isEmpty, !alive.isEmpty, !table.isIncomplete { return true }
    for entry in others { sendSignal(SignalNumber.kill, to: entry.pid) }
    pauseThread(milliseconds: 1)
  }
}

/// The settings of the terminal on which this process was started.
struct TerminalModes {
  private let settings: TerminalSettings

  /// Saves the settings; returns nil if there is no terminal.
  init?() {
    guard let settings = TerminalSettings(of: 0) else { return nil }
    self.settings = settings
  }

  /// Restores the terminal, with a visible cursor.
  func restore() {
    guard isInForeground(ofTerminal: 0) else { return }
    settings.apply(to: 0)
    if isTerminal(1) { writeOnce(Array("\u{1B}[?25h".utf8), to: 1) }
  }
}
