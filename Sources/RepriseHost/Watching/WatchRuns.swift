// The runs of a watch: starts, resumes and restarts recorded runs for events.

import Paths
import Platform
import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal
import Synchronization

/// A work item of a watch.
enum WatchWork: Sendable {
  /// Handle an event.
  case event(WatchEvent)
  /// Resume a run whose engine died.
  case resume(RunRecord)
}

/// Starts and restarts runs for events.
final class WatchRuns: Sendable {
  /// What the runs are doing, for the source of changed files.
  struct Activity: Sendable {
    /// Whether a run is live or starting, or has ended within the last second.
    let isRecent: Bool
    /// The number of runs that have started, and of their restarts.
    let startCount: Int
  }

  private struct State {
    var hasFailed = false
    var startCount = 0
    var lastEnd: ContinuousClock.Instant?
    /// The last parsed file.
    var source: WorkflowText?
  }

  /// The absolute path of the workflow file.
  private let file: String
  private let parameters: Arguments
  private let secrets: Secrets
  private let host: RunHost
  private let watch: RecordedWatch
  private let inbox: WatchInbox
  private let restartsAffected: Bool
  private let report: @Sendable (WatchReport) -> Void
  private let state: Mutex<State>
  private let group = RunGroup<RunControls>()
  private let locks: GuardedLocks

  init(
    _ loaded: LoadedWorkflow, secrets: Secrets, host: RunHost, watch: RecordedWatch,
    inbox: WatchInbox, restartsAffected: Bool, report: @escaping @Sendable (WatchReport) -> Void
  ) {
    file = loaded.path
    parameters = loaded.arguments
    state = Mutex(State(source: loaded.source))
    self.secrets = secrets
    self.host = host
    self.watch = watch
    self.inbox = inbox
    self.restartsAffected = restartsAffected
    self.report = report
    locks = GuardedLocks(host.guardian)
  }

  /// The live runs.
  var live: [RunID] { group.ids }

  /// Whether a run is live or starting, which includes waiting for its turn.
  var isBusy: Bool { !group.isIdle }

  /// What the runs are doing.
  var activity: Activity {
    let (count, lastEnd) = state.withLock { ($0.startCount, $0.lastEnd) }
    let isRecent = isBusy || lastEnd.map { $0.duration(to: .now) < .seconds(1) } ?? false
    return Activity(isRecent: isRecent, startCount: count)
  }

  /// The controls of the live run that started last.
  var newest: RunControls? { group.controls.last }

  /// Whether any run has not succeeded.
  var hasFailed: Bool { state.withLock { $0.hasFailed } }

  /// Notes that a run has not succeeded, or that an event was lost.
  func recordFailure() { state.withLock { $0.hasFailed = true } }

  private func say(_ text: String) { report(.message(text)) }

  // MARK: Events

  /// Loads the workflow with the parameters of an event.
  ///
  /// - Throws: ``Problem`` with every error in the file or the parameters.
  func load(for event: WatchEvent) throws(Problem) -> LoadedWorkflow {
    guard !event.lacksSecrets else {
      throw Problem(
        "event dropped: it was queued by an earlier watch and contained a secret, which is not "
          + "recorded: \(event.trigger.words)")
    }
    var arguments = parameters
    arguments.texts.merge(event.parameters) { $1 }
    arguments.trigger = event.trigger
    return try LoadedWorkflow(try parsed(), arguments)
  }

  /// Returns the parsed workflow file; parses it again if it has changed.
  private func parsed() throws(Problem) -> WorkflowText {
    let known = state.withLock { $0.source }
    let source = try LoadedWorkflow.parse(file, ifNot: known)
    state.withLock { $0.source = source }
    return source
  }

  /// Starts a run for an event, or resumes one.
  ///
  /// - Returns: The run; nil if it could not start, which has been reported.
  func begin(_ work: WatchWork) async -> Run? {
    guard group.begin() else { return nil }
    defer { group.reservationEnded() }
    do {
      switch work {
      case .event(let event): return try await begin(event)
      case .resume(let record): return try await resume(record)
      }
    } catch let busy as GroupIsBusy {
      say("event dropped: run \(busy.run) of the group \"\(busy.group)\" is live")
    } catch {
      say(Problem(error).text.string)
    }
    recordFailure()
    if case .event(let event) = work { inbox.dropped(event) }
    return nil
  }

  private func begin(_ event: WatchEvent) async throws -> Run? {
    let (loaded, recorded) = try await blocking { [self] in
      let loaded = try load(for: event)
      let isAlone = loaded.workflow.concurrency?.policy == .reject
      let request = try request(loaded)
      return (loaded, try watch.begin(request, handling: event, isAlone: isAlone))
    }
    state.withLock { $0.startCount += 1 }
    inbox.handled(event, by: recorded.id, byRestart: false)
    report(.handled(event.trigger.hiding(secrets), by: recorded.id, of: watch.workflow))
    do {
      return try await begin(recorded, loaded)
    } catch is CancellationError {
      // The watch is ending while the run waits for its turn. The next watch resumes the run.
      locks.retain(recorded)
      return nil
    } catch {
      // The event counts as handled, even though its run failed to start.
      say(Problem(error).text.string)
      _ = try? await blocking { try recorded.end(as: .abandoned) }
      locks.release(recorded)
      recordFailure()
      return nil
    }
  }

  private func resume(_ record: RunRecord) async throws -> Run? {
    let (loaded, recorded, state) = try await blocking { [self] in
      let arguments = try Arguments(recorded: record, [:])
      let loaded = try LoadedWorkflow(try parsed(), arguments)
      let (recorded, state) = try host.journal.reopen(record.id) { record, state in
        var request = try request(loaded)
        request.directory = record.moved(to: host.journal.directory).request.directory
        return request
      }
      return (loaded, recorded, state)
    }
    say("run \(record.id) was interrupted; resuming it")
    do {
      return try await begin(recorded, loaded, state: state)
    } catch {
      // The run stays interrupted, and any process may resume it.
      if !(error is CancellationError) { locks.withdraw(recorded.id) }
      throw error
    }
  }

  private func begin(
    _ recorded: RecordedRun, _ loaded: LoadedWorkflow, state: RunState? = nil
  ) async throws -> Run? {
    let controls = RunControls()
    locks.share(recorded)
    guard
      let hosted = try await host.begin(
        recorded, loaded, secrets, state: state.map { ResumedState(state: $0) },
        controls: controls)
    else {
      locks.release(recorded)
      return nil
    }
    if group.add(hosted.run.id, controls) { controls.cancel(now: false) }
    report(.statusChanged)
    Task { await finish(hosted, controls) }
    return hosted.run
  }

  private func finish(_ hosted: HostedRun, _ controls: RunControls) async {
    let outcome = await hosted.run.ended()
    locks.release(hosted.recorded)
    if let problem = await hosted.finish() { say("error: \(problem)") }
    let warning = await controls.performEndCommand(after: outcome, secrets: secrets)
    if let warning { say(warning.string) }
    if !outcome.isSuccess { recordFailure() }
    state.withLock { $0.lastEnd = .now }
    group.remove(hosted.run.id)
    report(.statusChanged)
  }

  /// Restarts a run for an event.
  ///
  /// - Returns: Whether the run handles the event.
  func restart(_ run: Run, for work: WatchWork) async -> Bool {
    guard case .event(let event) = work else { return false }
    let (loaded, request, affected): (LoadedWorkflow, RunRequest, Affected)
    do {
      (loaded, request, affected) = try await blocking { [self] in
        let loaded = try load(for: event)
        return (loaded, try self.request(loaded), self.affected(by: event, loaded.workflow))
      }
    } catch {
      // The file is invalid: keep the current run, and drop the event.
      say(Problem(error).text.string)
      inbox.dropped(event)
      return true
    }
    guard loaded.workflow.concurrency == run.workflow.concurrency else {
      // A live run stays in its group, so another run handles the event.
      group[run.id]?.cancel(now: false)
      return false
    }
    let expanded = loaded.workflow.expanding(like: run.workflow)
    guard (try? ReloadExtent(expanded, from: affected.steps)) != nil else { return false }
    let requester = Requester(
      .watch, name: event.trigger.hiding(secrets).words, steps: affected.steps)
    let extent: ReloadExtent =
      affected.isOfFile
      ? affected.steps.map { .changed(and: $0) } ?? .whole
      : affected.steps.map { .from($0) } ?? .whole
    return await run.reload(loaded.workflow, extent, by: requester) { [self] plan in
      do {
        try watch.restart(run.id, as: request, handling: event)
      } catch {
        say("error: \(error)")
        return false
      }
      state.withLock { $0.startCount += 1 }
      inbox.handled(event, by: run.id, byRestart: true)
      report(.handled(event.trigger.hiding(secrets), by: run.id, of: watch.workflow))
      if !plan.added.isEmpty || !plan.removed.isEmpty {
        let changes = WorkflowChanges(
          added: plan.added, removed: plan.removed, changed: plan.changed.map(\.step))
        say("run \(run.id) takes the changed file: \(changes)")
      }
      return true
    }
  }

  /// What an event restarts.
  private struct Affected {
    /// The steps that use changed files; nil for all steps.
    var steps: [String]?
    /// Whether the workflow file has changed: then the steps that differ in it restart as well.
    var isOfFile = false
  }

  private func affected(by event: WatchEvent, _ workflow: Workflow) -> Affected {
    guard restartsAffected, event.trigger.cause == .files, let trigger = workflow.triggers?.files,
      event.trigger.paths.count < WatchSources.pathsMax
    else { return Affected() }
    let sources = Self.sources(of: workflow)
    let others = event.trigger.paths.filter { !sources.contains($0) }
    let isOfFile = others.count < event.trigger.paths.count
    guard !others.isEmpty else { return Affected(steps: isOfFile ? [] : nil, isOfFile: isOfFile) }
    guard let files = try? WatchedFiles(trigger, of: workflow, sources: sources) else {
      return Affected()
    }
    // Nil if an event with unknown paths was folded into this one: restart from the top then.
    let learnt = LearntUses(host, file: file).traces
    let steps = files.steps(affectedBy: others, learnt: learnt).flatMap { $0.isEmpty ? nil : $0 }
    return Affected(steps: steps, isOfFile: isOfFile)
  }

  /// Returns the source files of a workflow, and the files that links among them lead to.
  ///
  /// - Parameter workflow: The workflow.
  /// - Returns: The paths, relative to the current directory if they are below it.
  static func sources(of workflow: Workflow) -> Set<String> {
    guard let file = workflow.file, let here = workingFolder() else { return [] }
    let path = file.hasPrefix("/") ? file : joinedPath(here, file)
    let beside = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    let all = [path] + workflow.sources.keys.map { beside + "/" + $0 }
    return Set((all + all.compactMap(realPath)).map { WorkflowFiles.path($0, from: here) })
  }

  private func request(_ loaded: LoadedWorkflow) throws(Problem) -> RunRequest {
    try loaded.request([WatchCounts.optionOfRuns: watch.workflow], hiding: secrets)
  }

  // MARK: Shutdown

  /// Forwards a signal to all runs.
  func receive(_ signal: Int32) {
    for controls in group.controls { controls.receive(signal) }
  }

  /// Stops recording.
  func freeze() {
    for controls in group.controls { controls.freeze() }
  }

  /// Starts no more runs, and cancels live ones.
  func end() {
    for controls in group.closeToCancel() { controls.cancel(now: false) }
  }

  /// Starts no more runs, if none is live or starting.
  ///
  /// - Returns: Whether that is so.
  func endIfIdle() -> Bool { group.closeIfIdle() }

  /// Waits until no run is live or starting.
  func finish() async { await group.finish() }
}
