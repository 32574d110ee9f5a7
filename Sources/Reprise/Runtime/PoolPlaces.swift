// `PoolPlaces`: places of pools that steps take while they run, shared with all runs of a project.

import Platform
import Synchronization
import Workflows

/// The places of pools, for all runs of an engine and, with a folder, for all processes that use it.
///
/// In the folder, a place is a lock on a file, which the kernel releases when its holders die: the
/// engine of a step and, for a step that outlives it, its host. The file names the step or group. A step
/// takes all of its places at once: only one step of a pool collects places at a time, the one that
/// holds the lock on the file `queue`, so steps that wait cannot hold what others wait for.
final class PoolPlaces: Sendable {
  /// Places of pools that a step or group holds.
  final class Lease: Sendable {
    private let pools: PoolPlaces
    private let parts: [Part]

    /// The places of one pool.
    fileprivate struct Part: Sendable {
      let claim: PoolClaim
      let locks: [PlaceLock]
    }

    /// The paths of the locks.
    var paths: [String] { parts.flatMap { $0.locks.map(\.path) } }

    /// Whether all of the places are locked, so that no other process can take them.
    var isLocked: Bool { parts.allSatisfy { $0.locks.count >= $0.claim.count } }

    fileprivate init(pools: PoolPlaces, parts: [Part]) {
      self.pools = pools
      self.parts = parts
    }

    /// Gives the places back; call it once.
    func release() {
      for part in parts { pools.release(part) }
    }
  }

  private struct Waiter {
    let number: Int
    let count: Int
    let ticket: Ticket<Void>
  }

  private struct Pool {
    /// The number of places, by the last step that had to wait.
    var size = 0
    var taken = 0
    var waiting: [Waiter] = []
  }

  private struct State {
    var pools: [String: Pool] = [:]
    var nextWaiter = 0
  }

  private let state = Mutex(State())
  /// The steps that this process runs in, which hold their places until it has ended.
  private let callers: CallingSteps

  /// Creates pools.
  ///
  /// - Parameter callers: The steps that this process runs in.
  init(callers: CallingSteps = CallingSteps()) { self.callers = callers }

  /// The interval at which the step at the head of a queue looks for free places.
  private static let interval = Duration.milliseconds(50)

  /// Takes places of pools, one pool after the other.
  ///
  /// - Parameters:
  ///   - claims: What to take, in an order that is the same for all that wait: so they cannot wait for
  ///     one another.
  ///   - holder: A description of the step, for those that wait for it.
  ///   - folder: The folder with the locks; nil to share with the runs of this engine only.
  ///   - clock: The clock of the run.
  ///   - onWait: Called once for each pool for which the step must wait, with the reason.
  /// - Returns: The places; nil if the task was cancelled.
  /// - Throws: ``FailureReason`` if the locks cannot be used.
  func take(
    _ claims: [PoolClaim], for holder: String, in folder: String?, _ clock: any RunClock,
    onWait: (PoolClaim, String) -> Void
  ) async throws -> Lease? {
    var parts: [Lease.Part] = []
    do {
      for claim in claims {
        let part = try await part(of: claim, for: holder, in: folder, clock) { onWait(claim, $0) }
        guard let part else {
          for part in parts { release(part) }
          return nil
        }
        parts.append(part)
      }
    } catch {
      for part in parts { release(part) }
      throw error
    }
    return Lease(pools: self, parts: parts)
  }

  private func part(
    of claim: PoolClaim, for holder: String, in folder: String?, _ clock: any RunClock,
    onWait: (String) -> Void
  ) async throws -> Lease.Part? {
    var waited = false
    func wait(_ taken: Int, _ others: [String]) {
      guard !waited else { return }
      waited = true
      onWait(Self.reason(claim, taken, others))
    }
    guard await take(claim, onWait: { wait($0, []) }) else { return nil }
    guard let folder else { return Lease.Part(claim: claim, locks: []) }
    do {
      let locks = try await locks(claim, for: holder, folder + "/" + claim.pool, clock, wait)
      guard let locks else {
        release(claim.pool, claim.count)
        return nil
      }
      return Lease.Part(claim: claim, locks: locks)
    } catch {
      release(claim.pool, claim.count)
      throw error
    }
  }

  /// Takes the places of a step that goes on since an engine before; never waits.
  ///
  /// - Parameters:
  ///   - claims: What it has taken.
  ///   - holder: The description of the step, by which its places are known.
  ///   - folder: The folder with the locks.
  /// - Returns: Its places; fewer if its host did not hold them, and others have taken them since.
  /// - Throws: ``FailureReason`` if the locks cannot be used.
  func retake(_ claims: [PoolClaim], for holder: String, in folder: String?) throws -> Lease {
    Lease(pools: self, parts: try claims.map { try retaken($0, for: holder, in: folder) })
  }

  private func retaken(
    _ claim: PoolClaim, for holder: String, in folder: String?
  ) throws -> Lease.Part {
    let paths = folder.map { Self.paths(of: claim, in: $0) } ?? []
    var locks: [PlaceLock] = []
    for path in paths where PlaceLock.noted(path) == holder {
      if let lock = try PlaceLock(path, isShared: true) { locks.append(lock) }
    }
    for path in paths where locks.count < claim.count {
      guard let lock = try PlaceLock(path) else { continue }
      lock.share(with: holder)
      locks.append(lock)
    }
    state.withLock { $0.pools[claim.pool, default: Pool()].taken += claim.count }
    return Lease.Part(claim: claim, locks: locks)
  }

  /// Returns the paths of the locks of a pool.
  private static func paths(of claim: PoolClaim, in folder: String) -> [String] {
    (0..<claim.size).map { "\(folder)/\(claim.pool)/\($0)" }
  }

  /// Takes the places of a group that a step of it has kept which has survived an engine before; nil if
  /// there is none.
  ///
  /// Such a step keeps all of them, so each file still names the group.
  func keptPlaces(_ claims: [PoolClaim], for holder: String, in folder: String?) throws -> Lease? {
    guard let folder else { return nil }
    let areNoted = claims.allSatisfy { claim in
      Self.paths(of: claim, in: folder).count { PlaceLock.noted($0) == holder } >= claim.count
    }
    guard areNoted else { return nil }
    let lease = try retake(claims, for: holder, in: folder)
    if lease.isLocked { return lease }
    lease.release()
    return nil
  }

  /// Returns what a step waits for: `waits for pool "db" (2 of 2 in use)`.
  private static func reason(_ claim: PoolClaim, _ taken: Int, _ others: [String]) -> String {
    let places = claim.count == 1 ? "" : "\(claim.count) places of "
    let holders = Set(others.filter { !$0.isEmpty }).sorted()
    return "waits for \(places)pool \"\(claim.pool)\" (\(taken) of \(claim.size) in use)"
      + (holders.isEmpty ? "" : ", taken by \(holders.joined(separator: ", "))")
  }

  // MARK: This engine

  /// Takes places among the runs of this engine.
  ///
  /// - Returns: Whether they were taken; false if the task was cancelled.
  private func take(_ claim: PoolClaim, onWait: (_ taken: Int) -> Void) async -> Bool {
    let (waiter, taken) = state.withLock { state -> (Waiter?, Int) in
      var pool = state.pools[claim.pool] ?? Pool()
      defer { state.pools[claim.pool] = pool }
      guard !pool.waiting.isEmpty || pool.taken + claim.count > claim.size else {
        pool.taken += claim.count
        return (nil, pool.taken)
      }
      state.nextWaiter += 1
      let waiter = Waiter(number: state.nextWaiter, count: claim.count, ticket: Ticket<Void>())
      pool.waiting.append(waiter)
      pool.size = claim.size
      return (waiter, pool.taken)
    }
    guard let waiter else { return true }
    onWait(taken)
    if await waiter.ticket.value() != nil { return true }
    // Cancelled: either it still waits, or it got its places at the same time.
    let wasWaiting = state.withLock { state in
      let index = state.pools[claim.pool]?.waiting.firstIndex { $0.number == waiter.number }
      if let index { state.pools[claim.pool]?.waiting.remove(at: index) }
      return index != nil
    }
    if wasWaiting { serve(claim.pool) } else { release(claim.pool, claim.count) }
    return false
  }

  fileprivate func release(_ part: Lease.Part) {
    for lock in part.locks { lock.release() }
    release(part.claim.pool, part.claim.count)
  }

  private func release(_ pool: String, _ count: Int) {
    state.withLock { $0.pools[pool]?.taken -= count }
    serve(pool)
  }

  /// Gives free places to the steps that wait, in their order.
  private func serve(_ name: String) {
    let tickets = state.withLock { state -> [Ticket<Void>] in
      guard var pool = state.pools[name] else { return [] }
      var tickets: [Ticket<Void>] = []
      while let first = pool.waiting.first, pool.taken + first.count <= pool.size {
        pool.waiting.removeFirst()
        pool.taken += first.count
        tickets.append(first.ticket)
      }
      state.pools[name] = pool
      return tickets
    }
    for ticket in tickets { ticket.answer(()) }
  }

  // MARK: All processes

  private func locks(
    _ claim: PoolClaim, for holder: String, _ folder: String, _ clock: any RunClock,
    _ wait: (Int, [String]) -> Void
  ) async throws -> [PlaceLock]? {
    do throws(Errno) {
      try makeFolderTree(folder)
    } catch {
      throw FailureReason.notStarted("cannot create the folder \(folder): \(error)")
    }
    let paths = (0..<claim.size).map { "\(folder)/\($0)" }
    guard let queue = try await queueLock(claim, folder, paths, clock, wait) else { return nil }
    defer { queue.release() }
    var locks: [String: PlaceLock] = [:]
    while true {
      for path in paths where locks[path] == nil && locks.count < claim.count {
        locks[path] = try PlaceLock(path)
      }
      guard locks.count < claim.count else { break }
      let taken = paths.filter { locks[$0] == nil }
      do throws(FailureReason) {
        try expectNotToWaitForCallers(claim, taken.map(PlaceLock.noted))
      } catch {
        for lock in locks.values { lock.release() }
        throw error
      }
      wait(taken.count, taken.map(PlaceLock.noted))
      guard (try? await clock.sleep(for: Self.interval)) != nil else {
        for lock in locks.values { lock.release() }
        return nil
      }
    }
    for lock in locks.values { lock.share(with: holder) }
    return Array(locks.values)
  }

  /// Waits until no other step waits for places; nil if the task was cancelled.
  private func queueLock(
    _ claim: PoolClaim, _ folder: String, _ paths: [String], _ clock: any RunClock,
    _ wait: (Int, [String]) -> Void
  ) async throws -> PlaceLock? {
    while true {
      if let queue = try PlaceLock(folder + "/queue") { return queue }
      let holders = paths.map(PlaceLock.noted)
      try expectNotToWaitForCallers(claim, holders)
      wait(holders.count { !$0.isEmpty }, holders)
      guard (try? await clock.sleep(for: Self.interval)) != nil else { return nil }
    }
  }

  /// Refuses to wait for places that only the steps can give back that this process runs in.
  private func expectNotToWaitForCallers(
    _ claim: PoolClaim, _ holders: [String]
  ) throws(FailureReason) {
    let own = holders.filter(callers.hold)
    guard let holder = own.first, own.count + claim.count > claim.size else { return }
    throw .notStarted(
      "it would wait for itself: \(holder), in which it runs, holds "
        + "\(own.count) of \(claim.size) places of pool \"\(claim.pool)\"")
  }
}

extension PoolPlaces {
  /// The number of steps that wait for places of this engine.
  var waitingCount: Int { state.withLock { $0.pools.values.reduce(0) { $0 + $1.waiting.count } } }
}

/// A lock on the file of a place.
final class PlaceLock: Sendable {
  let path: String
  private let file: Mutex<OpenFile?>

  /// Takes the lock, with its holder if it is shared; nil if another holds it.
  ///
  /// - Throws: ``FailureReason`` if the file cannot be opened.
  init?(_ path: String, isShared: Bool = false) throws {
    self.path = path
    do throws(Errno) {
      let file = try OpenFile(
        path, .readWrite, options: [.create, .noFollow], permissions: .ownerReadWrite)
      if isShared { try file.lockTogether() } else { try file.lock() }
      self.file = Mutex(file)
    } catch {
      if error == .resourceTemporarilyUnavailable || error == .permissionDenied { return nil }
      throw FailureReason.notStarted("cannot lock \(path): \(error)")
    }
  }

  /// Writes who holds the place, and lets the host of that step hold it as well.
  func share(with holder: String) {
    file.withLock { file in
      _ = file?.replaceContents(with: Array(holder.utf8))
      try? file?.lockTogether()
    }
  }

  /// Returns who holds the place at a path, or held it last.
  static func noted(_ path: String) -> String {
    fileContents(path, upTo: 4096).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Releases the lock.
  func release() {
    file.withLock { file in
      _ = file?.replaceContents(with: [])
      file = nil
    }
  }
}
