// A scheduler and its nodes in memory, and the hosts of attempts that run there.

import Foundation
import Platform
import Reprise
import RepriseRunners
import RepriseTesting
import WorkflowFiles

/// The cluster of the current simulation, for the kinds of runners.
// unsafe: set and read by the one thread of a simulation.
nonisolated(unsafe) var activeCluster: SimulatedCluster?

/// A cluster with its queue, its nodes and what runs there; it goes on when the engine dies.
// @unchecked: a simulation runs on one thread.
final class SimulatedCluster: @unchecked Sendable {
  let scenario: ClusterScenario
  let settings: ClusterScenario.Cluster
  let scheduler: Scheduler
  let oracle: ClusterOracle
  /// The folder of all attempts.
  let root: String
  var random: SplitMix64
  private(set) var jobs: [ClusterJob] = []
  private var byID: [String: ClusterJob] = [:]
  private var nextNumber = 1
  private var usedSlots: [Int]
  private var downUntil: [Int64]
  private var executions: [String: Int] = [:]
  private var awayUntil: Int64 = 0
  private var forgetsUntil: Int64 = 0

  // MARK: Its time

  private struct Entry: Comparable {
    let time: Int64
    let number: Int
    let work: @Sendable () -> Void

    static func < (left: Entry, right: Entry) -> Bool {
      (left.time, left.number) < (right.time, right.number)
    }

    static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
  }

  private var agenda = Heap<Entry>()
  private var entryCount = 0
  private var armed: (time: Int64, timer: Int)?

  init(
    _ scenario: ClusterScenario, _ scheduler: Scheduler, _ oracle: ClusterOracle, root: String
  ) {
    self.scenario = scenario
    settings = scenario.cluster
    (self.scheduler, self.oracle, self.root) = (scheduler, oracle, root)
    random = SplitMix64(seed: scenario.schedule, purpose: 4)
    usedSlots = Array(repeating: 0, count: settings.nodes)
    downUntil = Array(repeating: 0, count: settings.nodes)
  }

  var now: Int64 { scheduler.now }
  var isAway: Bool { now < awayUntil }
  var isForgetful: Bool { now < forgetsUntil }

  /// A random time up to some milliseconds, in microseconds.
  func upTo(_ milliseconds: Int) -> Int64 { Int64(random.below(milliseconds * 1000 + 1)) }

  /// Does something after a time, also when the engine has ended.
  func after(_ microseconds: Int64, _ work: @escaping @Sendable () -> Void) {
    entryCount += 1
    agenda.insert(Entry(time: now + max(1, microseconds), number: entryCount, work: work))
    arm()
  }

  private func arm() {
    guard let next = agenda.smallest, armed.map({ next.time < $0.time }) ?? true else { return }
    if let armed { scheduler.cancel(timer: armed.timer) }
    let timer = scheduler.enqueue(after: next.time - now, .closure { [self] in work() })
    armed = (next.time, timer)
  }

  /// Goes on after a crash of the engine, with which all timers of the simulation are gone.
  func rearm() {
    armed = nil
    arm()
  }

  private func work() {
    armed = nil
    while let entry = agenda.smallest, entry.time <= now {
      agenda.popSmallest()
      entry.work()
    }
    arm()
  }

  // MARK: The queue

  /// The jobs that wait or run, are not being removed, and of which the engine can know.
  var left: [ClusterJob] { jobs.filter { $0.isActive && !$0.isWithdrawn && !$0.isUnknown } }

  /// Notes that the engine has died: the next one does not know the numbers that are not written down.
  func forgetNumbers() {
    guard !settings.isSlurm else { return }
    for job in jobs where job.isActive {
      let note = fileContents(AttemptFolder(of: job.token, in: root).path + "/submitted")
      if note.map({ String(decoding: $0, as: UTF8.self) }) != job.id { job.isUnknown = true }
    }
  }

  /// Why jobs are not taken; nil if they are.
  func refusal(of count: Int, account: String?) -> String? {
    if account == "nobody" {
      return
        "Batch job submission failed: Invalid account or account/partition combination specified"
    }
    if count > 1, count > settings.arraySizeMax {
      return "Batch job submission failed: Invalid job array specification"
    }
    if let limit = settings.queueLimit, jobs.count(where: \.isActive) + count > limit {
      return "QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: "
        + "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"
    }
    return nil
  }

  /// Adds jobs to the queue: several are an array.
  ///
  /// - Returns: The jobs.
  func add(_ tokens: [AttemptToken], named name: String, in folder: String) -> [ClusterJob] {
    let number = nextNumber
    nextNumber += 1
    let new = tokens.enumerated().map { index, token in
      ClusterJob(
        tokens.count > 1 ? "\(number)_\(index)" : "\(number)", named: name, of: token, in: folder,
        index: tokens.count > 1 ? index : nil, at: now, shownAt: now + upTo(settings.showsAfter),
        readyAt: now + upTo(settings.wait))
    }
    for job in new {
      jobs.append(job)
      byID[job.id] = job
      oracle.submitted(job, active: wanted)
      after(job.readyAt - now + 1) { [self] in dispatch() }
    }
    return new
  }

  /// The number of jobs that wait or run and that an engine still wants.
  private var wanted: Int {
    let active = jobs.filter {
      $0.isActive && $0.host?.isAlive != false && isWanted($0)
    }
    return Set(active.map(\.token)).count
  }

  private func isWanted(_ job: ClusterJob) -> Bool {
    let folder = AttemptFolder(of: job.token, in: root)
    guard folder.exists, folder.result == nil, folder.requestedGrace == nil else { return false }
    // What has not begun finds the claim of another job.
    return folder.claim.map { $0.host != nil && job.host != nil } ?? true
  }

  /// Removes a job, as it is asked to.
  ///
  /// - Returns: Whether there is such a job.
  func cancel(_ id: String) -> Bool {
    guard let job = byID[id], job.shownAt <= now else { return false }
    guard job.isActive else { return true }
    let folder = AttemptFolder(of: job.token, in: root)
    oracle.check(
      job.host?.isAlive != true, "withdrawal", "the job \(id) of \(job.token) runs, and is removed")
    oracle.check(
      !(folder.exists && folder.claim == nil && folder.result == nil), "withdrawal",
      "the job \(id) of \(job.token) is wanted, and is removed")
    job.isWithdrawn = true
    after(upTo(settings.cancelDelay)) { [self] in
      guard job.isActive else { return }
      if let host = job.host, host.isAlive { die(host, job, .stopped) }
      end(job, .cancelled)
    }
    return true
  }

  /// Begins the jobs for which there is room, in any order.
  private func dispatch() {
    while true {
      let ready = jobs.filter { $0.state == .pending && $0.readyAt <= now }
      let nodes = usedSlots.indices.filter {
        usedSlots[$0] < settings.slots && downUntil[$0] <= now
      }
      guard !ready.isEmpty, !nodes.isEmpty else { return }
      start(random.pick(ready), on: random.pick(nodes))
    }
  }

  private func start(_ job: ClusterJob, on node: Int) {
    oracle.print("job \(job.id) starts on n\(node + 1)")
    job.set(.running, at: now)
    job.node = node
    job.starts += 1
    usedSlots[node] += 1
    let start = job.starts
    after(upTo(200)) { [self] in
      guard job.state == .running, job.starts == start else { return }
      launch(job, on: node)
    }
  }

  /// Notes a state in which a job does not run any more, or waits again.
  func end(_ job: ClusterJob, _ state: ClusterJob.State) {
    if job.state == .running, let node = job.node { usedSlots[node] -= 1 }
    job.set(state, at: now)
    oracle.changed(job.token, to: state)
    oracle.print("job \(job.id) is \(state.rawValue)")
    after(1) { [self] in dispatch() }
  }

  // MARK: Hosts

  private func launch(_ job: ClusterJob, on node: Int) {
    guard let folder = attempt(of: job) else { return end(job, .failed) }
    do throws(Errno) {
      // A second host of an attempt ends with 75.
      guard try folder.takeClaim(host: "n\(node + 1)") != nil else {
        return oracle.print("job \(job.id) finds its claim taken", then: { self.end(job, .failed) })
      }
    } catch {
      return end(job, .failed)
    }
    guard (try? removeFile(folder.path + "/spec")) != nil else { return end(job, .failed) }
    let host = ClusterHost(folder, behaviour(of: job.token), node: node, leaseAt: now + 2_000_000)
    job.host = host
    oracle.began(job.token, job: job.id, at: now)
    look(host, job)
    after(Int64(host.behaviour.length) * 1000) { [self] in
      guard host.isAlive, !host.isStopping else { return }
      let status = host.behaviour.status
      finish(host, job, status == 0 ? .success : .exit(status))
    }
  }

  private func attempt(of job: ClusterJob) -> AttemptFolder? {
    guard let index = job.index else { return AttemptFolder(path: job.folder) }
    guard let bytes = fileContents(job.folder + "/folders") else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return lines.indices.contains(index) ? AttemptFolder(path: String(lines[index])) : nil
  }

  private func behaviour(of token: AttemptToken) -> ClusterScenario.Behaviour {
    let id = token.step.prefix { $0 != "-" }
    guard let behaviours = scenario.steps.first(where: { $0.id == id })?.behaviours else {
      return ClusterScenario.Behaviour()
    }
    executions[token.step, default: -1] += 1
    return behaviours[executions[token.step, default: 0] % behaviours.count]
  }

  /// Renews the lease and looks for a request to stop, from time to time.
  private func look(_ host: ClusterHost, _ job: ClusterJob) {
    guard host.isAlive else { return }
    if host.leaseAt <= now {
      host.leaseAt = now + 2_000_000
      renewLease(of: host.folder)
    }
    if !host.isStopping, let grace = host.folder.requestedGrace {
      stop(host, job, within: Int64(grace / .microseconds(1)))
    }
    after(200_000) { [self] in look(host, job) }
  }

  /// With the virtual time, since the engine compares it with the one before.
  private func renewLease(of folder: AttemptFolder) {
    let path = folder.path + "/lease"
    guard (try? writeFile([], to: path, overwriting: true)) != nil else { return }
    let time = timespec(
      tv_sec: Int(1_700_000_000 + now / 1_000_000), tv_nsec: Int(now % 1_000_000) * 1000)
    utimensat(AT_FDCWD, path, [time, time], 0)
  }

  private func stop(_ host: ClusterHost, _ job: ClusterJob, within grace: Int64) {
    host.isStopping = true
    after(min(grace, Int64(host.behaviour.stopTime) * 1000)) { [self] in
      guard host.isAlive else { return }
      finish(host, job, .stopped)
    }
  }

  /// Ends a host with its result, and its job a little later.
  private func finish(_ host: ClusterHost, _ job: ClusterJob, _ end: ClusterOracle.End) {
    let state = host.accident
    die(host, job, state.map { .cause($0.cause) } ?? end)
    let result: AttemptResult =
      switch end {
      case .success: .succeeded([:])
      case .exit(let status): .failed(.exited(status: status))
      case .killed: .failed(.signalled(signal: 9))
      case .stopped, .cause: .stopped
      }
    do throws(Errno) {
      try host.folder.write(result, isSynced: false)
    } catch {
      oracle.print("\(job.token) cannot write its result: \(error)")
    }
    guard job.state == .running || job.state == .completing else { return }
    if job.state == .running { self.end(job, .completing) }
    after(upTo(500)) { [self] in
      guard job.state == .completing else { return }
      self.end(job, state ?? (end == .success ? .completed : .failed))
    }
  }

  /// Ends the processes of a host.
  private func die(_ host: ClusterHost, _ job: ClusterJob, _ end: ClusterOracle.End) {
    host.isAlive = false
    oracle.ended(job.token, end, at: now)
  }

  // MARK: Accidents

  func strike(_ accident: ClusterScenario.Accident) {
    let running = jobs.filter {
      $0.state == .running && $0.host?.isAlive == true && $0.host?.isStopping == false
    }
    guard !running.isEmpty else { return }
    let job = random.pick(running)
    guard let host = job.host else { return }
    oracle.print("\(accident) strikes the job \(job.id)")
    switch accident {
    case .preempted: interrupt(host, job, .preempted)
    case .timeLimit: interrupt(host, job, .timeout)
    case .deadline:
      die(host, job, .cause(.limit))
      end(job, .deadline)
    case .outOfMemory:
      if random.chance(0.5) {
        host.accident = .outOfMemory
        return finish(host, job, .killed)
      }
      die(host, job, .cause(.outOfMemory))
      end(job, .outOfMemory)
    case .requeued:
      die(host, job, .cause(nil))
      job.readyAt = now + upTo(10_000)
      end(job, .pending)
      after(job.readyAt - now + 1) { [self] in dispatch() }
    case .givenUp:
      end(job, .nodeFail)
    }
  }

  /// Asks a job to end, or kills it.
  private func interrupt(_ host: ClusterHost, _ job: ClusterJob, _ state: ClusterJob.State) {
    guard random.chance(0.6) else {
      die(host, job, .cause(state.cause))
      return end(job, state)
    }
    host.accident = state
    end(job, .completing)
    stop(host, job, within: 2_000_000)
  }

  func failNode(_ node: Int) {
    guard node < usedSlots.count else { return }
    oracle.print("the node n\(node + 1) fails")
    downUntil[node] = now + upTo(20_000)
    after(downUntil[node] - now + 1) { [self] in dispatch() }
    for job in jobs where job.node == node {
      if let host = job.host, host.isAlive, host.node == node { die(host, job, .cause(.node)) }
      guard job.state == .running || job.state == .completing else { continue }
      // Nothing that was planned for it happens.
      job.starts += 1
      after(upTo(15_000)) { [self] in
        if job.state == .running || job.state == .completing { end(job, .nodeFail) }
      }
    }
  }

  func goAway(for milliseconds: Int) { awayUntil = now + Int64(milliseconds) * 1000 }

  func forget(for milliseconds: Int) { forgetsUntil = now + Int64(milliseconds) * 1000 }
}
