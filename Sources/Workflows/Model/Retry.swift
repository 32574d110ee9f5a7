// The `retry` rule of a step and the computation of its delays.

/// A rule for retrying a failed step.
public struct Retry: Sendable, Equatable {
  /// The growth of the delay between attempts.
  public enum Backoff: String, Sendable, CaseIterable {
    /// The delay is always `delay`.
    case constant
    /// The delay grows by `delay` after each attempt.
    case linear
    /// The delay is multiplied by `factor` after each attempt.
    case exponential
  }

  /// The maximum number of retries after the first attempt, at least 1.
  public var limit: Int
  /// The delay before the second attempt.
  public var delay: Duration
  /// The growth of the delay.
  public var backoff: Backoff
  /// The multiplier for exponential growth, at least 1.
  public var factor: Double
  /// The upper limit of the delay.
  public var maxDelay: Duration?
  /// The random part of the delay, from 0 to 1.
  ///
  /// With 0.2, a delay of 10 s becomes 8 s to 10 s. Spreads the retries of steps that failed at the
  /// same time.
  public var jitter: Double
  /// The failures that cause a retry; nil for every failure.
  public var failures: Set<Failure>?

  /// A failure that causes a retry.
  public enum Failure: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// This exit status; 128 and the number of the signal that has ended the process.
    case status(Int)
    /// The attempt was ended from outside; ``LossCause/timeLimit`` includes the `timeout` of the step.
    case lost(LossCause)

    /// Creates the failure with an exit status.
    public init(integerLiteral status: Int) { self = .status(status) }
  }

  /// Creates a rule.
  public init(
    limit: Int, delay: Duration = .seconds(1), backoff: Backoff = .constant, factor: Double = 2,
    maxDelay: Duration? = nil, jitter: Double = 0, failures: Set<Failure>? = nil
  ) {
    self.limit = limit
    self.delay = delay
    self.backoff = backoff
    self.factor = factor
    self.maxDelay = maxDelay
    self.jitter = jitter
    self.failures = failures
  }

  /// Returns the delay after a failed attempt, at most 100 years.
  ///
  /// - Parameters:
  ///   - attempt: The failed attempt, from 1.
  ///   - random: A random number from 0 to 1 for the jitter.
  /// - Returns: The delay.
  public func delay(after attempt: Int, random: Double) -> Duration {
    let base = delay / .seconds(1)
    let grown: Double =
      switch backoff {
      case .constant: base
      case .linear: base * Double(attempt)
      case .exponential: Self.product(base, factor, times: attempt - 1)
      }
    let limit = min(maxDelay.map { $0 / .seconds(1) } ?? Self.secondsMax, Self.secondsMax)
    let seconds = min(grown, limit) * (1 - jitter * random)
    return .milliseconds(Int64(seconds * 1000))
  }

  private static let secondsMax = 100 * 365 * 86_400.0

  private static func product(_ base: Double, _ factor: Double, times: Int) -> Double {
    var result = base
    for _ in 0..<times where result < secondsMax { result *= factor }
    return result
  }
}
