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
/// An attempt is *lost* only with a proof: the runner says that it is gone, and there is no result.
/// Until then it is out of sight, and waits.
package struct AttemptState: Sendable, Equatable {
  /// What to ask the runner.
  package enum Question: Sendable, Equatable {
    /// To begin the attempt.
    case begin
    /// Whether there is such an attempt.
    case find
    /// For its news.
    case follow
    /// What is known of it, since its news cannot be followed.
    case look
    /// Whether nothing of it is left.
    case isGone
    /// To give it up.
    case abandon
  }

  /// What to do next.
  package enum Next: Sendable, Equatable {
    /// Ask this; after an answer that said nothing, only after a while.
    case ask(Question, isAgain: Bool)
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
    /// The runner cannot be asked now, for this reason.
    case cannotAsk(String)
    case news(AttemptNews)
    /// Its news ended without a result.
    case newsEnded
    case sight(AttemptSight)
    /// It is certain that it is gone without a result, for this reason.
    case lost(String)
    case gone(Bool)
    case abandoned
    /// It has been out of sight for longer than the workflow accepts.
    case outOfSightTooLong
    /// The engine wants it to stop.
    case stop
  }

  private enum Phase: Sendable, Equatable {
    case intended
    case adopting
    case begun
    case outOfSight(String)
    /// It has ended with this result; what is left of it may still be ending.
    case ending(AttemptResult)
    case givingUp(String)
    case over(AttemptResult)
  }

  private var phase: Phase
  private var isAgain = false
  private var hasStarted = false
  private var mayHaveBegun: Bool
  private var isStopping = false

  /// Creates the state of an attempt.
  ///
  /// - Parameters:
  ///   - isAdopted: Whether an earlier engine has begun it, or meant to.
  ///   - hasStarted: Whether its start has been reported already.
  package init(isAdopted: Bool = false, hasStarted: Bool = false) {
    phase = isAdopted ? .adopting : .intended
    mayHaveBegun = isAdopted
    self.hasStarted = hasStarted
  }

  /// What to do next.
  package var next: Next {
    switch phase {
    case .intended: .ask(.begin, isAgain: isAgain)
    case .adopting: .ask(.find, isAgain: isAgain)
    case .begun: .ask(.follow, isAgain: false)
    case .outOfSight: .ask(.look, isAgain: isAgain)
    case .ending: .ask(.isGone, isAgain: isAgain)
    case .givingUp: .ask(.abandon, isAgain: isAgain)
    case .over(let result): .over(result)
    }
  }

  /// Whether the attempt is out of sight.
  package var isOutOfSight: Bool {
    if case .outOfSight = phase { true } else { false }
  }

  /// Whether the runner may know the attempt, so that it must be asked to stop it.
  package var mayExist: Bool { mayHaveBegun }

  /// Takes an answer.
  ///
  /// - Parameter input: The answer.
  /// - Returns: What to report of the attempt; never its end, which ``next`` has.
  package mutating func handle(_ input: Input) -> [AttemptNews] {
    isAgain = false
    switch (phase, input) {
    case (.over, _):
      return []
    case (.intended, .stop) where !mayHaveBegun:
      phase = .over(.stopped)
    case (.ending, .stop):
      isStopping = true
      phase = .ending(.stopped)
    case (_, .stop):
      isStopping = true
    case (.intended, .begun), (.adopting, .begun):
      mayHaveBegun = true
      phase = .begun
    case (.intended, .refused(let text)):
      phase = .over(.failed(.notStarted(text)))
    case (.intended, .cannotAsk(let text)):
      // The question may have arrived, and the answer may have been lost.
      mayHaveBegun = true
      phase = .adopting
      isAgain = true
      return [.queued(text)]
    case (.adopting, .absent):
      // Only meant, never begun; or begun without a trace, in which case nothing of it is left.
      mayHaveBegun = false
      phase = isStopping ? .over(.stopped) : .intended
    case (.adopting, .cannotAsk(let text)), (.adopting, .refused(let text)):
      isAgain = true
      return hasStarted ? [.outOfSight(text)] : [.queued(text)]
    case (.begun, .news(let news)), (.outOfSight, .news(let news)):
      return take(news)
    case (.begun, .newsEnded):
      phase = .outOfSight("it has ended without a result")
    case (.begun, .cannotAsk(let text)), (.begun, .refused(let text)):
      phase = .outOfSight(text)
      isAgain = true
      return hasStarted ? [.outOfSight(text)] : [.queued(text)]
    case (.outOfSight(let before), .cannotAsk(let text)),
      (.outOfSight(let before), .sight(.unknown(let text))):
      isAgain = true
      phase = .outOfSight(text)
      guard text != before else { return [] }
      return hasStarted ? [.outOfSight(text)] : [.queued(text)]
    case (.outOfSight, .sight(.gone)):
      phase = .over(isStopping ? .stopped : .failed(.lost(Self.gone)))
    case (.outOfSight, .lost(let text)):
      phase = .over(isStopping ? .stopped : .failed(.lost("\(text); \(Self.gone)")))
    case (.outOfSight, .sight):
      phase = .begun
    case (.outOfSight(let text), .outOfSightTooLong):
      phase = .givingUp(text)
    case (.givingUp(let text), .abandoned):
      phase = .over(isStopping ? .stopped : .failed(.lost(text)))
    case (.givingUp, .cannotAsk), (.givingUp, .refused):
      isAgain = true
    case (.ending(let result), .gone(true)):
      phase = .over(result)
    case (.ending, .gone(false)), (.ending, .cannotAsk), (.ending, .refused):
      isAgain = true
    default:
      // An answer to a question that is no longer asked: late, or repeated.
      break
    }
    return []
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
      phase = .outOfSight(text)
      isAgain = true
      return [news]
    case .queued, .output, .progress, .ready, .written, .leftBehind:
      return [news]
    }
  }
}
