// `AttemptState`: decides what to ask a runner next, from what it has answered so far.

/// The state of an attempt that a runner carries out.
///
/// A pure value: ``handle(_:)`` takes an answer and says what to report; ``next`` is what to ask
/// then. So every order of answers, late, repeated and missing ones included, can be tried in tests.
///
///     intended ─▶ queued ─▶ running ─▶ ended
///         │          │         │ ▲
///         ▼          ▼         ▼ │
///        refused   gone     out of sight ─▶ lost
///
/// An attempt that was *never begun* can be begun again, or end, without asking. One that *cannot be
/// asked for* may have begun: it is found, or revoked, first. It is *lost* only with a proof: the
/// runner says that it is gone, and there is no result. Until then it is out of sight, and waits.
package struct AttemptState: Sendable, Equatable {
  /// What to ask the runner.
  package enum Question: Sendable, Equatable {
    /// To begin the attempt.
    case begin
    /// Whether there is such an attempt.
    case find
    /// To make sure that it never begins, or to find it.
    case revoke
    /// For its news.
    case follow
    /// What is known of it, since its news cannot be followed.
    case look
    /// Whether nothing of it is left.
    case isGone
    /// To give it up.
    case abandon
  }

  /// What comes before a question.
  package enum Pause: Sendable, Equatable {
    case none
    /// A short one: the last answer was a plain no.
    case brief
    /// One that grows with each answer that has said nothing.
    case growing
  }

  /// What to do next.
  package enum Next: Sendable, Equatable {
    /// Ask this, after a pause.
    case ask(Question, Pause)
    /// Nothing: the attempt is over.
    case over(AttemptResult)
  }

  /// An answer of the runner, or a request of the engine.
  package enum Input: Sendable, Equatable {
    /// The attempt has begun, or was found.
    case begun
    /// There is no such attempt, for certain.
    case absent
    /// The runner refuses to begin it, for this reason.
    case refused(String)
    /// The runner has certainly not begun it, for this reason; a later question may.
    case neverBegun(String)
    /// The runner has no room for it now, for this reason: it waits for its turn.
    case full(String)
    /// The runner cannot be asked now, for this reason.
    case cannotAsk(String)
    case news(AttemptNews)
    /// Its news ended without a result.
    case newsEnded
    case sight(AttemptSight)
    /// It is certain that it is gone without a result, for this reason.
    case lost(AttemptEnd)
    case gone(Bool)
    case abandoned
    /// The runner could not be reached for this time, which is longer than the workflow accepts.
    ///
    /// If it is final, the attempt is given up even if it may go on.
    case unreachableTooLong(Duration, isFinal: Bool)
    /// The engine wants it to stop.
    case stop
  }

  private enum Phase: Sendable, Equatable {
    /// It was certainly not begun; the text says why its begin failed.
    case intended(String?)
    /// It may have begun.
    case adopting(String?)
    case revoking(String)
    case begun
    case outOfSight(String)
    /// It has ended with this result; what is left of it may still be ending.
    case ending(AttemptResult)
    case givingUp(String)
    case over(AttemptResult)
  }

  private var phase: Phase
  private var pause = Pause.none
  private var hasStarted = false
  private var isStopping = false
  /// The reasons that were reported, each once until something else is known.
  private var reported: Set<String> = []

  /// Creates the state of an attempt.
  ///
  /// - Parameters:
  ///   - isAdopted: Whether an earlier engine has begun it, or meant to.
  ///   - hasStarted: Whether its start has been reported already.
  package init(isAdopted: Bool = false, hasStarted: Bool = false) {
    phase = isAdopted ? .adopting(nil) : .intended(nil)
    self.hasStarted = hasStarted
  }

  /// What to do next.
  package var next: Next {
    switch phase {
    case .intended: .ask(.begin, pause)
    case .adopting: .ask(.find, pause)
    case .revoking: .ask(.revoke, pause)
    case .begun: .ask(.follow, .none)
    case .outOfSight: .ask(.look, pause)
    case .ending: .ask(.isGone, pause)
    case .givingUp: .ask(.abandon, pause)
    case .over(let result): .over(result)
    }
  }

  /// Whether the attempt is out of sight.
  package var isOutOfSight: Bool {
    if case .outOfSight = phase { true } else { false }
  }

  /// Whether the attempt is seen, so that it goes on or has ended; not if it is given up or lost.
  package var isInSight: Bool {
    switch phase {
    case .begun, .ending: true
    case .intended, .adopting, .revoking, .outOfSight, .givingUp, .over: false
    }
  }

  /// Whether the runner could not be reached when it was asked last.
  package var isUnreachable: Bool {
    switch phase {
    case .intended(let problem), .adopting(let problem): problem != nil
    case .outOfSight, .revoking, .givingUp: true
    case .begun, .ending, .over: false
    }
  }

  /// Whether the start was reported.
  package var isStarted: Bool { hasStarted }

  /// Takes an answer.
  ///
  /// - Parameter input: The answer.
  /// - Returns: What to report of the attempt; never its end, which ``next`` has.
  package mutating func handle(_ input: Input) -> [AttemptNews] {
    switch (phase, input) {
    case (.over, _):
      return []
    case (_, .stop):
      stop()
      return []
    case (_, .unreachableTooLong(let time, let isFinal)):
      giveUp(after: time, isFinal: isFinal)
      return []
    default:
      pause = .none
      return take(input)
    }
  }

  /// Notes that the pause before the next question has passed, or was cut short.
  package mutating func skipPause() { pause = .none }

  /// Never changes a pause: what could not be asked before cannot be asked sooner now.
  private mutating func stop() {
    guard !isStopping else { return }
    isStopping = true
    switch phase {
    case .intended: phase = .over(.stopped)
    case .adopting(let problem):
      pause = .none
      phase = .revoking(problem ?? "")
    case .ending: phase = .ending(.stopped)
    case .revoking, .begun, .outOfSight, .givingUp, .over: break
    }
  }

  private mutating func giveUp(after time: Duration, isFinal: Bool) {
    switch phase {
    case .intended(let problem?):
      phase = .over(.failed(.notStarted("gave up after \(durationText(time)): \(problem)")))
    case .adopting(let problem):
      pause = .none
      phase = .revoking(problem ?? "")
    case .revoking(let problem) where isFinal:
      fail(.lost(problem))
    case .outOfSight(let problem) where isFinal:
      pause = .none
      phase = .givingUp(problem)
    case .intended, .revoking, .begun, .outOfSight, .ending, .givingUp, .over: break
    }
  }

  private mutating func take(_ input: Input) -> [AttemptNews] {
    switch (phase, input) {
    case (.intended, .refused(let text)): phase = .over(.failed(.notStarted(text)))
    case (.intended, .neverBegun(let text)):
      phase = .intended(text)
      return wait(text)
    case (.intended, .full(let text)):
      phase = .intended(nil)
      return wait(text)
    case (.intended, .cannotAsk(let text)):
      // The question may have arrived, and the answer may have been lost.
      phase = .adopting(text)
      return wait(text)
    case (.adopting, .absent):
      // Only meant, never begun; or begun without a trace, in which case nothing of it is left.
      phase = .intended(nil)
    case (.revoking(let problem), .absent): fail(.notStarted(problem))
    case (.begun, .news(let news)), (.outOfSight, .news(let news)): return take(news)
    case (.begun, .newsEnded): phase = .outOfSight("it has ended without a result")
    case (.outOfSight, .sight(.gone)): fail(.lost(Self.gone))
    case (.outOfSight, .lost(let end)):
      fail(.lost("\(end.text); \(Self.gone)", cause: end.cause))
    case (.outOfSight, .sight(.unknown(let text))): return cannotAsk(text)
    case (.intended, .begun), (.adopting, .begun), (.revoking, .begun), (.outOfSight, .sight):
      reported = []
      phase = .begun
    case (.givingUp(let text), .abandoned): fail(.lost(text))
    case (.ending(let result), .gone(true)): phase = .over(result)
    case (.ending, .gone(false)): pause = .brief
    case (_, .cannotAsk(let text)), (_, .refused(let text)), (_, .neverBegun(let text)),
      (_, .full(let text)):
      return cannotAsk(text)
    default:
      // An answer to a question that is no longer asked: late, or repeated.
      break
    }
    return []
  }

  private mutating func fail(_ reason: FailureReason) {
    phase = .over(isStopping ? .stopped : .failed(reason))
  }

  /// Notes that a question was not answered.
  private mutating func cannotAsk(_ text: String) -> [AttemptNews] {
    switch phase {
    case .adopting: phase = .adopting(text)
    case .revoking: phase = .revoking(text)
    case .begun, .outOfSight: phase = .outOfSight(text)
    case .intended, .ending, .givingUp, .over:
      pause = .growing
      return []
    }
    return wait(text)
  }

  /// Asks again after a pause, and reports a reason that is new.
  private mutating func wait(_ text: String) -> [AttemptNews] {
    pause = .growing
    guard reported.insert(text).inserted else { return [] }
    return hasStarted ? [.outOfSight(text)] : [.queued(text)]
  }

  private static let gone = "nothing of it is left, and no result"

  private mutating func take(_ news: AttemptNews) -> [AttemptNews] {
    switch news {
    case .ended(let result):
      // Whatever it says, a stopped attempt has not completed its work.
      phase = .ending(isStopping ? .stopped : result)
      return []
    case .queued where hasStarted:
      return []
    case .started:
      guard !hasStarted else { return [] }
      hasStarted = true
      return [news]
    case .outOfSight(let text):
      pause = .growing
      phase = .outOfSight(text)
      return [news]
    case .queued, .output, .progress, .ready, .written, .leftBehind, .used:
      return [news]
    }
  }
}

extension AttemptState.Input {
  /// The answer of a runner that has failed.
  static func failed(_ failure: RunnerFailure, _ text: String) -> Self {
    switch failure {
    case .refused: .refused(text)
    case .neverBegun: .neverBegun(text)
    case .full: .full(text)
    case .cannotAsk: .cannotAsk(text)
    }
  }
}
