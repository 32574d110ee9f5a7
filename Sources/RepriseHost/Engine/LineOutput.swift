// Writes the lines of many runs to one output, in order and on a separate queue. If the reader is
// slow, step output is first delayed (back-pressure), then dropped; memory stays bounded.

import Dispatch
import Reprise
import Synchronization

/// The output of an engine.
///
/// Thread-safe.
final class LineOutput: Sendable {
  /// The number of pending bytes above which droppable lines must wait.
  private static let bytesMax = 1 << 20
  /// The maximum number of pending bytes; beyond it, the output is closed.
  ///
  /// This is enough for several hundred thousand transitions: a client that is so far behind has
  /// stopped reading.
  private static let bytesLimit = 64 << 20
  /// The maximum number of bytes per write.
  private static let pieceBytes = 1 << 16
  /// How long to wait for a reader that makes no progress, before droppable lines are dropped and
  /// ``finish()`` gives up.
  private static let patience = DispatchTimeInterval.seconds(10)

  private struct Line: Sendable {
    let bytes: [UInt8]
    let onWritten: (@Sendable () -> Void)?
  }

  private struct State {
    var lines: [Line] = []
    var bytes = 0
    /// The number of pieces written.
    var pieces = 0
    var isWriting = false
    /// Whether the output has been closed.
    var isClosed = false
    /// Whether the reader has made no progress for `patience`.
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

  /// Creates an output.
  ///
  /// - Parameters:
  ///   - writeNow: Writes bytes, blocking the thread; returns false if the output is closed.
  ///   - onClosed: Called once, when the output has been closed.
  init(
    _ writeNow: @escaping @Sendable ([UInt8]) -> Bool, onClosed: @escaping @Sendable () -> Void
  ) {
    self.writeNow = writeNow
    self.onClosed = onClosed
  }

  /// Enqueues a line; never blocks.
  ///
  /// - Parameters:
  ///   - line: The line with its line feed.
  ///   - onWritten: Called when the line has been written; never called if the output is closed.
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

  /// Enqueues a line that may be dropped; blocks until there is room, at most for `patience`.
  ///
  /// - Parameter line: Returns the line with its line feed; called only if it is not dropped.
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

  /// Waits until all lines have been written, or the reader has made no progress for `patience`.
  ///
  /// - Returns: Whether all lines have been written.
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

  /// Writes until no lines are left.
  ///
  /// Runs on the queue, one call at a time.
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

  /// Writes bytes; returns false if the output has been closed.
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

  /// Counts written bytes, and wakes the callers that wait for room.
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
