// `FolderNews`: the news of an attempt, read from its folder.

import Platform
import Reprise
import Synchronization

/// Reads the news of an attempt from its folder.
actor FolderNews {
  /// The number of attempts that this process follows by looking at intervals, which sets the pace
  /// of all of them.
  private static let count = Mutex(0)
  private static let bytesMax = 1 << 18
  private static let lookInterval = Duration.milliseconds(500)

  private let handle: FolderHandle
  /// Nil for attempts of other machines, for which it looks at intervals.
  private let alarm: FolderAlarm?
  private var offset: Int64
  private var pending: [MarkedNews] = []
  private var hasStarted = false
  private var lastReason = ""
  private var lastLook: Timestamp?
  /// When something was new for the last time.
  private var lastNews: Timestamp
  private var hasEnded = false

  init(handle: FolderHandle, from mark: OutputMark) {
    self.handle = handle
    offset = mark.offset
    lastNews = handle.clock.now
    alarm = handle.site.isThisMachine ? FolderAlarm(handle.folder.path) : nil
    if alarm == nil { Self.count.withLock { $0 += 1 } }
  }

  deinit {
    if alarm == nil { Self.count.withLock { $0 -= 1 } }
  }

  /// The time until the next look: short after news, so that short attempts are not delayed, then a
  /// part of the time since, up to 20 ms; more if many attempts are followed.
  private var pace: Duration {
    let quiet = min(max((handle.clock.now - lastNews) / 16, .milliseconds(1)), .milliseconds(20))
    return max(quiet, .milliseconds(Self.count.withLock { $0 } / 5))
  }

  /// Returns the next news; nil if the attempt is gone without a result.
  func next() async throws -> MarkedNews? {
    while true {
      if !pending.isEmpty { return pending.removeFirst() }
      if hasEnded { return nil }
      let now = handle.clock.now
      if hasStarted {
        // Before the output is read, so that nothing follows it.
        let stored = handle.folder.storedResult
        let isWhole = try readOutput()
        if !pending.isEmpty {
          lastNews = now
          continue
        }
        if let stored, let result = stored.result, isWhole {
          let ended = MarkedNews(.ended(result), next: OutputMark(offset: offset))
          hasEnded = true
          guard !stored.written.isEmpty else { return ended }
          pending = [ended]
          return MarkedNews(.written(stored.written), next: OutputMark(offset: offset))
        }
      } else if let claim = handle.folder.claim {
        if let host = claim.host {
          hasStarted = true
          lastNews = now
          return MarkedNews(.started(host: host), next: OutputMark(offset: offset))
        }
        if handle.folder.requestedGrace != nil { return stopped() }
      }
      if let news = try await look(at: now) { return news }
      if hasEnded { return nil }
      if let alarm {
        try await alarm.wait(upTo: Self.lookInterval, clock: handle.clock)
      } else {
        try await handle.clock.sleep(for: pace)
      }
    }
  }

  /// Looks from time to time whether the attempt still waits, or is gone.
  private func look(at now: Timestamp) async throws -> MarkedNews? {
    if let lastLook, now - lastLook < Self.lookInterval { return nil }
    lastLook = now
    switch try await sight() {
    case .gone:
      hasEnded = true
      let folder = handle.folder
      guard folder.claim?.host == nil, folder.requestedGrace != nil else { return nil }
      return stopped()
    case .queued(let reason) where reason != lastReason && !hasStarted:
      lastReason = reason
      return MarkedNews(.queued(reason), next: OutputMark(offset: offset))
    case .unknown(let text) where hasStarted:
      throw RunnerFailure.cannotAsk(text)
    case .queued, .running, .ended, .unknown, nil:
      return nil
    }
  }

  /// Ends the news of an attempt that the engine has claimed to stop it: it has never run.
  private func stopped() -> MarkedNews {
    hasEnded = true
    return MarkedNews(.ended(.stopped), next: OutputMark(offset: offset))
  }

  /// What is known of the attempt; nil if its folder has changed before that was known.
  ///
  /// As long as it waits, a scheduler that cannot be asked is the reason that is shown: its folder tells
  /// when it begins.
  private func sight() async throws -> AttemptSight? {
    do {
      guard !handle.site.isThisMachine else { return try await handle.sight() }
      let (hasStarted, size, pause) = (
        hasStarted, handle.folder.outputSize, max(pace, .milliseconds(20))
      )
      // A scheduler may take long to answer.
      return try await withThrowingTaskGroup(of: AttemptSight?.self) { [handle] group in
        defer { group.cancelAll() }
        group.addTask { try await handle.sight() }
        group.addTask {
          while !handle.folder.hasNews(since: size, hasStarted: hasStarted) {
            try await handle.clock.sleep(for: pause)
          }
          return nil
        }
        return try await group.next() ?? nil
      }
    } catch let error as RunnerFailure {
      guard !hasStarted, handle.folder.claim == nil else { throw error }
      return .queued(error.description)
    }
  }

  /// Reads the lines that were added.
  ///
  /// - Returns: Whether all that there was has been read.
  private func readOutput() throws -> Bool {
    let file: OpenFile
    do throws(Errno) {
      file = try OpenFile(handle.folder.outputPath)
    } catch {
      if error == .noSuchFileOrDirectory { return true }
      throw RunnerFailure.cannotAsk("cannot read \(handle.folder.outputPath): \(error)")
    }
    // Mostly nothing was added, and a buffer costs more than a look.
    if let size = try? file.status().size, Int64(size) <= offset { return true }
    var buffer = [UInt8](repeating: 0, count: Self.bytesMax)
    let count = try file.readOnce(at: offset, into: &buffer)
    guard let end = buffer[..<count].lastIndex(of: 0x0A) else { return count < Self.bytesMax }
    let lines = buffer[...end]
    let next = offset + Int64(lines.count)
    let news = AttemptRecord.news(in: lines)
    // Only after the last piece may the reading go on behind the chunk.
    pending = news.enumerated().map { position, news in
      MarkedNews(
        news, next: OutputMark(offset: position == lines.count - 1 ? next : offset))
    }
    if !pending.isEmpty { pending[pending.count - 1].next = OutputMark(offset: next) }
    offset = next
    return count < Self.bytesMax
  }
}

extension AttemptFolder {
  fileprivate var outputSize: Int64 { (try? Stat(at: outputPath)).map { Int64($0.size) } ?? 0 }

  /// Whether there is more to read than when the output had a size.
  fileprivate func hasNews(since size: Int64, hasStarted: Bool) -> Bool {
    if hasStarted { return outputSize > size || result != nil }
    guard let claim else { return false }
    return claim.host != nil || requestedGrace != nil
  }
}
