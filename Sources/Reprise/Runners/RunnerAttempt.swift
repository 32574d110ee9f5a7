// `RunnerAttempt`: carries one attempt through a runner, from the first question to the last.

import ChildProcesses
import Masking

/// One attempt in progress: asks the runner what ``AttemptState`` wants to know.
struct RunnerAttempt: Sendable {
  let runner: any Runner
  let spec: AttemptSpec
  let token: AttemptToken
  let place: RunnerPlace
  let context: StepContext
  let clock: any RunClock
  let lostAfter: Duration?
  let stopping: StopRequest

  /// The longest pause before a plain no is asked for again.
  private static let briefPauseMax = Duration.milliseconds(100)
  /// The time that a host may need to notice that it has no engine.
  static let orphanMargin = Duration.seconds(5)

  func result() async -> AttemptResult {
    defer { stopping.end() }
    var state = AttemptState(
      isAdopted: context.adopted != nil, hasStarted: context.reporter.hasStarted)
    var handle: (any RunnerHandle)?
    var mark = OutputMark()
    var brief = GrowingDelay()
    var trouble = TroubleDelay(clock: clock)
    var wasOutOfSight = false
    while true {
      let seen = stopping.count
      if stopping.isRequested { report(state.handle(.stop)) }
      if wasOutOfSight, state.isInSight { context.reporter.report(.inSight) }
      wasOutOfSight = state.isOutOfSight
      let limits = limits(of: state)
      if let reached = trouble.reached(limits) { report(state.handle(reached)) }
      if case .over(let result) = state.next { return result }
      guard case .ask(let question, let pause) = state.next else { continue }
      switch pause {
      case .none: brief = GrowingDelay()
      case .brief: try? await clock.sleep(for: brief.next(upTo: Self.briefPauseMax))
      case .growing:
        let time = trouble.next(limits)
        await stopping.interrupting(after: seen) { [clock] in try? await clock.sleep(for: time) }
        // What has changed in the meantime comes first.
        if stopping.count != seen || trouble.reached(limits) != nil {
          state.skipPause()
          continue
        }
      }
      let askedAt = clock.now
      if let answer = await answer(to: question, seen, &handle, &mark, &state) {
        let news = state.handle(answer)
        // A question that a stop has cut short has no reason worth a line.
        if stopping.count == seen { report(news) }
      }
      trouble.note(
        isUnreachable: state.isUnreachable, askedAt: question == .follow ? clock.now : askedAt)
    }
  }

  /// How long the runner may be out of reach.
  private func limits(of state: AttemptState) -> TroubleDelay.Limits {
    var limits = TroubleDelay.Limits(soft: lostAfter, final: lostAfter)
    // The step's own limit is kept by its host, once there is one.
    if !state.isStarted, let limit = spec.timeLimit { limits.soft = min(limit, lostAfter ?? limit) }
    guard let orphanAfter = runner.orphanAfter,
      stopping.isRequested || !state.isStarted && limits.soft != nil
    else { return limits }
    // By then it has been stopped where it ran, if it ran at all.
    let end = orphanAfter + (stopping.grace ?? spec.grace) + Self.orphanMargin
    let final = stopping.isRequested ? end : max(end, limits.soft ?? end)
    limits.final = min(final, limits.final ?? final)
    return limits
  }

  /// Asks the runner, and returns its answer; nil if news that were handled on the way have said all.
  private func answer(
    to question: AttemptState.Question, _ seen: Int, _ handle: inout (any RunnerHandle)?,
    _ mark: inout OutputMark, _ state: inout AttemptState
  ) async -> AttemptState.Input? {
    do {
      if question == .follow {
        guard let handle else { return .absent }
        for try await item in handle.news(from: mark) {
          mark = item.next
          if await take(item.news, &state) { return nil }
        }
        return .newsEnded
      }
      let known = handle
      let answered = await stopping.interrupting(after: seen) {
        () -> Result<(AttemptState.Input?, (any RunnerHandle)?), any Error> in
        do {
          return .success(try await answer(to: question, known))
        } catch {
          return .failure(error)
        }
      }
      let (input, found) = try answered.get()
      if let input { return input }
      handle = found
      guard let found else { return .absent }
      stopping.found(found)
      if !state.isStarted, found.job != nil { _ = send(.queued("")) }
      return .begun
    } catch let failure as RunnerFailure {
      return .failed(failure, context.masker.masked(failure.description))
    } catch {
      return .cannotAsk(context.masker.masked(String(describing: error)))
    }
  }

  /// Asks the runner.
  ///
  /// - Returns: Its answer; nil if it is the attempt that was found, or that there is none.
  private func answer(
    to question: AttemptState.Question, _ handle: (any RunnerHandle)?
  ) async throws -> (AttemptState.Input?, (any RunnerHandle)?) {
    switch question {
    case .begin:
      if let reason = context.whyUnresolved {
        throw RunnerFailure.refused("it was never begun, and now \(reason)")
      }
      return (nil, try await runner.begin(spec, token: token))
    case .find: return (nil, try await runner.find(token))
    case .revoke: return (nil, try await runner.revoke(token))
    case .look:
      let sight = try await runner.look([token])[token]
      if sight == .gone, var end = await runner.reasonForLoss(of: token) {
        end.text = context.masker.masked(end.text)
        return (.lost(end), handle)
      }
      return (.sight(sight ?? .unknown("the runner does not know")), handle)
    case .isGone: return (.gone(try await handle?.isGone() ?? true), handle)
    case .abandon:
      try await handle?.abandon()
      return (.abandoned, handle)
    case .follow: return (.newsEnded, handle)
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
      var place = place
      place.job = stopping.job
      return context.reporter.report(.queued(place, text: context.masker.masked(text)))
    }
    return context.report(news)
  }
}
