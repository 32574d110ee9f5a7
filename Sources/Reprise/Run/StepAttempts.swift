// The attempts of a step: which one is made, what it works with, and what follows it.

import Workflows

/// An attempt that is about to be made.
struct PlannedAttempt: Sendable {
  /// The number of the attempt, from 1.
  private(set) var number: Int
  /// The number of attempts before it that failed, as far as they count.
  private(set) var failedCount: Int
  private(set) var round: StepRound
  private let roundsMax: Int?
  /// The attempt that goes on elsewhere, after the death of an engine; nil for a new one.
  private(set) var adopted: AttemptToken?

  /// Plans the first attempt of a step that this engine makes.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - adopting: The number of the attempts that an earlier engine has made before the one that goes on,
  ///     and the token of that one; nil for a new attempt.
  init(of step: Workflow.Step, adopting: (before: Int, token: AttemptToken?)) {
    (number, failedCount, adopted) = (adopting.before + 1, adopting.before, adopting.token)
    roundsMax = step.extrasIfAny?.repetition?.roundsMax
    round = StepRound(number: 1, limit: roundsMax)
  }

  var isAdopted: Bool { adopted != nil }
  /// Whether it is the first one, and new.
  var isFirst: Bool { number == 1 && !isAdopted }

  /// Forgets the attempts that have failed: the limit begins anew.
  mutating func forgetFailures() { failedCount = 0 }

  /// Goes on to the next attempt.
  ///
  /// - Parameter failures: The number of failures that count by now, after which the rounds begin anew;
  ///   nil after a round.
  mutating func advance(after failures: Int?) {
    number += 1
    adopted = nil
    if let failures {
      failedCount = failures
      round = StepRound(number: 1, limit: roundsMax)
    } else {
      round = round.next
    }
  }
}

/// What an attempt works with, computed once the step has its slots.
struct PreparedAttempt {
  let values: RunValues
  let resolved: ResolvedStep
  /// Why the settings of an attempt that goes on where it runs have no values now; nil if they have.
  let whyUnresolved: FailureReason?
  /// What the step depends on; nil if it is not cached.
  let trace: StepTrace?
  /// The earlier result of a step that is up to date.
  let earlier: EarlierResult?
  /// What executes a step that is not.
  let executor: any Executor
}

/// How a step continues after an attempt.
enum AttemptAnswer {
  case over(StepResult)
  /// The attempt failed; the next one starts after this delay. So many failures count by now.
  case retry(after: Duration, failures: Int)
  /// The service was stopped by hand to start again; the next attempt starts at once.
  case anew
  /// The round is over; the next one starts after this delay.
  case again(after: Duration)
}
