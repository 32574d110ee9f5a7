// The disk of the recorder: slow, full, and without unsynced data after a crash.

import Reprise
import RepriseTesting

/// Stores events as a journal does: they are durable when `record` returns.
// @unchecked: a simulation runs on one thread.
final class SimulatedDisk: Recorder, @unchecked Sendable {
  private struct Full: Error, CustomStringConvertible {
    var description: String { "the disk is full" }
  }

  /// The events that a new engine would find.
  private(set) var durable: [Event] = []
  /// The numbers of events that were acknowledged as durable, with the times.
  private(set) var acknowledged: [(time: Int64, count: Int)] = []
  var isFull = false

  private let scheduler: Scheduler
  private let settings: Scenario.Disk
  private let fault: Fault?
  private let report: (_ oracle: String, _ message: String) -> Void
  private var random: SplitMix64
  private var batch: [Event] = []
  private var unsynced: [Event] = []
  private var acceptedCount = 0
  private var isRecording = false
  private var hasFailed = false

  init(
    _ scenario: Scenario, _ scheduler: Scheduler, fault: Fault?,
    report: @escaping (String, String) -> Void
  ) {
    settings = scenario.disk
    self.scheduler = scheduler
    self.fault = fault
    self.report = report
    random = SplitMix64(seed: scenario.schedule, purpose: 2)
  }

  var acknowledgedCount: Int { acknowledged.last?.count ?? 0 }

  func record(_ events: [Event]) throws {
    guard !scheduler.isDead else { return }
    if isRecording { report("recorder", "two threads record at once") }
    if events.isEmpty { report("recorder", "an empty batch is recorded") }
    if hasFailed { report("recorder", "it is called after a failure") }
    isRecording = true
    defer { isRecording = false }
    batch = events
    scheduler.block(for: delay() / 2)
    // A crash has cleared the batch, and decided which part of it is stored.
    guard !scheduler.isDead else { return }
    if isFull, fault != .diskHidesError {
      hasFailed = true
      throw Full()
    }
    if isFull {
      // The fault: events without space are acknowledged anyway.
    } else if fault == .diskSkipsSync, random.chance(0.25) {
      unsynced += batch
    } else {
      durable += unsynced + batch
      unsynced = []
    }
    acceptedCount += batch.count
    batch = []
    scheduler.block(for: delay() / 2)
    guard !scheduler.isDead else { return }
    acknowledged.append((scheduler.tick(), acceptedCount))
  }

  func keep(_ output: Event) throws {
    guard !scheduler.isDead else { return }
    if isFull, fault != .diskHidesError { throw Full() }
    if settings.delay > 0, random.chance(0.1) { scheduler.block(for: delay()) }
  }

  /// Loses the batch that was being written, or a part of it.
  ///
  /// - Returns: The durable events that were not acknowledged.
  func crash() -> ArraySlice<Event> {
    let promised = acknowledgedCount
    if settings.tears { durable += batch.prefix(random.below(batch.count + 1)) }
    batch = []
    unsynced = []
    restart()
    return durable.dropFirst(promised)
  }

  /// Prepares the disk for the recorder of a new engine.
  func restart() {
    acceptedCount = durable.count
    acknowledged = [(scheduler.now, acceptedCount)]
    isRecording = false
    hasFailed = false
  }

  private func delay() -> Int64 {
    guard settings.delay > 0 else { return 0 }
    let isSlow = settings.slowEvery > 0 && random.below(settings.slowEvery) == 0
    return Int64(random.below(settings.delay * 1000)) * (isSlow ? 100 : 1)
  }
}
