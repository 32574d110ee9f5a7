// `FolderRunner`: a runner whose attempts are known by their folders. The engine's side.

import Platform
package import Reprise
import Synchronization

/// A runner whose attempts and their engine share a file system.
package struct FolderRunner: Runner {
  /// Attempts go on without the engine.
  package var survivesEngine: Bool { true }

  private let site: any AttemptSite
  private let name: String?
  private let root: String
  private let clock: any RunClock
  private let leases = LeaseWatches()

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - site: How hosts are brought to life.
  ///   - name: The name of the runner, if others may use the folder.
  ///   - root: The folder of all attempts.
  ///   - clock: The source of time.
  package init(
    _ site: any AttemptSite, named name: String? = nil, attempts root: String, clock: any RunClock
  ) {
    self.site = site
    self.name = name
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
      do throws(RunnerFailure) {
        let note = try await site.submit(spec, token, folder)
        if !folder.isSubmitted { folder.markSubmitted(as: note) }
      } catch {
        if case .cannotAsk = error { throw error }
        guard try isPrevented(folder, after: error) else { return handle(token) }
        throw error
      }
    }
    return handle(token)
  }

  /// Makes sure that no host begins an attempt that was not submitted.
  ///
  /// A command may fail and have submitted the job all the same, or an earlier one that was not answered may
  /// have: it must not begin any more, beside the next attempt.
  ///
  /// - Returns: Whether none does; if a host was faster, it is followed.
  private func isPrevented(
    _ folder: AttemptFolder, after failure: RunnerFailure
  ) throws(RunnerFailure) -> Bool {
    do throws(Errno) {
      guard try folder.claimForEngine(for: name) else { return false }
      // The next submission makes another folder.
      try failure.isNeverBegun ? folder.discard() : folder.markSubmitted(as: "")
    } catch {
      if failure.isNeverBegun { throw .cannotAsk("cannot write to \(folder.path): \(error)") }
    }
    return true
  }

  /// Finds the folder of an attempt.
  package func find(
    _ token: AttemptToken
  ) async throws(RunnerFailure) -> (any RunnerHandle)? {
    guard mayAccess(root, .existence) else {
      // The whole folder may be out of reach, on a file system that is not mounted.
      throw .cannotAsk("the folder \(root) is not there: mount its file system, or create it")
    }
    let folder = AttemptFolder(of: token, in: root)
    guard folder.exists else { return nil }
    if folder.claim != nil || folder.result != nil { return handle(token) }
    // Submitted or not, only the site knows whether a host will come.
    switch try await site.sight(of: token) {
    case .queued: return handle(token)
    case .present where folder.isSubmitted: return handle(token)
    case .present:
      // It may show the job later, and may have none: followed, that would be the loss of the attempt.
      throw .cannotAsk("\(site.name) may not show its job yet")
    case .absent: break
    }
    // It may be late after all: then its host finds no folder, or that of the next submission.
    do throws(Errno) {
      guard try folder.claimForEngine(for: name) else { return handle(token) }
      try folder.discard()
    } catch {
      throw .cannotAsk("cannot write to \(folder.path): \(error)")
    }
    return nil
  }

  /// Takes the claim of an attempt that no host has, so that it never begins.
  package func revoke(_ token: AttemptToken) async throws(RunnerFailure) -> (any RunnerHandle)? {
    guard mayAccess(root, .existence) else {
      throw .cannotAsk("the folder \(root) is not there: mount its file system, or create it")
    }
    let folder = AttemptFolder(of: token, in: root)
    guard folder.exists else { return nil }
    do throws(Errno) {
      guard try folder.claimForEngine(for: name) else { return handle(token) }
    } catch {
      throw .cannotAsk("cannot write to \(folder.path): \(error)")
    }
    // Where it may have been submitted, the site withdraws it when it can.
    site.withdraw(token)
    site.forget(token)
    return nil
  }

  /// Says what is known of attempts.
  package func look(
    _ tokens: [AttemptToken]
  ) async throws(RunnerFailure) -> [AttemptToken: AttemptSight] {
    var sights: [AttemptToken: AttemptSight] = [:]
    for token in tokens { sights[token] = try await handle(token).sight() }
    return sights
  }

  /// Says how its site knows that an attempt ended, and whether it had begun.
  package func reasonForLoss(of token: AttemptToken) async -> AttemptEnd? {
    let folder = AttemptFolder(of: token, in: root)
    // What has kept the host from writing keeps this process from it, too.
    if let problem = folder.writeProblem {
      let isFull = [.noSpace, .diskQuotaExceeded].contains(problem)
      return AttemptEnd("cannot write to \(folder.path): \(problem)", cause: isFull ? .disk : nil)
    }
    guard var end = await site.end(of: token) else { return nil }
    if folder.claim?.host == nil { end.text = "it never began: " + end.text }
    return end
  }

  /// Says how its site has ended an attempt.
  package func reasonForEnd(of token: AttemptToken) async -> AttemptEnd? {
    await site.intervention(in: token)
  }

  /// Waits until what was withdrawn of the run is gone.
  package func release(_ run: RunID) async -> String? {
    await site.finishWithdrawals(of: run) {
      AttemptFolder.claimedByEngines(of: run, in: root, for: name)
    }
  }

  private func handle(_ token: AttemptToken) -> FolderHandle {
    FolderHandle(
      folder: AttemptFolder(of: token, in: root), token: token, site: site, clock: clock,
      runner: name, lease: leases[token])
  }
}

/// One attempt, known by its folder.
struct FolderHandle: RunnerHandle {
  let folder: AttemptFolder
  let token: AttemptToken
  let site: any AttemptSite
  let clock: any RunClock
  /// The name of the runner, if others may use the folder.
  private let runner: String?
  private let lease: LeaseWatch
  /// Rung when this process stops the attempt, so that its news need not be waited for.
  let bell: PauseBell

  init(
    folder: AttemptFolder, token: AttemptToken, site: any AttemptSite, clock: any RunClock,
    runner: String? = nil, lease: LeaseWatch = LeaseWatch(), bell: PauseBell = PauseBell()
  ) {
    self.folder = folder
    self.token = token
    self.site = site
    self.clock = clock
    self.runner = runner
    self.lease = lease
    self.bell = bell
  }

  func news(from mark: OutputMark) -> AsyncThrowingStream<MarkedNews, any Error> {
    let reader = FolderNews(handle: self, from: mark)
    return AsyncThrowingStream { try await reader.next() }
  }

  func stop(grace: Duration) async throws(RunnerFailure) {
    do throws(Errno) {
      if try folder.takeClaim(host: nil, for: runner) != nil {
        site.withdraw(token)
      }
      try folder.requestStop(grace: grace)
    } catch {
      throw .cannotAsk("cannot write to \(folder.path): \(error)")
    }
    bell.ring()
  }

  var job: String? { site.job(folder.submissionNote) }

  func isGone() async throws(RunnerFailure) -> Bool {
    switch try await sight() {
    case .gone:
      site.forget(token)
      return true
    case .ended:
      // The host ends when it has written the result; until then it holds the claim.
      let isGone = if site.isThisMachine { await isReleased() } else { true }
      if isGone { site.forget(token) }
      return isGone
    case .queued, .running, .unknown: return false
    }
  }

  /// Returns whether no process holds the claim any more; waits for some milliseconds, since a host
  /// that has written its result ends by then.
  private func isReleased() async -> Bool {
    guard folder.isHeld == true, let alarm = FolderAlarm(folder.path) else {
      return folder.isHeld != true
    }
    // The system says that the claim is closed shortly before it gives up the lock.
    for milliseconds in [16, 1, 1, 2] {
      if folder.isHeld != true { return true }
      try? await alarm.wait(upTo: .milliseconds(milliseconds), clock: clock)
    }
    return folder.isHeld != true
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
          if try folder.takeClaim(host: nil, for: runner) == nil {
            return .unknown("it has just begun")
          }
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
