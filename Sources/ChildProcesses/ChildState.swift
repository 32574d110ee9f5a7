// The reactor's state of one child, which decides what to do next with the child. Used only on the
// reactor's thread.

import Platform

/// The state of one child: its streams, its exit status and its deadlines.
final class ChildState {
  /// How long leftover processes may live after the first process has ended, before they are
  /// terminated, and then before they are killed: about half a second in total.
  static let leftoverGrace = (
    untilTerminated: Duration.milliseconds(400), untilKilled: Duration.milliseconds(60)
  )

  /// How long the scan of a tree that may be ending by itself is delayed: the processes of a sandbox
  /// end some milliseconds after its first one.
  static let endingTime = Duration.milliseconds(5)

  /// How long a tree waits for orphans that are ending.
  private static let orphanTimeMax = Duration.seconds(2)

  /// How long the scan of a stopped tree is delayed, so that trees that are stopped together share
  /// one scan.
  private static let gatheringTime = Duration.milliseconds(5)

  /// An output stream of the child.
  struct Stream {
    let kind: OutputLines.Stream
    let descriptor: Int32
    var filter: (any OutputFilter)?
    var lines = LineAssembler()
    var isOpen = true

    /// Appends bytes that were read.
    ///
    /// - Returns: All lines that are now complete; nil if there are none.
    mutating func append(_ bytes: ArraySlice<UInt8>) -> String? {
      guard let passed = filter?.append(bytes) else { return lines.append(bytes) }
      return lines.append(passed[...])
    }

    /// Ends the stream.
    ///
    /// - Returns: The remaining lines, including an unfinished last line.
    mutating func finish() -> [String] {
      isOpen = false
      let whole = (filter?.finish()).flatMap { lines.append($0[...]) }
      return [whole, lines.finish()].compactMap(\.self)
    }
  }

  enum ReadResult {
    case more, pause, end
  }

  enum Next {
    /// Check again after this time, or when an event arrives.
    case wait(Duration?)
    case finish
  }

  let child: ChildProcess
  /// The names of the variables in ``tag``.
  private let tagNames: [String]
  private let environment: Environment
  /// The report channel, if any, to be removed at the end.
  let channel: ReportChannel?
  private let onOutput: @Sendable (OutputLines) -> Bool
  private(set) var streams: [Stream]
  private(set) var status: ChildExit?
  var isPaused = false
  var isPolled = false
  var wakesAt: ContinuousClock.Instant?
  /// When the remaining processes are killed; nil if the tree has not been stopped.
  private var killsAt: ContinuousClock.Instant?
  private(set) var isStopped = false
  /// The requested grace period, until the tree is scanned and stopped.
  private(set) var requestedGrace: Duration?
  /// Whether only the group of the first process is asked to end, as long as that process runs.
  var stopsOthers = false
  /// The signal that asks the tree to end.
  private var stopSignal = SignalNumber.terminate
  private var endedAt: ContinuousClock.Instant?
  private var delay = GrowingDelay()
  /// The processes outside of the group that have been sent SIGTERM.
  private var terminated: Set<Int32> = []
  /// The processes that the last scan has found.
  ///
  /// Their parents may have ended since, such as the program that has made a sandbox, so that
  /// nothing else shows to which tree they belong.
  private(set) var found: [Int32: UInt64] = [:]
  private var drained = 0
  /// The number of bytes after which draining stops: more than any pipe holds.
  private static let drainBytesMax = 4 << 20

  var pid: Int32 { child.id }
  /// The entries of the environment that identify the tree.
  ///
  /// Made when it is asked for: most trees are over before anything is searched for.
  var tag: [String] {
    tagNames.compactMap { name in environment[name].map { "\(name)=\($0)" } }
  }
  var isKillDue: Bool { killsAt.map { $0 <= .now } ?? false }
  /// Whether a process may still hold one of the streams.
  ///
  /// A report channel does not count: it is held open here and never ends.
  var hasOpenStream: Bool { streams.contains { $0.isOpen && $0.kind != .report } }

  init(
    child: ChildProcess, of command: Command, streams: [Stream], channel: ReportChannel?,
    onOutput: @escaping @Sendable (OutputLines) -> Bool
  ) {
    self.child = child
    (tagNames, environment) = (command.tag, command.environment)
    self.streams = streams
    self.channel = channel
    self.onOutput = onOutput
  }

  func wake(after time: Duration) {
    wakesAt = .now + time
  }

  /// Has the tree checked at once, if its first process has ended.
  func wakeIfEnded() {
    if status != nil { wakesAt = .now }
  }

  // MARK: Output

  /// Reads once from a stream.
  func read(_ position: Int, into buffer: inout [UInt8]) -> ReadResult {
    guard let count = readBytes(streams[position].descriptor, into: &buffer) else { return .more }
    guard count > 0 else { return .end }
    var mayContinue = true
    if let text = streams[position].append(buffer[..<count]) {
      mayContinue = deliver(text, position, isPartial: false)
    }
    // If the buffer is full, more is available, and the line will be complete soon.
    if count < buffer.count, streams[position].lines.hasPending, mayContinue {
      mayContinue = deliver(streams[position].lines.partial, position, isPartial: true)
    }
    return mayContinue ? .more : .pause
  }

  /// Reads what is available of a stream, ignoring back-pressure.
  ///
  /// When no process writes any more, this is at most what fits into a pipe.
  ///
  /// - Returns: Whether the stream has ended.
  func drain(_ position: Int, into buffer: inout [UInt8]) -> Bool {
    while let count = readBytes(streams[position].descriptor, into: &buffer) {
      if count == 0 { return true }
      if let text = streams[position].append(buffer[..<count]) {
        _ = deliver(text, position, isPartial: false)
      }
      // Another process is still writing. Read the rest in turn with the other streams.
      drained += count
      if drained > Self.drainBytesMax { break }
    }
    return false
  }

  /// Delivers the rest of a stream: what a filter has held back, and an unfinished last line.
  func endStream(_ position: Int) {
    for text in streams[position].finish() { _ = deliver(text, position, isPartial: false) }
  }

  private func deliver(_ text: String, _ position: Int, isPartial: Bool) -> Bool {
    onOutput(OutputLines(stream: streams[position].kind, text: text, isPartial: isPartial))
  }

  // MARK: The end

  /// Records that the first process has ended.
  func ended(with status: ChildExit) {
    self.status = status
    endedAt = .now
  }

  /// Records a request to stop the tree.
  func ask(grace: Duration, signal: Int32 = SignalNumber.terminate) {
    if requestedGrace == nil { stopSignal = signal }
    requestedGrace = min(requestedGrace ?? grace, grace)
  }

  /// Whether the tree must be scanned; if not, the first process is running and need not be killed.
  var needsTree: Bool { status != nil || requestedGrace != nil || isKillDue }

  /// Whether the first process has ended by itself just now, so that others may be ending as well.
  var hasJustEnded: Bool {
    guard !isStopped, requestedGrace == nil, let endedAt else { return false }
    return .now - endedAt < Self.endingTime
  }

  /// Whether to wait for an orphan that is ending and may be of this tree: the first process of a
  /// sandbox, which ends when all others in it have ended.
  ///
  /// Not for ever, since it may be of another tree.
  var mayWaitForOrphans: Bool {
    endedAt.map { .now - $0 < Self.orphanTimeMax } ?? false
  }

  /// Returns the time until which the scan of a stopped tree may be delayed, once its first process
  /// has ended; nil if the scan must not be delayed.
  func scanMayWaitUntil(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    guard isStopped && requestedGrace == nil, let endedAt else { return nil }
    let time = endedAt + Self.gatheringTime
    return time > now ? time : nil
  }

  /// Sends SIGTERM to the tree and sets the time when it is killed.
  private func stop(grace: Duration, _ tree: ProcessTree) {
    let deadline = ContinuousClock.now + grace
    killsAt = min(killsAt ?? deadline, deadline)
    if !isStopped && grace > .zero {
      if stopsOthers {
        for signal in [stopSignal, SignalNumber.resume] { sendSignal(signal, to: -pid) }
      } else {
        tree.send(stopSignal)
        tree.send(SignalNumber.resume)
        terminated = Set(tree.outsiders)
      }
    }
    isStopped = true
    delay = GrowingDelay()
  }

  /// Decides what to do next, and sends the signals that are due.
  ///
  /// - Parameter tree: The remaining processes; nil if no scan was needed.
  /// - Returns: When to check again, or that the child is finished.
  func next(tree: ProcessTree?) -> Next {
    if let tree { found = tree.found }
    if let tree, let grace = requestedGrace {
      requestedGrace = nil
      stop(grace: grace, tree)
    }
    let now = ContinuousClock.now
    guard let tree, status != nil || isKillDue else {
      let times = [killsAt.map { $0 - now }, isPolled ? .milliseconds(5) : nil]
      return .wait(times.compactMap(\.self).min())
    }
    if tree.isEmpty && status != nil {
      // No process is left that could write; the rest of the output is in the pipes. Wait until the
      // consumer has room for it, unless the tree was stopped.
      return isPaused && hasOpenStream && !isStopped ? .wait(nil) : .finish
    }
    if let killsAt {
      guard killsAt <= now else {
        terminateLatecomers(of: tree)
        return .wait(min(killsAt - now, delay.next(upTo: .milliseconds(100))))
      }
      tree.send(SignalNumber.kill)
      return .wait(delay.next(upTo: .milliseconds(16)))
    }
    // The first process has ended on its own and has left other processes running.
    let terminatesAt = (endedAt ?? now) + Self.leftoverGrace.untilTerminated
    guard terminatesAt <= now else {
      return .wait(min(terminatesAt - now, delay.next(upTo: .milliseconds(50))))
    }
    for text in tree.commandLines {
      _ = onOutput(OutputLines(stream: .leftBehind, text: text, isPartial: false))
    }
    stop(grace: Self.leftoverGrace.untilKilled, tree)
    return .wait(delay.next(upTo: .milliseconds(16)))
  }

  /// Sends SIGTERM to processes that were leaving the group while the others were signalled.
  ///
  /// Processes within the group are spared: they may be part of another process's cleanup.
  private func terminateLatecomers(of tree: ProcessTree) {
    for pid in tree.outsiders where terminated.insert(pid).inserted {
      sendSignal(SignalNumber.terminate, to: pid)
      sendSignal(SignalNumber.resume, to: pid)
    }
  }
}
