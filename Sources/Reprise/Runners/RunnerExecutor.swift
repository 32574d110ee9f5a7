// `RunnerExecutor`: makes an executor of a runner. Begins, follows, stops, and waits for the end.

import ChildProcesses
import Masking
import Platform
import Workflows

/// An executor that has a ``Runner`` carry out the attempts.
///
/// An attempt is recorded with its token before the runner hears of it, so that it is found again
/// after a crash. While the runner cannot be asked, the attempt is out of sight, and the step waits.
/// A cancelled attempt is asked to stop; ``execute(_:)`` returns only when the runner is certain
/// that nothing of it is left.
public struct RunnerExecutor: Executor {
  private let runner: any Runner
  private let name: String
  private let lostAfter: Duration?
  private let surroundings: RunnerSurroundings
  private let inherits: Bool
  private let prepare: Preparation

  /// Changes what to run, for example to run it within another program.
  public typealias Preparation =
    @Sendable (AttemptSpec, AttemptToken) throws(FailureReason) -> AttemptSpec

  /// Attempts report their starts themselves.
  public var reportsStart: Bool { true }

  /// The variables that expressions can use: those of the engine.
  public var environment: [String: String] { surroundings.environment }

  /// Creates an executor.
  ///
  /// - Parameters:
  ///   - runner: The runner.
  ///   - name: Its name, for displays.
  ///   - surroundings: What it may use of its engine.
  ///   - inheritsEnvironment: Whether attempts get the variables that steps on this machine
  ///     inherit.
  ///   - lostAfter: The time after which an attempt that is out of sight is given up; nil to wait
  ///     for as long as it takes.
  ///   - prepare: Changes what to run; by default nothing.
  public init(
    _ runner: any Runner, named name: String, in surroundings: RunnerSurroundings,
    inheritsEnvironment: Bool = false, lostAfter: Duration? = nil,
    prepare: @escaping Preparation = { spec, _ in spec }
  ) {
    self.prepare = prepare
    self.runner = runner
    self.name = name
    self.surroundings = surroundings
    self.lostAfter = lostAfter
    inherits = inheritsEnvironment
  }

  /// Has the runner carry out one attempt.
  ///
  /// - Parameter context: The attempt.
  /// - Returns: The outputs.
  /// - Throws: ``FailureReason``, or `CancellationError` if it was stopped.
  public func execute(_ context: StepContext) async throws -> StepOutputs {
    var spec = AttemptSpec(context)
    // Where it runs, another directory may be the current one.
    spec.directory = resolvedDirectory(surroundings.directory ?? workingFolder(), spec.directory)
    if inherits { spec.inherit(surroundings.environment) }
    let token =
      context.adopted
      ?? AttemptToken(
        run: context.run, step: context.step.id, generation: context.generation,
        attempt: context.attempt, random: surroundings.random.next())
    spec.heldLocks = context.poolLocks + surroundings.hostsLocks(of: context.run)
    if context.adopted == nil { spec = try prepare(spec, token) }
    let place = RunnerPlace(
      runner: name, token: token.text, survives: runner.survivesEngine,
      asked: surroundings.asked)
    if context.adopted == nil {
      context.reporter.report(.queued(place, text: ""))
      if let problem = await context.reporter.recorded() { throw FailureReason.notStarted(problem) }
      try Task.checkCancellation()
    }
    let stopping = StopRequest(clock: surroundings.clock)
    let attempt = RunnerAttempt(
      runner: runner, spec: spec, token: token, place: place, context: context,
      clock: surroundings.clock, lostAfter: lostAfter, stopping: stopping)
    // Not the current task: when it is cancelled, there is still much to do and to wait for.
    let work = Task { await attempt.result() }
    let result = await withTaskCancellationHandler {
      await context.withKillHandler({ stopping.request(grace: .zero) }) { await work.value }
    } onCancel: {
      stopping.request(grace: context.gracePeriod)
    }
    return try await outputs(of: result, token, context, isStopping: stopping.isRequested)
  }

  private func outputs(
    of result: AttemptResult, _ token: AttemptToken, _ context: StepContext, isStopping: Bool
  ) async throws -> StepOutputs {
    switch result {
    case .succeeded(let outputs):
      try Task.checkCancellation()
      return outputs
    case .failed(let reason):
      if reason.mayBeFromOutside(context.step.retry?.asksForCause(of: reason) == true), !isStopping,
        let end = await runner.reasonForEnd(of: token)
      {
        if end.cause != nil {
          throw FailureReason.lost(end.text, cause: end.cause, status: reason.exitStatus)
        }
        context.report(context.masker.masked(end.text), on: .standardError)
      }
      throw reason
    case .stopped:
      if isStopping { throw CancellationError() }
      let end = await runner.reasonForEnd(of: token)
      throw FailureReason.lost(
        end?.text
          ?? "it was stopped where it ran, and not by this run: by its scheduler, by hand, or because no "
          + "engine asked for it in time", cause: end?.cause)
    }
  }
}

extension AttemptSpec {
  /// Takes over the variables of the engine, where the attempt has none of their names.
  fileprivate mutating func inherit(_ inherited: [String: String]) {
    let own = Set(environment.keys)
    environment.merge(weakEnvironment.filter { inherited[$0.key] == nil }) { own, _ in own }
    environment.merge(inherited.filter { !hiddenVariables.contains($0.key) }) { own, _ in own }
    for name in hiddenVariables where !own.contains(name) { environment[name] = nil }
    weakEnvironment = [:]
  }
}

extension Retry {
  /// Whether what has ended an attempt from outside decides about the next one: a program may also fail with
  /// a usual status after a process of it was killed.
  fileprivate func asksForCause(of reason: FailureReason) -> Bool {
    guard let failures else { return false }
    if let status = reason.exitStatus, failures.contains(.status(status)) { return false }
    return failures.contains { if case .lost = $0 { true } else { false } }
  }
}

extension FailureReason {
  /// Whether something else than the program may have ended it, such as a limit of its job.
  ///
  /// - Parameter isAsked: Whether the cause decides what follows.
  /// - Returns: Whether it may have.
  fileprivate func mayBeFromOutside(_ isAsked: Bool) -> Bool {
    switch self {
    case .signalled: true
    case .exited(let status): isAsked || status > 128
    case .timedOut, .notStarted, .badOutputs, .badValue, .rejected, .threw, .lost, .unmet: false
    }
  }
}

extension RunnerExecutor: LastingExecutor {
  package func begin(
    _ spec: AttemptSpec, token: AttemptToken
  ) async throws(RunnerFailure) -> String? {
    var spec = spec
    if inherits { spec.inherit(surroundings.environment) }
    do throws(RunnerFailure) {
      return try await runner.begin(spec, token: token).job
    } catch {
      // Without an answer it may have begun, and goes on then.
      guard let begun = try? await runner.revoke(token) else { throw error }
      return begun.job
    }
  }

  package func stop(_ token: AttemptToken, grace: Duration) async throws {
    var handle: (any RunnerHandle)?
    var isAsked = false
    var brief = GrowingDelay()
    var trouble = TroubleDelay(clock: surroundings.clock)
    let orphaned = runner.orphanAfter.map { $0 + grace + RunnerAttempt.orphanMargin }
    let limits = TroubleDelay.Limits(
      final: [orphaned, lostAfter].compactMap { $0 }.min())
    while true {
      let askedAt = surroundings.clock.now
      do throws(RunnerFailure) {
        if handle == nil {
          guard let found = try await runner.revoke(token) else { return }
          handle = found
        }
        if !isAsked { try await handle?.stop(grace: grace) }
        isAsked = true
        if try await handle?.isGone() ?? true { return }
        trouble.note(isUnreachable: false, askedAt: askedAt)
      } catch {
        if case .refused(let text) = error, limits.final == nil { throw FailureReason.lost(text) }
        trouble.note(isUnreachable: true, askedAt: askedAt)
        if trouble.reached(limits) != nil {
          try? await handle?.abandon()
          return
        }
        try await surroundings.clock.sleep(for: trouble.next(limits))
        continue
      }
      try await surroundings.clock.sleep(for: brief.next(upTo: .seconds(1)))
    }
  }

  package func release(_ run: RunID) async -> String? { await runner.release(run) }
}
