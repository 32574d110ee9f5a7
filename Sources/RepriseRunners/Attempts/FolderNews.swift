// `FolderNews`: the news of an attempt, read from its folder.

import Platform
import Reprise
import Synchronization

/// Reads the news of an attempt from its folder.
actor FolderNews {
  /// The numbers of attempts that this process follows by looking at intervals, which set the pace of all
  /// of them.
  private static let counts = Mutex(FollowedAttempts())
  private static let bytesMax = 1 << 18

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
    if alarm == nil { Self.counts.withLock { $0.waiting += 1 } }
  }

  deinit {
    guard alarm == nil else { return }
    Self.counts.withLock { [hasStarted] counts in
      if hasStarted { counts.running -= 1 } else { counts.waiting -= 1 }
    }
  }

  /// The time until the next look at the folder.
  private var pace: Duration {
    Self.counts.withLock { $0 }.pace(hasStarted: hasStarted, quietFor: handle.clock.now - lastNews)
  }

  /// The time until the next question for what the site knows.
  private var lookInterval: Duration { Self.counts.withLock { $0 }.lookInterval }

  private func noteStart() {
    hasStarted = true
    guard alarm == nil else { return }
    Self.counts.withLock { counts in
      counts.waiting -= 1
      counts.running += 1
    }
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
          noteStart()
          lastNews = now
          return MarkedNews(.started(host: host), next: OutputMark(offset: offset))
        }
        if handle.folder.requestedGrace != nil { return stopped() }
      }
      if let news = try await look(at: now) { return news }
      if hasEnded { return nil }
      if let alarm {
        try await alarm.wait(upTo: lookInterval, clock: handle.clock)
      } else {
        try await handle.bell.pause(for: pace, handle.clock)
      }
    }
  }

  /// Looks from time to time whether the attempt still waits, or is gone.
  private func look(at now: Timestamp) async throws -> MarkedNews? {
    if let lastLook, now - lastLook < lookInterval { return nil }
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

/// How many attempts are followed by looking at their folders at intervals, and how often that is done.
struct FollowedAttempts: Equatable {
  /// Those that no host has claimed.
  var waiting = 0
  var running = 0

  /// The time until the next look at the folder of an attempt.
  ///
  /// Short after news, so that short attempts are not delayed, then a part of the time since, up to 20 ms. Of
  /// many attempts, 5,000 that run are looked at in a second, so that what depends on them begins soon, and
  /// 1,000 that wait: their start is only shown, and an end is seen with the next look.
  func pace(hasStarted: Bool, quietFor time: Duration) -> Duration {
    let quiet = min(max(time / 16, .milliseconds(1)), .milliseconds(20))
    return max(quiet, .milliseconds(hasStarted ? running / 5 : waiting))
  }

  /// The time until the next question for what is known of an attempt apart from its folder.
  var lookInterval: Duration { max(.milliseconds(500), .milliseconds(2 * (waiting + running))) }
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
