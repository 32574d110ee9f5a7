// `FolderRunner`: a runner whose attempts are known by their folders. The engine's side.

import Platform
package import Reprise
import Synchronization

/// How a host is brought to life for a folder, and what is known of it apart from the folder.
package protocol AttemptSite: Sendable {
  /// The name of the site in messages, such as `Slurm`.
  var name: String { get }
  /// Whether the hosts run on this machine, so that the lock of a claim tells whether one is alive.
  var isThisMachine: Bool { get }

  /// Has a host started for an attempt; must be harmless if one was started before.
  func submit(
    _ spec: AttemptSpec, _ token: AttemptToken, _ folder: AttemptFolder
  ) async throws(RunnerFailure)

  /// Says what is known of an attempt.
  func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight

  /// Withdraws an attempt that the engine has claimed, so that no host runs it.
  func withdraw(_ token: AttemptToken) async throws(RunnerFailure)

  /// Ends what an attempt has left outside of the process tree of its host, which has died.
  ///
  /// Called on this machine before the attempt is said to be gone; may be called again.
  func endRest(of token: AttemptToken) async throws(RunnerFailure)

  /// Called when an attempt is over, at least once.
  func forget(_ token: AttemptToken)
}

/// What a site knows of an attempt, apart from its folder.
package enum SiteSight: Sendable, Equatable {
  /// It waits for this reason, which may be empty.
  case queued(String)
  /// Its host runs, or is about to.
  case present
  /// No host of it runs, and none will.
  case absent
}

extension AttemptSite {
  package func endRest(of token: AttemptToken) async throws(RunnerFailure) {}

  package func forget(_ token: AttemptToken) {}
}

/// A runner whose attempts and their engine share a file system.
package struct FolderRunner: Runner {
  /// Attempts go on without the engine.
  package var survivesEngine: Bool { true }

  private let site: any AttemptSite
  private let root: String
  private let clock: any RunClock
  private let leases = LeaseWatches()

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - site: How hosts are brought to life.
  ///   - root: The folder of all attempts.
  ///   - clock: The source of time.
  package init(_ site: any AttemptSite, attempts root: String, clock: any RunClock) {
    self.site = site
    self.root = root
    self.clock = clock
  }

  /// Writes the folder of the attempt, and has a host started.
  package func begin(
    _ spec: AttemptSpec, token: AttemptToken
  ) async throws(RunnerFailure) -> any RunnerHandle {
    let folder = AttemptFolder(of: token, in: root)
    if folder.claim == nil, !folder.isSubmitted {
      do throws(Errno) {
        try makeFolderTree(root)
        try folder.make()
        try folder.write(spec)
      } catch {
        throw .refused(
          "cannot write the attempt to \(folder.path): \(error); free some space, or check the "
            + "permissions")
      }
      try await site.submit(spec, token, folder)
      folder.markSubmitted()
    }
    return handle(token)
  }

  /// Finds the folder of an attempt.
  package func find(
    _ token: AttemptToken
  ) async throws(RunnerFailure) -> (any RunnerHandle)? {
    guard mayAccess(root, .existence) else {
      // The whole folder may be out of reach, on a file system that is not mounted.
      throw .cannotAsk("the folder \(root) is not there")
    }
    let folder = AttemptFolder(of: token, in: root)
    guard folder.exists else { return nil }
    if folder.claim != nil || folder.result != nil { return handle(token) }
    // Submitted or not, only the site knows whether a host will come.
    if case .absent = try await site.sight(of: token), folder.claim == nil {
      folder.forgetSubmission()
      return nil
    }
    return handle(token)
  }

  /// Says what is known of attempts.
  package func look(
    _ tokens: [AttemptToken]
  ) async throws(RunnerFailure) -> [AttemptToken: AttemptSight] {
    var sights: [AttemptToken: AttemptSight] = [:]
    for token in tokens { sights[token] = try await handle(token).sight() }
    return sights
  }

  private func handle(_ token: AttemptToken) -> FolderHandle {
    FolderHandle(
      folder: AttemptFolder(of: token, in: root), token: token, site: site, clock: clock,
      lease: leases[token])
  }
}

/// One attempt, known by its folder.
struct FolderHandle: RunnerHandle {
  let folder: AttemptFolder
  let token: AttemptToken
  let site: any AttemptSite
  let clock: any RunClock
  private let lease: LeaseWatch

  init(
    folder: AttemptFolder, token: AttemptToken, site: any AttemptSite, clock: any RunClock,
    lease: LeaseWatch = LeaseWatch()
  ) {
    self.folder = folder
    self.token = token
    self.site = site
    self.clock = clock
    self.lease = lease
  }

  func news(from mark: OutputMark) -> AsyncThrowingStream<MarkedNews, any Error> {
    let reader = FolderNews(handle: self, from: mark)
    return AsyncThrowingStream { try await reader.next() }
  }

  func stop(grace: Duration) async throws(RunnerFailure) {
    do throws(Errno) {
      if try folder.takeClaim(host: nil) != nil {
        // Whatever is still started finds the claim taken, so this is a courtesy.
        try? await site.withdraw(token)
      }
      try folder.requestStop(grace: grace)
    } catch {
      throw .cannotAsk("cannot write to \(folder.path): \(error)")
    }
  }

  func isGone() async throws(RunnerFailure) -> Bool {
    switch try await sight() {
    case .gone: return true
    case .ended:
      // The host ends when it has written the result; until then it holds the claim.
      let isGone = !site.isThisMachine || folder.isHeld != true
      if isGone { site.forget(token) }
      return isGone
    case .queued, .running, .unknown: return false
    }
  }

  func abandon() async throws(RunnerFailure) {
    do throws(Errno) {
      // A host that is alive after all has its folder under another name, and writes its result
      // where no one looks for it.
      try renameFile(folder.path, to: folder.path + ".abandoned")
    } catch {
      if error != .noSuchFileOrDirectory {
        throw .cannotAsk("cannot rename \(folder.path): \(error)")
      }
    }
  }

  /// What is known of the attempt.
  func sight() async throws(RunnerFailure) -> AttemptSight {
    if folder.result != nil { return .ended }
    guard let claim = folder.claim else {
      if !folder.exists { return .gone }
      if folder.isHeld != nil { return .unknown("a host is starting") }
      switch try await site.sight(of: token) {
      case .queued(let reason): return .queued(reason)
      case .present: return .queued("")
      case .absent:
        // It may have come and gone since the claim was read.
        if folder.isHeld != nil || folder.result != nil { return .unknown("it has just begun") }
        // A scheduler may forget a job for a while, and run it later: it finds the claim taken then.
        do throws(Errno) {
          if try folder.takeClaim(host: nil) == nil { return .unknown("it has just begun") }
        } catch {
          throw .cannotAsk("cannot write to \(folder.path): \(error)")
        }
        return .gone
      }
    }
    guard let host = claim.host else { return .gone }
    if site.isThisMachine {
      if folder.isHeld == true { return .running(host: host) }
      if folder.result != nil { return .ended }
      try await site.endRest(of: token)
      return .gone
    }
    guard lease.isStale(folder.leaseTime, at: clock.now) else { return .running(host: host) }
    switch try await site.sight(of: token) {
    case .absent: return folder.result == nil ? .gone : .ended
    case .present, .queued:
      return .unknown("\(site.name) says that it runs on \(host), but its host gives no sign")
    }
  }
}

/// Notices that a lease is no longer renewed.
///
/// Only changes of its time are compared, never the clocks of two machines.
final class LeaseWatch: Sendable {
  private let last = Mutex<(time: Int64, seenAt: Timestamp)?>(nil)

  /// Returns whether a lease has not been renewed for some time, by default three intervals.
  func isStale(
    _ time: Int64, at now: Timestamp, after limit: Duration = AttemptFolder.leaseInterval * 3
  ) -> Bool {
    last.withLock { last in
      guard let known = last, known.time == time else {
        last = (time, now)
        return false
      }
      return now - known.seenAt > limit
    }
  }
}

/// The watches of all attempts of a runner: each question would begin to watch anew otherwise.
private final class LeaseWatches: Sendable {
  private let watches = Mutex<[AttemptToken: LeaseWatch]>([:])

  subscript(token: AttemptToken) -> LeaseWatch {
    watches.withLock { watches in
      if let known = watches[token] { return known }
      let watch = LeaseWatch()
      watches[token] = watch
      return watch
    }
  }
}

/// Reads the news of an attempt from its folder.
private actor FolderNews {
  /// The number of attempts that this process follows, which sets the pace of all of them.
  private static let count = Mutex(0)
  private static let bytesMax = 1 << 18
  private static let lookInterval = Duration.milliseconds(500)

  private let handle: FolderHandle
  private var offset: Int64
  private var pending: [MarkedNews] = []
  private var hasStarted = false
  private var lastReason: String?
  private var lastLook: Timestamp?
  /// When something was new for the last time.
  private var lastNews: Timestamp
  private var hasEnded = false

  init(handle: FolderHandle, from mark: OutputMark) {
    self.handle = handle
    offset = mark.offset
    lastNews = handle.clock.now
    Self.count.withLock { $0 += 1 }
  }

  deinit {
    Self.count.withLock { $0 -= 1 }
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
      // Before the output is read, so that nothing follows it.
      let result = handle.folder.result
      if !hasStarted, let host = handle.folder.claim?.host {
        hasStarted = true
        lastNews = now
        return MarkedNews(.started(host: host), next: OutputMark(offset: offset))
      }
      let isWhole = try readOutput()
      if !pending.isEmpty {
        lastNews = now
        continue
      }
      if let result, isWhole {
        hasEnded = true
        return MarkedNews(.ended(result), next: OutputMark(offset: offset))
      }
      if let news = try await look(at: now) { return news }
      if hasEnded { return nil }
      try await handle.clock.sleep(for: pace)
    }
  }

  /// Looks from time to time whether the attempt still waits, or is gone.
  private func look(at now: Timestamp) async throws -> MarkedNews? {
    if let lastLook, now - lastLook < Self.lookInterval { return nil }
    lastLook = now
    switch try await handle.sight() {
    case .gone:
      hasEnded = true
      let folder = handle.folder
      guard folder.claim?.host == nil, folder.requestedGrace != nil else { return nil }
      // The engine has claimed it to stop it: it has never run.
      return MarkedNews(.ended(.stopped), next: OutputMark(offset: offset))
    case .queued(let reason) where reason != lastReason && !hasStarted:
      lastReason = reason
      return MarkedNews(.queued(reason), next: OutputMark(offset: offset))
    case .unknown(let text) where hasStarted:
      throw RunnerFailure.cannotAsk(text)
    case .queued, .running, .ended, .unknown:
      return nil
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
