// Writes the lines of many runs to one descriptor, in one order and on a thread of its own. Whoever reads
// slowly holds up output for a while, then misses it; memory stays bounded. Knows nothing of what lines say.

import Dispatch
import Reprise
import Synchronization

/// Where an engine writes.
///
/// All members may be called from any thread.
final class LineOutput: Sendable {
  /// How many bytes may wait before what can be missed has to wait for them.
  private static let bytesMax = 1 << 20
  /// How many bytes may wait in all; whoever leaves more unread is given up.
  ///
  /// Some hundred thousand transitions, which no client leaves unread that means to read them.
  private static let bytesLimit = 64 << 20
  /// How much is written at once.
  private static let pieceBytes = 1 << 16
  /// How long nobody may read before what can be missed is dropped, and after the end before the rest is.
  private static let patience = DispatchTimeInterval.seconds(10)

  private struct Line: Sendable {
    let bytes: [UInt8]
    let onWritten: (@Sendable () -> Void)?
  }

  private struct State {
    var lines: [Line] = []
    var bytes = 0
    /// How many pieces have been written.
    var pieces = 0
    var isWriting = false
    /// Nobody reads any more.
    var isClosed = false
    /// Nobody has made room for as long as patience lasts.
    var isStalled = false
    var waiting: [DispatchSemaphore] = []

    mutating func takeWaiting() -> [DispatchSemaphore] {
      defer { waiting = [] }
      return waiting
    }
  }

  private let writeNow: @Sendable ([UInt8]) -> Bool
  private let onClosed: @Sendable () -> Void
  private let queue = DispatchQueue(label: "reprise.engine.output")
  private let state = Mutex(State())

  /// Prepares to write.
  ///
  /// - Parameters:
  ///   - writeNow: Writes bytes, and blocks its thread meanwhile; false when they are not read.
  ///   - onClosed: Called once, when nobody reads any more.
  init(
    _ writeNow: @escaping @Sendable ([UInt8]) -> Bool, onClosed: @escaping @Sendable () -> Void
  ) {
    self.writeNow = writeNow
    self.onClosed = onClosed
  }

  /// Has a line written, after those before it; never waits.
  ///
  /// - Parameters:
  ///   - line: The line with its line feed.
  ///   - onWritten: Called when it has been written, if it is.
  func write(_ line: [UInt8], onWritten: (@Sendable () -> Void)? = nil) {
    let (mustWrite, isTooMuch) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.lines.append(Line(bytes: line, onWritten: onWritten))
      state.bytes += line.count
      defer { state.isWriting = true }
      return (!state.isWriting, state.bytes > Self.bytesLimit)
    }
    if isTooMuch { return close() }
    if mustWrite { queue.async { self.writeWaiting() } }
  }

  /// Has a line written that can be missed: waits for room, but not for ever.
  ///
  /// Blocks the thread.
  ///
  /// - Parameter line: The line with its line feed; asked for when it is written.
  func writeIfRead(_ line: () -> [UInt8]) {
    while true {
      let semaphore = DispatchSemaphore(value: 0)
      let hasRoom = state.withLock { state -> Bool? in
        if state.isClosed { return false }
        if state.bytes <= Self.bytesMax { return true }
        if state.isStalled { return false }
        state.waiting.append(semaphore)
        return nil
      }
      if hasRoom == true { write(line()) }
      guard hasRoom == nil else { return }
      guard semaphore.wait(timeout: .now() + Self.patience) == .timedOut else { continue }
      let waiting = state.withLock { state in
        if state.bytes > Self.bytesMax { state.isStalled = true }
        return state.takeWaiting()
      }
      for semaphore in waiting { semaphore.signal() }
    }
  }

  /// Waits until everything has been written, or nobody has read any of it for as long as patience lasts.
  ///
  /// - Returns: Whether everything was.
  func finish() async -> Bool {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "reprise.engine.end").async { [self] in
        continuation.resume(returning: isWritten())
      }
    }
  }

  private func isWritten() -> Bool {
    while true {
      let semaphore = DispatchSemaphore(value: 0)
      let (isWritten, pieces) = state.withLock { state -> (Bool?, Int) in
        if state.isClosed { return (false, 0) }
        if state.lines.isEmpty, !state.isWriting { return (true, 0) }
        state.waiting.append(semaphore)
        return (nil, state.pieces)
      }
      if let isWritten { return isWritten }
      let result = semaphore.wait(timeout: .now() + Self.patience)
      if result == .timedOut, state.withLock({ $0.pieces }) == pieces { return false }
    }
  }

  // MARK: Writing

  /// Writes until nothing is left.
  ///
  /// Runs on the queue, in at most one call at a time.
  private func writeWaiting() {
    while let lines = nextLines() {
      var rest = lines[...]
      while !rest.isEmpty {
        var piece: [UInt8] = []
        var written: [@Sendable () -> Void] = []
        repeat {
          let line = rest.removeFirst()
          piece += line.bytes
          if let onWritten = line.onWritten { written.append(onWritten) }
        } while rest.first.map { piece.count + $0.bytes.count <= Self.pieceBytes } ?? false
        guard writeInPieces(piece) else { return close() }
        for onWritten in written { onWritten() }
      }
    }
  }

  /// Writes bytes; false when nobody reads them.
  private func writeInPieces(_ bytes: [UInt8]) -> Bool {
    for start in stride(from: 0, to: bytes.count, by: Self.pieceBytes) {
      let piece = Array(bytes[start..<min(start + Self.pieceBytes, bytes.count)])
      guard writeNow(piece) else { return false }
      note(piece.count)
    }
    return true
  }

  private func nextLines() -> [Line]? {
    let (lines, waiting) = state.withLock { state -> ([Line]?, [DispatchSemaphore]) in
      guard state.lines.isEmpty || state.isClosed else {
        defer { state.lines = [] }
        return (state.lines, [])
      }
      state.isWriting = false
      return (nil, state.takeWaiting())
    }
    for semaphore in waiting { semaphore.signal() }
    return lines
  }

  /// Notes what has been written, and lets those go on who wait for room.
  private func note(_ bytes: Int) {
    let waiting = state.withLock { state in
      state.pieces += 1
      state.bytes -= bytes
      guard state.bytes <= Self.bytesMax / 2 else { return [DispatchSemaphore]() }
      state.isStalled = false
      return state.takeWaiting()
    }
    for semaphore in waiting { semaphore.signal() }
  }

  private func close() {
    let (isFirst, waiting) = state.withLock { state in
      defer {
        state.isClosed = true
        state.lines = []
      }
      return (!state.isClosed, state.takeWaiting())
    }
    for semaphore in waiting { semaphore.signal() }
    if isFirst { onClosed() }
  }
}
