// What must hold for a tree of groups, checked on the events of the steps. Written without the engine's
// plan: the place of a step follows from its id and the tree of the scenario.

import Reprise

/// Follows the steps of a tree of groups.
final class ForestOracle {
  private let forest: Forest
  private let maxParallel: Int
  private let places: ForestPlaces
  private var statuses: [String: Oracle.Status] = [:]
  private var ready: Set<String> = []
  private var executions: [String: Int] = [:]
  private struct Note {
    let time: Int64
    let token: Int
    /// The step that begins; nil for an end.
    let id: String?
  }

  private var notes: [Note] = []
  /// The steps that are executed, by the token of the attempt.
  private var alive: [Int: String] = [:]
  /// The parts whose failure cancels the others, by group.
  private var failedParts: [String: String] = [:]
  /// The time of the first start in each group with a time limit.
  private var firstStarts: [String: Int64] = [:]
  private let report: (_ oracle: String, _ message: String) -> Void
  var isPaused = false
  /// The steps that were reported as started in a pause; those whose time is over have not begun.
  private var startedInPause: Set<String> = []
  /// The same for steps that a failure cancels, with the part that failed.
  private var startedAfterFailure: [String: String] = [:]
  /// False while recorded events are replayed.
  var isChecking = true

  init(
    _ forest: Forest, maxParallel: Int, report: @escaping (_ oracle: String, String) -> Void
  ) {
    (self.forest, self.maxParallel, self.report) = (forest, maxParallel, report)
    places = ForestPlaces(of: forest)
  }

  // MARK: Behaviour

  /// Notes that an attempt of a step is executed from now on.
  ///
  /// - Returns: Its behaviour.
  func execute(_ id: String, token: Int, at time: Int64) -> Scenario.Behaviour {
    notes.append(Note(time: time, token: token, id: id))
    return nextBehaviour(of: id)
  }

  /// Notes the end of the execution of an attempt.
  func ended(_ token: Int, at time: Int64) {
    notes.append(Note(time: time, token: token, id: nil))
  }

  /// Checks the notes of the executor before a time, when the events before them have arrived.
  func readNotes(before time: Int64) {
    let count = notes.prefix { $0.time < time }.count
    let read = notes.prefix(count)
    notes.removeFirst(count)
    for note in read {
      if let id = note.id {
        begin(id, token: note.token, note.time)
      } else {
        alive[note.token] = nil
      }
    }
  }

  private func begin(_ id: String, token: Int, _ time: Int64) {
    check(!alive.values.contains(id), "one attempt", "\(id) runs twice at once")
    alive[token] = id
    check(!startedInPause.contains(id), "pause", "\(id) starts in a pause")
    checkLimits(starting: id)
    checkTime(of: id, time)
    // What was recorded as started before the failure of another part may begin after it.
    let failed =
      startedAfterFailure[id] ?? (statuses[id] == .running ? nil : failedPart(beside: id))
    check(failed == nil, "fail-fast", "\(id) starts after the failure of \(failed ?? "")")
  }

  /// The part whose failure cancels a step.
  private func failedPart(beside id: String) -> String? {
    for instance in places.place(of: id).instances {
      if let failed = failedParts[instance.name], failed != instance.part { return failed }
    }
    return nil
  }

  private func nextBehaviour(of id: String) -> Scenario.Behaviour {
    executions[id, default: 0] += 1
    let step = places.place(of: id).step ?? forest.finally.first { $0.id == id }
    guard let behaviours = step?.behaviours, !behaviours.isEmpty else {
      return Scenario.Behaviour()
    }
    // Items differ from one another.
    let number = executions[id, default: 0] - 1 + id.utf8.reduce(0) { $0 + Int($1) }
    return behaviours[number % behaviours.count]
  }

  /// Returns whether a step is a part of the tree.
  func contains(_ id: String) -> Bool {
    let place = places.place(of: id)
    return id == Forest.source || place.isAtEnd || !place.path.isEmpty
  }

  /// Returns whether a step becomes ready to be used while it runs.
  func isService(_ id: String) -> Bool { places.place(of: id).step?.isService == true }

  /// Returns whether a step only waits.
  func isWait(_ id: String) -> Bool { places.place(of: id).step?.wait != nil }

  // MARK: Events

  func begin(_ ids: [String]) {
    for id in ids where statuses[id] == nil { statuses[id] = .pending }
  }

  /// Steps are pending again; all if nil.
  func reset(_ ids: [String]?, at time: Int64) {
    for id in ids ?? Array(statuses.keys) {
      statuses[id] = .pending
      ready.remove(id)
      startedInPause.remove(id)
      startedAfterFailure[id] = nil
      // A group whose time is over has its whole time again, even while one of its steps is being stopped.
      for instance in places.place(of: id).instances {
        guard let first = firstStarts[instance.name], let timeout = instance.group.timeout,
          time - first >= Int64(timeout) * 1000
        else { continue }
        firstStarts[instance.name] = nil
      }
    }
    failedParts = [:]
    for name in firstStarts.keys where !hasActive(name) { firstStarts[name] = nil }
  }

  /// The process has died.
  func forget() {
    (statuses, ready, failedParts, firstStarts, alive) = ([:], [], [:], [:], [:])
    (startedInPause, startedAfterFailure, notes) = ([], [:], [])
  }

  /// A run is resumed: what was in progress is gone.
  func resume() {
    for (id, status) in statuses where status.isActive { statuses[id] = .cancelled }
    firstStarts = [:]
  }

  func receive(_ event: Event.StepEvent, of id: String, _ time: Int64) {
    switch event {
    case .waiting: statuses[id] = .waiting
    case .pausing:
      checkStart(of: id, time)
      statuses[id] = .waiting
    case .started:
      if !isWait(id) { checkStart(of: id, time) }
      statuses[id] = .running
      if isPaused { startedInPause.insert(id) }
      startedAfterFailure[id] = failedPart(beside: id)
    case .retrying, .repeating: statuses[id] = .waiting
    case .ready: ready.insert(id)
    case .succeeded: end(id, .succeeded)
    case .failed:
      end(id, .failed)
      noteFailure(of: id)
    case .cancelled: end(id, .cancelled)
    case .skipped: end(id, .skipped)
    case .expanded(let items):
      for other in statuses.keys where other.hasPrefix(id + "[") {
        let key = other.dropFirst(id.count + 1).prefix { $0 != "]" }
        if !items.contains(where: { $0.key == String(key) }) { statuses[other] = nil }
      }
    default: break
    }
  }

  private func end(_ id: String, _ status: Oracle.Status) {
    statuses[id] = status
    ready.remove(id)
    startedInPause.remove(id)
    startedAfterFailure[id] = nil
    for instance in places.place(of: id).instances where firstStarts[instance.name] != nil {
      if !hasOpen(instance.name) { firstStarts[instance.name] = nil }
    }
  }

  private func members(of name: String) -> [String] {
    statuses.keys.filter { id in places.place(of: id).instances.contains { $0.name == name } }
  }

  private func hasActive(_ name: String) -> Bool {
    members(of: name).contains { statuses[$0]?.isActive == true }
  }

  private func hasOpen(_ name: String) -> Bool {
    members(of: name).contains { statuses[$0]?.isFinal == false }
  }

  private func check(_ condition: Bool, _ oracle: String, _ message: @autoclosure () -> String) {
    if !condition, isChecking { report(oracle, message()) }
  }

  // MARK: Checks

  private func checkStart(of id: String, _ time: Int64) {
    let place = places.place(of: id)
    for (other, status) in statuses where other != id && !status.isFinal {
      let isBefore = isBefore(other, id, place)
      check(!isBefore, "order", "\(id) starts while \(other), before it, is \(status)")
    }
    for instance in place.instances where instance.isWhole && instance.group.timeout != nil {
      if firstStarts[instance.name] == nil { firstStarts[instance.name] = time }
    }
  }

  /// Returns whether a step must have ended before another one starts.
  private func isBefore(_ other: String, _ id: String, _ place: ForestPlaces.Place) -> Bool {
    let earlier = places.place(of: other)
    if place.isAtEnd { return !earlier.isAtEnd }
    // The source comes first; steps outside of the tree have no order.
    guard !earlier.isAtEnd, !place.path.isEmpty else { return false }
    guard other != Forest.source, !earlier.path.isEmpty else { return other == Forest.source }
    for (own, before) in zip(place.path, earlier.path) where own != before {
      guard own.list == before.list, own.isOrdered else { return false }
      guard before.number < own.number else { return false }
      // Steps of the same list can use a service that is ready.
      return !(ready.contains(other) && earlier.path.dropLast() == place.path.dropLast())
    }
    // The step that computes the items of a group comes before them.
    return earlier.path.count < place.path.count
  }

  private func checkTime(of id: String, _ time: Int64) {
    for instance in places.place(of: id).instances where instance.isWhole {
      guard let timeout = instance.group.timeout else { continue }
      let first = firstStarts[instance.name] ?? time
      check(
        time - first <= Int64(timeout) * 1000 + 1_000_000, "time limit",
        "\(id) starts \((time - first) / 1000) ms after the first step of \(instance.name)")
    }
  }

  private func checkLimits(starting id: String) {
    guard !isService(id) else { return }
    let running = alive.values.filter { !isService($0) }
    check(running.count <= maxParallel, "slots", "\(running.sorted()) run at once")
    var holders: [String: Set<String>] = [:]
    var parts: [String: Set<String>] = [:]
    var limits: [String: Int] = [:]
    for other in running {
      let place = places.place(of: other)
      if let mutex = place.step?.mutex { holders[mutex, default: []].insert(other) }
      for instance in place.instances {
        if instance.isWhole, let mutex = instance.group.mutex {
          holders[mutex, default: []].insert(instance.name)
        }
        if let part = instance.part, let limit = instance.group.maxParallel {
          parts[instance.name, default: []].insert(part)
          limits[instance.name] = limit
        }
      }
    }
    let (places, others) = placesHeld(by: running)
    check(places <= Forest.poolSize, "pool", "\(places) places of the pool are taken")
    check(others <= 1, "pool", "\(others) places of the other pool are taken")
    for (mutex, names) in holders {
      check(names.count == 1, "mutex", "\(names.sorted()) hold the mutex \(mutex) at once")
    }
    for (name, running) in parts {
      check(
        running.count <= limits[name] ?? 1, "group limit",
        "\(running.sorted()) of \(name) run at once")
    }
  }

  /// Returns the numbers of places of the pools that steps hold, or the groups around them.
  private func placesHeld(by running: [String]) -> (Int, others: Int) {
    var held: [String: (Int, Bool)] = [:]
    for id in running {
      let place = places.place(of: id)
      if let step = place.step, let count = step.places { held[id] = (count, step.takesOther) }
      for instance in place.instances where instance.isWhole {
        let group = instance.group
        if let count = group.places { held["group " + instance.name] = (count, group.takesOther) }
      }
    }
    return (held.values.reduce(0) { $0 + $1.0 }, held.values.count { $0.1 })
  }

  /// Notes the groups of which the failure of a step cancels the other parts.
  private func noteFailure(of id: String) {
    let place = places.place(of: id)
    // Groups with another round have not failed.
    guard place.step?.continuesOnError != true, !id.hasSuffix("/repeat") else { return }
    for instance in place.instances.reversed() {
      let group = instance.group
      if instance.isWhole, group.retry != nil || group.rounds != nil { return }
      if let part = instance.part, group.failsFast { failedParts[instance.name] = part }
      if group.continuesOnError, instance.isWhole && !group.hasItems || !instance.isWhole {
        return
      }
      // Each item tolerates its own failures.
      if group.continuesOnError, instance.isWhole { return }
    }
  }

  /// Checks the outcome of a run that was not stopped.
  func checkEnd(_ outcome: RunOutcome) {
    let open = statuses.filter { !$0.value.isFinal }.keys.sorted()
    check(open.isEmpty, "end", "the run ends before \(open)")
    let failed = statuses.filter { $0.value == .failed && !isTolerated($0.key) }.keys.sorted()
    switch outcome {
    case .succeeded:
      check(failed.isEmpty, "outcome", "the run has succeeded with \(failed) failed")
    case .failed: check(!failed.isEmpty, "outcome", "the run has failed without a failure")
    case .cancelled, .interrupted, .timedOut, .abandoned, .skipped: break
    }
  }

  private func isTolerated(_ id: String) -> Bool {
    let place = places.place(of: id)
    return place.step?.continuesOnError == true || place.computed?.continuesOnError == true
      || place.instances.contains { $0.group.continuesOnError }
  }
}
