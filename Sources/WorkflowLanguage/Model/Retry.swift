// When a step that has failed is tried again: the value, its arithmetic, and how it is read. Knows no
// steps and no clock.

/// How often and when a step that has failed is tried again.
public struct Retry: Sendable, Equatable {
  /// How the time between two attempts grows.
  public enum Backoff: String, Sendable, CaseIterable {
    /// It stays `delay`.
    case constant
    /// `delay`, twice, three times …
    case linear
    /// `delay`, `factor` times that, `factor` times that …
    case exponential
  }

  /// How often it is tried again after the first attempt, at least once.
  public var limit: Int
  /// The time before the second attempt.
  public var delay: Duration
  /// How the time grows.
  public var backoff: Backoff
  /// By what it grows where it grows exponentially, at least 1.
  public var factor: Double
  /// What it does not grow beyond.
  public var maxDelay: Duration?
  /// The part of the time that is random, from 0 to 1: with 0.2 a time of 10 s becomes 8 s to 10 s, so that
  /// many who failed at once do not come back at once.
  public var jitter: Double
  /// The exit statuses after which it is tried again; nil for every failure.
  public var statuses: Set<Int>?

  /// Says when a step is tried again.
  public init(
    limit: Int, delay: Duration = .seconds(1), backoff: Backoff = .constant, factor: Double = 2,
    maxDelay: Duration? = nil, jitter: Double = 0, statuses: Set<Int>? = nil
  ) {
    self.limit = limit
    self.delay = delay
    self.backoff = backoff
    self.factor = factor
    self.maxDelay = maxDelay
    self.jitter = jitter
    self.statuses = statuses
  }

  /// The time between an attempt that has failed and the next one.
  ///
  /// Never more than a century, however it grows.
  ///
  /// - Parameters:
  ///   - attempt: The attempt that has failed, from 1.
  ///   - random: A number from 0 to 1 for the jitter.
  /// - Returns: The time.
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
