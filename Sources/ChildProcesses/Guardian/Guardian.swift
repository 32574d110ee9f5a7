// The guardian: the engine's parent, which does nothing but watch it, so that nothing of its steps is
// left however it ends. Knows neither runs nor steps.

import ChildProcessesShim

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

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
  var signals = sigset_t()
  unsafe sigemptyset(&signals)
  // What is ignored from the start (SIGHUP under nohup) stays so.
  let passedOn = Guardian.passedOn.filter { !isIgnored($0) }
  for number in passedOn + Guardian.handled { unsafe sigaddset(&signals, number) }
  var before = sigset_t()
  unsafe sigprocmask(SIG_BLOCK, &signals, &before)
  let terminal = TerminalModes()
  let group = ControlGroup.make()
  let engine = reprise_fork()
  if engine == 0 {
    close(ends.0)
    group?.takeChildren()
    // Its parent tells it of these.
    for number in passedOn { signal(number) { _ in } }
    unsafe sigprocmask(SIG_SETMASK, &before, nil)
    return GuardianLink(descriptor: ends.1, terminal: terminal, controlGroup: group)
  }
  close(ends.1)
  guard engine > 0 else {
    close(ends.0)
    group?.remove()
    unsafe sigprocmask(SIG_SETMASK, &before, nil)
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
    "too few threads can be made (\(errorText(error))): raise ulimit -u or -v, or end other programs"
}

/// What the guardian does, over and over.
struct Guardian {
  static let passedOn = [SIGINT, SIGTERM, SIGHUP, SIGUSR1]
  static let handled = [SIGCHLD, SIGCONT, SIGTSTP, SIGQUIT, SIGALRM]
  /// How long the engine may take to end after the second request, in seconds.
  static let secondsToEnd: UInt32 = 10

  let engine: pid_t
  let link: Int32
  let signals: sigset_t
  let terminal: TerminalModes?
  let group: ControlGroup?
  var requests = EndRequests()

  mutating func watch() -> Never {
    // The engine may end before its guardian has written all that came: that is no reason to die.
    signal(SIGPIPE, SIG_IGN)
    // What is ignored would not be waited for.
    signal(SIGALRM, SIG_DFL)
    // The guardian never waits for its engine, neither to write to it nor to read what it left.
    setNonblocking(link)
    while true {
      let (number, isFromProcess) = waitForSignal(signals)
      switch number {
      case SIGCHLD:
        takeNews()
      case SIGCONT:
        for pid in descendants() { kill(pid, SIGCONT) }
      case SIGTSTP, SIGQUIT:
        // A terminal sends them to the engine as well.
        if isFromProcess { kill(engine, number) }
      case SIGALRM:
        requests.lastIsOver = true
        kill(engine, SIGKILL)
      default:
        if requests.add(number) { alarm(Self.secondsToEnd) }
        _ = unsafe write(link, [UInt8(truncatingIfNeeded: number)], 1)
      }
    }
  }

  private func takeNews() {
    while let news = waitForAnyChild(WNOHANG | WUNTRACED) {
      guard news.pid == engine else { continue }
      switch news.change {
      case .stopped:
        for pid in descendants() where pid != engine { kill(pid, SIGSTOP) }
        kill(getpid(), SIGSTOP)
      case .ended(let status):
        finish(status)
      }
    }
  }

  private func descendants() -> [Int32] {
    ProcessTable.current().withDescendants([getpid()]).map(\.pid).filter { $0 != getpid() }
  }

  /// The engine has ended: nothing of it may be left, and then this process ends as it did.
  private func finish(_ status: ExitStatus) -> Never {
    group?.kill()
    killDescendants()
    group?.remove()
    if status != .exited(code: 0) { TemporaryFiles.removeLeftovers(of: engine) }
    switch status {
    case .exited(let code):
      _exit(code)
    case .signalled(let number):
      terminal?.restore()
      if number == SIGKILL { explain() }
      if requests.lastIsOver, let asked = requests.last { _exit(128 + asked) }
      var set = sigset_t()
      unsafe sigemptyset(&set)
      unsafe sigaddset(&set, number)
      signal(number, SIG_DFL)
      unsafe sigprocmask(SIG_UNBLOCK, &set, nil)
      kill(getpid(), number)
      // Signals whose default is not to end a process.
      _exit(128 + number)
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
    _ = unsafe write(2, Array(text.utf8), text.utf8.count)
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
    guard number != SIGUSR1, number != SIGHUP || count == 0 else { return false }
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
  let this = getpid()
  while true {
    while waitForAnyChild(WNOHANG) != nil {}
    guard hasChildren() else { return }
    let alive = ProcessTable.current().withDescendants([this])
    for entry in alive where entry.pid != this && !entry.isZombie { kill(entry.pid, SIGKILL) }
    _ = poll(nil, 0, 1)
  }
}

/// The modes of the terminal that this process was started on.
struct TerminalModes {
  private let modes: termios

  /// Notes the modes; nil where there is no terminal.
  init?() {
    var modes = termios()
    guard unsafe tcgetattr(0, &modes) == 0 else { return nil }
    self.modes = modes
  }

  /// Gives the terminal back as it was, with a cursor.
  func restore() {
    guard tcgetpgrp(0) == getpgrp() else { return }
    var modes = modes
    unsafe tcsetattr(0, TCSANOW, &modes)
    if isatty(1) == 1 { _ = unsafe write(1, Array("\u{1B}[?25h".utf8), 6) }
  }
}
