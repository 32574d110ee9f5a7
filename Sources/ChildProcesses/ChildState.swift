// What the reactor knows of one child, and what is to be done next with it. Used by the reactor's
// thread alone.

import Platform

/// One child: its streams, its end, its deadlines.
final class ChildState {
  /// How long what a process leaves behind may live on before it is told to end, and then before it
  /// is killed: together about half a second.
  static let leftoverGrace = (
    untilTerminated: Duration.milliseconds(400), untilKilled: Duration.milliseconds(60)
  )

  /// How long a look waits for the ends of other processes that were told to end at the same time.
  private static let gatheringTime = Duration.milliseconds(5)

  /// One of the streams.
  struct Stream {
    let kind: OutputLines.Stream
    let descriptor: Int32
    var filter: (any OutputFilter)?
    var lines = LineAssembler()
    var isOpen = true

    /// Takes in what was read.
    ///
    /// - Returns: All lines that are now whole; nil when none is.
    mutating func append(_ bytes: ArraySlice<UInt8>) -> String? {
      guard let passed = filter?.append(bytes) else { return lines.append(bytes) }
      return lines.append(passed[...])
    }

    /// Ends the stream.
    ///
    /// - Returns: The lines that are left, the last one also if it did not end.
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
    /// Look again after this time, or when there is news.
    case wait(Duration?)
    case finish
  }

  let child: ChildProcess
  let tag: Set<String>
  /// Where one of the streams comes from, to be removed in the end.
  let channel: ReportChannel?
  private let onOutput: @Sendable (OutputLines) -> Bool
  private(set) var streams: [Stream]
  private(set) var status: ChildExit?
  var isPaused = false
  var isPolled = false
  var wakesAt: ContinuousClock.Instant?
  /// When the processes that are left are killed; nil while nobody wants their end.
  private var killsAt: ContinuousClock.Instant?
  private(set) var isStopped = false
  /// The grace that was asked for and has not been given yet, because nobody has looked at the tree.
  private(set) var askedGrace: Duration?
  private var endedAt: ContinuousClock.Instant?
  private var backOff = BackOff()
  /// The processes outside of the group that have been told to end.
  private var told: Set<Int32> = []
  private var drained = 0
  /// More than any pipe holds.
  private static let drainBytesMax = 4 << 20

  var pid: Int32 { child.id }
  var isKillDue: Bool { killsAt.map { $0 <= .now } ?? false }
  /// Whether somebody may hold one of the streams; a report channel is held here and has no end.
  var hasOpenStream: Bool { streams.contains { $0.isOpen && $0.kind != .report } }

  init(
    child: ChildProcess, tag: Set<String>, streams: [Stream], channel: ReportChannel?,
    onOutput: @escaping @Sendable (OutputLines) -> Bool
  ) {
    self.child = child
    self.tag = tag
    self.streams = streams
    self.channel = channel
    self.onOutput = onOutput
  }

  func wake(after time: Duration) {
    wakesAt = .now + time
  }

  // MARK: Output

  /// Reads once from a stream.
  func read(_ position: Int, into buffer: inout [UInt8]) -> ReadResult {
    guard let count = readBytes(streams[position].descriptor, into: &buffer) else { return .more }
    guard count > 0 else { return .end }
    var mayGoOn = true
    if let text = streams[position].append(buffer[..<count]) {
      mayGoOn = tell(text, position, isPartial: false)
    }
    // A full buffer means that more is there: its last line will be whole in a moment.
    if count < buffer.count, streams[position].lines.hasPending, mayGoOn {
      mayGoOn = tell(streams[position].lines.partial, position, isPartial: true)
    }
    return mayGoOn ? .more : .pause
  }

  /// Reads what is there of a stream, whatever whoever takes the output thinks of it: at most what
  /// fits into a pipe, when nobody writes any more.
  ///
  /// - Returns: Whether the stream has ended.
  func drain(_ position: Int, into buffer: inout [UInt8]) -> Bool {
    while let count = readBytes(streams[position].descriptor, into: &buffer) {
      if count == 0 { return true }
      if let text = streams[position].append(buffer[..<count]) {
        _ = tell(text, position, isPartial: false)
      }
      // Somebody else goes on writing: the rest is read in turn with that of others.
      drained += count
      if drained > Self.drainBytesMax { break }
    }
    return false
  }

  /// Hands over what is left: what a filter has held back, and the last line, if it did not end.
  func endStream(_ position: Int) {
    for text in streams[position].finish() { _ = tell(text, position, isPartial: false) }
  }

  private func tell(_ text: String, _ position: Int, isPartial: Bool) -> Bool {
    onOutput(OutputLines(stream: streams[position].kind, text: text, isPartial: isPartial))
  }

  // MARK: The end

  /// The first process has ended.
  func ended(with status: ChildExit) {
    self.status = status
    endedAt = .now
  }

  /// Notes that somebody wants the end of the tree.
  func ask(grace: Duration) {
    askedGrace = min(askedGrace ?? grace, grace)
  }

  /// Whether the tree has to be looked at: otherwise the first process lives and need not be killed.
  var needsTree: Bool { status != nil || askedGrace != nil || isKillDue }

  /// Until when the look at a tree that was told to end may wait, now that its first process has; nil when
  /// it may not.
  func gathersUntil(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    guard isStopped && askedGrace == nil, let endedAt else { return nil }
    let time = endedAt + Self.gatheringTime
    return time > now ? time : nil
  }

  /// Tells the tree to end.
  private func stop(grace: Duration, _ tree: ProcessTree) {
    let deadline = ContinuousClock.now + grace
    killsAt = min(killsAt ?? deadline, deadline)
    if !isStopped && grace > .zero {
      tree.send(SignalNumber.terminate)
      tree.send(SignalNumber.resume)
      told = Set(tree.outsiders)
    }
    isStopped = true
    backOff = BackOff()
  }

  /// Decides what is to be done, and sends the signals that are due.
  ///
  /// - Parameter tree: What is left; nil when nobody has looked because it is not needed.
  /// - Returns: When to look again, or that all is over.
  func next(tree: ProcessTree?) -> Next {
    if let tree, let grace = askedGrace {
      askedGrace = nil
      stop(grace: grace, tree)
    }
    let now = ContinuousClock.now
    guard let tree, status != nil || isKillDue else {
      let times = [killsAt.map { $0 - now }, isPolled ? .milliseconds(5) : nil]
      return .wait(times.compactMap(\.self).min())
    }
    if tree.isEmpty && status != nil {
      // Nobody is left who could write; the rest of the output is in the pipes. It is waited for
      // whoever takes it, unless the end is wanted.
      return isPaused && hasOpenStream && !isStopped ? .wait(nil) : .finish
    }
    if let killsAt {
      guard killsAt <= now else {
        tellLateComers(of: tree)
        return .wait(min(killsAt - now, backOff.next(upTo: .milliseconds(100))))
      }
      tree.send(SignalNumber.kill)
      return .wait(backOff.next(upTo: .milliseconds(16)))
    }
    // The first process has ended by itself and has left others behind.
    let terminatesAt = (endedAt ?? now) + Self.leftoverGrace.untilTerminated
    guard terminatesAt <= now else {
      return .wait(min(terminatesAt - now, backOff.next(upTo: .milliseconds(50))))
    }
    stop(grace: Self.leftoverGrace.untilKilled, tree)
    return .wait(backOff.next(upTo: .milliseconds(16)))
  }

  /// Tells those to end that were on their way out of the group when the others were told.
  ///
  /// Not those within the group: they may be what a process cleans up with.
  private func tellLateComers(of tree: ProcessTree) {
    for pid in tree.outsiders where told.insert(pid).inserted {
      sendSignal(SignalNumber.terminate, to: pid)
      sendSignal(SignalNumber.resume, to: pid)
    }
  }
}

/// Times between looks that grow, so that nothing is looked at hotly and nothing is seen late.
struct BackOff {
  private var time = Duration.milliseconds(1)

  /// The next time: twice the last one, but not above a limit.
  mutating func next(upTo limit: Duration) -> Duration {
    defer { time = min(time, limit) * 2 }
    return min(time, limit)
  }
}
