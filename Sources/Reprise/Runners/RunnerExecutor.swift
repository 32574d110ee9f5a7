// `RunnerExecutor`: makes an executor of a runner. Begins, follows, stops, and waits for the end.

import ChildProcesses
import Masking
import Platform
import Synchronization
import WorkflowLanguage

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
    if inherits {
      spec.environment.merge(surroundings.environment) { own, _ in own }
      for (name, value) in spec.weakEnvironment where surroundings.environment[name] == nil {
        spec.environment[name] = value
      }
      for name in spec.hiddenVariables where context.resolved.environment[name] == nil {
        spec.environment[name] = nil
      }
      spec.weakEnvironment = [:]
    }
    let token =
      context.adopted
      ?? AttemptToken(
        run: context.run, step: context.step.id, generation: context.generation,
        attempt: context.attempt)
    if context.adopted == nil { spec = try prepare(spec, token) }
    let place = RunnerPlace(
      runner: name, token: token.text, survives: runner.survivesEngine)
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
    switch result {
    case .succeeded(let outputs):
      try Task.checkCancellation()
      return outputs
    case .failed(let reason): throw reason
    case .stopped:
      guard stopping.isRequested else {
        throw FailureReason.lost(
          "it was stopped where it ran, and not by this run: by its scheduler, by hand, or because no "
            + "engine asked for it in time")
      }
      throw CancellationError()
    }
  }
}

extension RunnerExecutor: LastingExecutor {
  package func stop(_ token: AttemptToken, grace: Duration) async throws {
    var handle: (any RunnerHandle)?
    var pause = GrowingDelay()
    var isAsked = false
    while true {
      do throws(RunnerFailure) {
        if handle == nil {
          guard let found = try await runner.find(token) else { return }
          handle = found
        }
        if !isAsked { try await handle?.stop(grace: grace) }
        isAsked = true
        if try await handle?.isGone() ?? true { return }
      } catch {
        if case .refused(let text) = error { throw FailureReason.lost(text) }
      }
      try await surroundings.clock.sleep(for: pause.next(upTo: .seconds(1)))
    }
  }

  package func release(_ run: RunID) async { await runner.release(run) }
}

/// A request to stop an attempt, which is passed on as soon as there is something to stop.
private final class StopRequest: Sendable {
  private struct State {
    var grace: Duration?
    var handle: (any RunnerHandle)?
  }

  private let state = Mutex(State())
  private let clock: any RunClock

  init(clock: any RunClock) {
    self.clock = clock
  }

  var isRequested: Bool { state.withLock { $0.grace != nil } }

  /// Asks for a stop; a later request can only shorten the grace period.
  func request(grace: Duration) {
    let handle = state.withLock { state -> (any RunnerHandle)? in
      state.grace = min(grace, state.grace ?? grace)
      return state.handle
    }
    if let handle { pass(grace, to: handle) }
  }

  /// Sets what is to be stopped.
  func found(_ handle: any RunnerHandle) {
    let grace = state.withLock { state -> Duration? in
      state.handle = handle
      return state.grace
    }
    if let grace { pass(grace, to: handle) }
  }

  private func pass(_ grace: Duration, to handle: any RunnerHandle) {
    Task { [clock] in
      var pause = GrowingDelay()
      while true {
        do throws(RunnerFailure) {
          return try await handle.stop(grace: grace)
        } catch {
          try? await clock.sleep(for: pause.next(upTo: .seconds(5)))
        }
        if (try? await handle.isGone()) == true { return }
      }
    }
  }
}

/// One attempt in progress: asks the runner what ``AttemptState`` wants to know.
private struct RunnerAttempt: Sendable {
  let runner: any Runner
  let spec: AttemptSpec
  let token: AttemptToken
  let place: RunnerPlace
  let context: StepContext
  let clock: any RunClock
  let lostAfter: Duration?
  let stopping: StopRequest

  /// The longest pause between two questions.
  private static let pauseMax = Duration.seconds(5)

  func result() async -> AttemptResult {
    var state = AttemptState(
      isAdopted: context.adopted != nil, hasStarted: context.reporter.hasStarted)
    var handle: (any RunnerHandle)?
    var mark = OutputMark()
    var pause = GrowingDelay()
    var outOfSightSince: Timestamp?
    while true {
      if stopping.isRequested { report(state.handle(.stop)) }
      if !state.isOutOfSight {
        if outOfSightSince != nil { context.reporter.report(.inSight) }
        outOfSightSince = nil
      } else if outOfSightSince == nil {
        outOfSightSince = clock.now
      }
      if let lostAfter, let since = outOfSightSince, clock.now - since > lostAfter {
        report(state.handle(.outOfSightTooLong))
      }
      switch state.next {
      case .over(let result):
        return result
      case .ask(let question, let isAgain):
        if isAgain {
          let limit = question == .isGone ? Duration.milliseconds(100) : Self.pauseMax
          try? await clock.sleep(for: pause.next(upTo: limit))
        } else {
          pause = GrowingDelay()
        }
        if let answer = await answer(to: question, &handle, &mark, &state) {
          report(state.handle(answer))
        }
      }
    }
  }

  /// Asks the runner, and returns its answer; nil if news that were handled on the way have said all.
  private func answer(
    to question: AttemptState.Question, _ handle: inout (any RunnerHandle)?,
    _ mark: inout OutputMark, _ state: inout AttemptState
  ) async -> AttemptState.Input? {
    do {
      switch question {
      case .begin:
        handle = try await runner.begin(spec, token: token)
      case .find:
        handle = try await runner.find(token)
      case .look:
        let sight = try await runner.look([token])[token]
        if sight == .gone, let text = await runner.reasonForLoss(of: token) {
          return .lost(context.masker.masked(text))
        }
        return .sight(sight ?? .unknown("the runner does not know"))
      case .isGone:
        return .gone(try await handle?.isGone() ?? true)
      case .abandon:
        try await handle?.abandon()
        return .abandoned
      case .follow:
        guard let handle else { return .absent }
        for try await item in handle.news(from: mark) {
          mark = item.next
          if await take(item.news, &state) { return nil }
        }
        return .newsEnded
      }
      guard let handle else { return .absent }
      stopping.found(handle)
      return .begun
    } catch let RunnerFailure.refused(text) {
      return .refused(context.masker.masked(text))
    } catch {
      return .cannotAsk(context.masker.masked(String(describing: error)))
    }
  }

  /// Reports a piece of news.
  ///
  /// - Returns: Whether it is the last one.
  private func take(_ news: AttemptNews, _ state: inout AttemptState) async -> Bool {
    if stopping.isRequested { report(state.handle(.stop)) }
    for news in state.handle(.news(news)) where !send(news) { await context.roomForOutput() }
    if case .ended = news { return true }
    return state.isOutOfSight
  }

  private func report(_ news: [AttemptNews]) {
    for news in news { _ = send(news) }
  }

  private func send(_ news: AttemptNews) -> Bool {
    if case .queued(let text) = news {
      return context.reporter.report(.queued(place, text: context.masker.masked(text)))
    }
    return context.report(news)
  }
}
