// `StepPerformer`: takes one step through the stages of its life, from its admission to its end.

import Workflows

/// What a run consists of, as far as its steps work with it.
struct RunParts: Sendable {
  let executor: any Executor
  let registry: ActionRegistry
  let runners: RunnerRegistry
  let sharedWork: SharedWork
  let pools: PoolPlaces
  /// The folder in which pools are shared with other processes.
  let poolFolder: String?
  let observer: (any RunObserver)?
  let ledger: RunLedger
  let slots: Slots
  var secrets: Secrets
  let cache: StepCache?
  /// The queue on which the cache's memory is read and written, since both block.
  let memoryQueue: any WorkQueue
  let clock: any RunClock
  let runtime: Runtime
  /// The engine, for runs that steps start.
  let engine: any ChildEngine
  /// The terminal for steps that own one.
  let terminal: (any StepTerminal)?
  /// The folder of the run, if its engine keeps one.
  let folder: RunFolder?
  /// What watches the files that steps use; nil for nothing.
  let watch: FileWatch?
  /// Called when a step has ended, if the driver is waiting for that.
  let stepEnded: @Sendable (StepIndex) -> Void
  /// Called by a step that the run must expand.
  let expansionRequested: @Sendable (ExpansionRequest) -> Void
  /// Called when the steps of a group must run again.
  let retryRequested: @Sendable (GroupRetry) -> Void
}

/// Performs the steps of a run, one per call, and records their events.
///
/// The life of a step, a stage in a file each:
///
/// 1. ``StepAdmission``: its needs, its `if`; it waits, or does not run.
/// 2. ``ConditionStage``: a command that decides whether it runs.
/// 3. ``ApprovalStage``: approval before its work.
/// 4. ``WaitStage``: a step that only waits.
/// 5. For each attempt:
///    1. ``PlaceStage``: its slots, the steps that it uses, its place in a pool; the attempt starts.
///    2. ``ExpansionStage``: a step that computes items.
///    3. ``CacheStage``: whether it is up to date.
///    4. ``WorkStage``: its work, within its timeout.
///    5. ``CompletionStage``: its files, approval after its work, and another round or attempt.
///
/// Each end is recorded by ``StepStage/end(_:attempt:_:by:)``, with its consequences for other steps, or, for
/// a step that does not run, by ``StepStage/conclude(_:with:_:)``.
final class StepPerformer: StepStage {
  /// What the stages are made of.
  private let parts: RunParts
  let tools: StageTools
  let values: ValueSource
  let admission: StepAdmission
  let condition: ConditionStage
  let approval: ApprovalStage
  let wait: WaitStage
  let places: PlaceStage
  let expansion: ExpansionStage
  let cache: CacheStage
  let work: WorkStage
  let completion: CompletionStage

  init(_ parts: RunParts) {
    self.parts = parts
    tools = StageTools(
      ledger: parts.ledger, slots: parts.slots, masker: parts.secrets.masker, clock: parts.clock,
      runtime: parts.runtime, stepEnded: parts.stepEnded, retryRequested: parts.retryRequested)
    values = ValueSource(
      tools: tools, executor: parts.executor, secrets: parts.secrets, engine: parts.engine,
      terminal: parts.terminal, folder: parts.folder)
    places = PlaceStage(tools: tools, pools: parts.pools, poolFolder: parts.poolFolder)
    admission = StepAdmission(tools: tools, values: values)
    condition = ConditionStage(
      tools: tools, values: values, places: places, executor: parts.executor)
    approval = ApprovalStage(tools: tools, secrets: parts.secrets)
    wait = WaitStage(tools: tools, approval: approval)
    expansion = ExpansionStage(
      tools: tools, values: values, places: places, expansionRequested: parts.expansionRequested)
    cache = CacheStage(
      tools: tools, executor: parts.executor, cache: parts.cache, memoryQueue: parts.memoryQueue,
      learning: LearningSeam(folder: parts.watch?.folder))
    work = WorkStage(
      tools: tools, values: values, executor: parts.executor, runners: parts.runners,
      registry: parts.registry, observer: parts.observer, sharedWork: parts.sharedWork)
    completion = CompletionStage(tools: tools, values: values, cache: cache, approval: approval)
  }

  var secrets: Secrets { parts.secrets }
  var runners: RunnerRegistry { parts.runners }

  /// Returns a performer for the same run with other secrets.
  func with(_ secrets: Secrets) -> StepPerformer {
    var parts = parts
    parts.secrets = secrets
    return StepPerformer(parts)
  }

  /// Performs one waiting step.
  ///
  /// Runs in the task of the step's future. Cancelling the task stops the step; the call returns
  /// only when nothing of the step is left.
  ///
  /// - Parameter job: The step.
  /// - Returns: The result, which is recorded. The caller must then call ``StepStage/reportEnd(of:)``.
  func perform(_ job: StepJob) async -> StepResult {
    // Let the next step in the queue start, however this one ends.
    defer { slots.started(job.index) }
    var attempt = PlannedAttempt(of: job.step, adopting: attemptToAdopt(job))
    do throws(Withdrawn) {
      if !attempt.isAdopted {
        if let result = try await condition.result(of: job) { return result }
        if let result = try await approval.result(of: job) { return result }
      }
      if let result = try await wait.result(of: job) { return result }
      while true {
        let delay: Duration
        switch try await make(attempt, of: job) {
        case .over(let result): return result
        case .retry(let after, let failures):
          attempt.advance(after: failures)
          delay = after
        case .again(let after):
          attempt.advance(after: nil)
          delay = after
        case .anew:
          attempt.advance(after: 0)
          delay = .zero
        }
        slots.release(job.index)
        slots.startNext()
        if try await wait(delay, before: job) { attempt.forgetFailures() }
      }
    } catch {
      return end(job.index, attempt: attempt.number - 1, .cancelled(error.cause))
    }
  }

  /// Waits before the next attempt, which of a service can be asked for at once.
  ///
  /// - Returns: Whether it was asked for.
  /// - Throws: ``Withdrawn`` if the step was stopped.
  private func wait(_ delay: Duration, before job: StepJob) async throws(Withdrawn) -> Bool {
    let sleep: @Sendable () async throws -> Void = { [clock] in try await clock.sleep(for: delay) }
    guard job.step.action.isService, delay > .zero else {
      guard (try? await sleep()) != nil else { throw Withdrawn() }
      return false
    }
    let ticket = ledger.decide { $0.controls[job.index].awaitRestart(countsEarlier: true) }
    do {
      _ = try await withInterruption(
        sleep, { if await ticket.value() == nil { throw CancellationError() } else { [:] } })
    } catch {
      throw Withdrawn()
    }
    return ledger.decide { $0.controls[job.index].takeRestart() } != nil
  }

  /// Makes one attempt.
  private func make(
    _ attempt: PlannedAttempt, of job: StepJob
  ) async throws(Withdrawn) -> AttemptAnswer {
    let number = attempt.number
    try await places.takeSlots(job, attempt: number, isAdopted: attempt.isAdopted)
    // The successes of its needs must survive a power loss from here on. If they cannot be
    // recorded, the run is about to be abandoned.
    if attempt.isFirst, let problem = await ledger.recorded(successesOfNeedsOf: job.index) {
      throw Withdrawn(cause: .abandoned(problem))
    }
    if let result = try await expansion.result(of: job, attempt: number) { return .over(result) }
    // Hashing files may take long; let the next steps start in the meantime.
    if job.step.extrasIfAny?.cache != nil { slots.started(job.index) }
    let prepared: PreparedAttempt
    do throws(FailureReason) {
      prepared = try await prepare(attempt, of: job)
    } catch {
      let event = Event.StepEvent.failed(masked(error))
      if attempt.isAdopted {
        startIfNeeded(job, attempt: number, endingWith: event)
      } else {
        try begin(.started(), of: job, attempt: number)
      }
      return .over(end(job.index, attempt: number, event))
    }
    if let result = try cache.result(of: job, prepared) { return .over(result) }
    let executor = prepared.executor
    let (taken, result) = try await places.start(
      job, attempt: number, by: executor, isAdopted: attempt.isAdopted)
    if let result { return .over(result) }
    if !executor.reportsStart { cache.warnOfInputs(job, prepared.trace, attempt: number) }
    var context = values.context(of: job, attempt: number, prepared.resolved, prepared.values)
    context.adopted = attempt.adopted
    context.whyUnresolved = prepared.whyUnresolved.map(masked)
    context.poolLocks = taken.paths
    context.watch = parts.watch?.attempt(of: job.step)
    let event = await work.execute(context, prepared.values, by: executor, holding: taken.own)
    if let watch = context.watch { parts.watch?.onEnd?(job.step.id, number, watch.seen) }
    if job.step.action.isService, completion.startsAgain(job, attempt: number) { return .anew }
    if executor.reportsStart { startIfNeeded(job, attempt: number, endingWith: event) }
    return try await completion.conclude(attempt, of: job, event, context, prepared)
  }

  /// Computes the settings of a step, and whether it is up to date.
  private func prepare(
    _ attempt: PlannedAttempt, of job: StepJob
  ) async throws(FailureReason) -> PreparedAttempt {
    let runValues = values.values(for: job)
    if attempt.isAdopted {
      let (resolved, trace, problem) = resolvedLeniently(job, runValues)
      return PreparedAttempt(
        values: runValues, resolved: resolved, whyUnresolved: problem, trace: trace, earlier: nil,
        executor: try work.executor(for: job.step, attempt: attempt.number))
    }
    let resolved = try values.resolved(job, runValues)
    var trace = try cache.trace(of: job, resolved, runValues)
    var earlier: EarlierResult?
    if let now = trace, attempt.isFirst {
      earlier = await cache.earlierResult(now, job, resolved)
      if earlier == nil, try await cache.forget(job.step.id) {
        trace?.nothingLearnt = "another run was running it at the same time"
      }
    }
    if attempt.number == 1 { try await cache.forgetUndone(job) }
    return PreparedAttempt(
      values: runValues, resolved: resolved, whyUnresolved: nil, trace: trace, earlier: earlier,
      executor: earlier == nil
        ? try work.executor(for: job.step, attempt: attempt.number) : work.executor)
  }

  /// Computes the settings of a step whose attempt goes on where it runs.
  ///
  /// It was begun with the values of its time, so it does not end because they have none now, for
  /// example without a variable of the shell that had started the run. It is not remembered then.
  ///
  /// - Returns: The settings, what the step depends on, and why the settings have no values, if so.
  private func resolvedLeniently(
    _ job: StepJob, _ runValues: RunValues
  ) -> (ResolvedStep, StepTrace?, FailureReason?) {
    do throws(FailureReason) {
      let resolved = try values.resolved(job, runValues)
      return (resolved, try cache.trace(of: job, resolved, runValues), nil)
    } catch {
      return (.unknown, nil, error)
    }
  }
}
