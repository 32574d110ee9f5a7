// The runs of a watch: one for each event, recorded and reachable like any other. Knows neither where events
// come from nor how they wait.

import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal
import Synchronization

/// What a watch does next.
enum WatchWork: Sendable {
  /// Handle an event.
  case event(WatchEvent)
  /// Take up a run whose engine died.
  case resume(RunRecord)
}

/// Begins and restarts runs for events.
final class WatchRuns: Sendable {
  private struct State {
    var hasFailed = false
    /// Runs that were waiting for their turn when the watch was ended.
    var kept: [RecordedRun] = []
    /// How many runs are being begun.
    var beginningCount = 0
    var isEnding = false
    var waiting = Waiters()
  }

  /// The absolute path of the workflow file.
  private let file: String
  private let parameters: Arguments
  private let settings: RunSettings
  private let journal: Journal
  private let watch: RecordedWatch
  private let inbox: WatchInbox
  private let restartsAffected: Bool
  private let say: @Sendable (String) -> Void
  private let announce: @Sendable (Trigger, RunID) -> Void
  private let onChange: @Sendable () -> Void
  private let state = Mutex(State())
  /// The runs that have begun.
  private let begun = LiveRuns()

  init(
    file: String, parameters: Arguments, settings: RunSettings, journal: Journal,
    watch: RecordedWatch, inbox: WatchInbox, restartsAffected: Bool,
    say: @escaping @Sendable (String) -> Void,
    announce: @escaping @Sendable (Trigger, RunID) -> Void, onChange: @escaping @Sendable () -> Void
  ) {
    self.announce = announce
    self.file = file
    self.parameters = parameters
    self.settings = settings
    self.journal = journal
    self.watch = watch
    self.inbox = inbox
    self.restartsAffected = restartsAffected
    self.say = say
    self.onChange = onChange
  }

  /// The runs under way.
  var live: [RunID] { begun.ids }

  /// Whether a run is under way, or being begun: it may have to wait for its turn.
  var isBusy: Bool { state.withLock { $0.beginningCount > 0 } || !begun.ids.isEmpty }

  /// The run that began last of those under way.
  var newest: Run? { begun.steerings.last?.run }

  /// Whether a run has not succeeded.
  var hasFailed: Bool { state.withLock { $0.hasFailed } }

  // MARK: Events

  /// Reads the workflow as it is to be run for an event.
  ///
  /// - Throws: ``Problem`` with every mistake of the file, or of the parameters.
  func load(for event: WatchEvent) throws(Problem) -> LoadedWorkflow {
    guard !event.lacksSecrets else {
      throw Problem(
        "an event is dropped: it waited for this watch and had a secret in it, which the journal does not "
          + "keep: \(event.trigger.words)")
    }
    return try LoadedWorkflow(path: file) { _ throws(Problem) in
      var arguments = parameters
      arguments.texts.merge(event.parameters) { $1 }
      arguments.trigger = event.trigger
      return arguments
    }
  }

  /// Begins the run of an event.
  ///
  /// - Returns: The run; nil when there is none, of which people have been told.
  func begin(_ work: WatchWork) async -> Run? {
    let mayBegin = state.withLock { state in
      if !state.isEnding { state.beginningCount += 1 }
      return !state.isEnding
    }
    guard mayBegin else { return nil }
    defer {
      let waiting = state.withLock { state in
        state.beginningCount -= 1
        return state.beginningCount == 0 ? state.waiting.takeAll() : Waiters()
      }
      waiting.wake()
    }
    do {
      switch work {
      case .event(let event): return try await begin(event)
      case .resume(let record): return try await resume(record)
      }
    } catch let problem as Problem {
      say(problem.text.string)
    } catch let busy as GroupIsBusy {
      say("an event is dropped: run \(busy.run) of the group \"\(busy.group)\" is under way")
    } catch {
      say("error: \(error)")
    }
    state.withLock { $0.hasFailed = true }
    if case .event(let event) = work { inbox.dropped(event) }
    return nil
  }

  private func begin(_ event: WatchEvent) async throws -> Run? {
    let loaded = try load(for: event)
    let isAlone = loaded.workflow.concurrency?.policy == .reject
    let recorded = try watch.begin(try request(loaded), handling: event, isAlone: isAlone)
    inbox.handled(event, byRestart: false)
    announce(event.trigger.hiding(settings.secrets), recorded.id)
    let held = HeldRun(
      recorded: recorded, workflow: loaded.workflow, file: loaded.path, state: nil)
    do {
      return try await host(held)
    } catch is CancellationError {
      // The watch is ending: the run stays as it is, for the next one to take up. It is held until then:
      // who finds it without an engine ends what shares a control group with it.
      state.withLock { $0.kept.append(recorded) }
      return nil
    } catch {
      // The event has its run, however that ended.
      say((error as? Problem)?.text.string ?? "error: \(error)")
      try recorded.end(as: .abandoned)
      begun.letGo(of: recorded.id)
      state.withLock { $0.hasFailed = true }
      return nil
    }
  }

  private func resume(_ record: RunRecord) async throws -> Run? {
    let arguments = try Arguments(recorded: record, [:])
    let loaded = try LoadedWorkflow(path: file) { _ throws(Problem) in arguments }
    let (recorded, state) = try journal.reopen(record.id) { [self] record, state in
      var request = try request(loaded)
      request.directory = record.request.directory
      return request
    }
    say("run \(record.id) was interrupted: it is taken up again")
    let held = HeldRun(
      recorded: recorded, workflow: loaded.workflow, file: loaded.path, state: state)
    do {
      return try await host(held)
    } catch {
      // Others find it as it was: interrupted, and nobody's.
      if !(error is CancellationError) { begun.letGo(of: recorded.id) }
      throw error
    }
  }

  private func host(_ held: HeldRun) async throws -> Run? {
    let steering = Steering()
    begun.hold(held.recorded)
    guard
      let hosted = try await HostedRun.begin(held, in: journal, settings, steering: steering)
    else {
      begun.letGo(of: held.recorded.id)
      return nil
    }
    begun.add(hosted.run.id, steering)
    onChange()
    Task { await finish(hosted) }
    return hosted.run
  }

  private func finish(_ hosted: HostedRun) async {
    let outcome = await hosted.run.ended()
    begun.letGo(of: hosted.run.id)
    if let problem = await hosted.finish() { say("error: \(problem)") }
    if outcome != .succeeded { state.withLock { $0.hasFailed = true } }
    begun.remove(hosted.run.id)
    onChange()
  }

  /// Gives an event to a run that is under way.
  ///
  /// - Returns: Whether it handles the event from now on.
  func again(_ run: Run, _ work: WatchWork) async -> Bool {
    guard case .event(let event) = work else { return false }
    let loaded: LoadedWorkflow
    let request: RunRequest
    do throws(Problem) {
      loaded = try load(for: event)
      request = try self.request(loaded)
    } catch {
      // The run that is under way is better than none.
      say(error.text.string)
      inbox.dropped(event)
      return true
    }
    guard RunPlan(loaded.workflow) == RunPlan(run.workflow) else {
      // Its steps are others now: this run cannot become that one.
      run.cancel()
      return false
    }
    let steps = affectedSteps(of: event, loaded.workflow)
    let isTaken = try? await run.restart(with: loaded.workflow, from: steps) {
      [watch, inbox, say, announce, settings] in
      do {
        try watch.restart(run.id, as: request, handling: event)
      } catch {
        say("error: \(error)")
        return false
      }
      inbox.handled(event, byRestart: true)
      announce(event.trigger.hiding(settings.secrets), run.id)
      return true
    }
    return isTaken ?? false
  }

  private func affectedSteps(of event: WatchEvent, _ workflow: Workflow) -> [String]? {
    guard restartsAffected, event.trigger.kind == .files, let trigger = workflow.triggers?.files,
      event.trigger.paths.count < WatchSources.pathsMax,
      let files = try? WatchedFiles(trigger, of: workflow, sources: Self.sources(of: workflow))
    else { return nil }
    // Where another event was folded into it, nothing is known of what that one matters to.
    return files.steps(affectedBy: event.trigger.paths).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The files that a workflow is read from, as far as they are below the current directory.
  static func sources(of workflow: Workflow) -> Set<String> {
    let here = currentDirectory() + "/"
    guard let file = workflow.file else { return [] }
    let path = file.hasPrefix("/") ? file : here + file
    let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    let all = [path] + workflow.sources.keys.map { folder + "/" + $0 }
    return Set(all.filter { $0.hasPrefix(here) }.map { String($0.dropFirst(here.count)) })
  }

  private func request(_ loaded: LoadedWorkflow) throws(Problem) -> RunRequest {
    try loaded.request([WatchCounts.optionOfRuns: watch.workflow], hiding: settings.secrets)
  }

  // MARK: The end

  /// Passes a signal on to all runs.
  func receive(_ signal: Int32) { begun.receive(signal) }

  /// Has nothing recorded any more.
  func freeze() { begun.freeze() }

  /// Begins no more runs.
  func noteEnd() { state.withLock { $0.isEnding = true } }

  /// Waits until no run is being begun or under way.
  func finish() async {
    await state.wait(until: { $0.beginningCount == 0 }, among: { $0.waiting.add($1) })
    await begun.finish()
  }
}
