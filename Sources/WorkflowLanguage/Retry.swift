// When a step that has failed is tried again: the value, its arithmetic, and how it is read. Knows no
// steps and no clock.

import YAML

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

extension Reader {
  /// Reads `retry`: a number, or a map.
  mutating func retry(_ node: Node) -> Retry? {
    if case .scalar = node.content {
      return number(node, "retry", from: 1).map { Retry(limit: $0) }
    }
    guard let fields = self.fields(of: node, .retry) else { return nil }
    if fields.lacks("limit") {
      report(.missing(.limit), at: node)
    }
    // The other keys are read even where the limit is wrong: all errors are reported at once.
    var retry = Retry(limit: fields["limit"].flatMap { number($0, "limit", from: 1) } ?? 1)
    if let node = fields["delay"] {
      retry.delay = durationText(node, "delay", allowsZero: true) ?? retry.delay
    }
    if let node = fields["backoff"] { retry.backoff = backoff(node) ?? retry.backoff }
    if let node = fields["factor"] {
      retry.factor = decimal(node, "factor", 1...1000) ?? retry.factor
      if retry.backoff != .exponential, fields["backoff"] == nil || retry.backoff != .constant {
        report(.misplaced(.factor), at: node)
      }
    }
    if let node = fields["max-delay"] {
      retry.maxDelay = durationText(node, "max-delay", allowsZero: false)
    }
    if let node = fields["jitter"] {
      retry.jitter = decimal(node, "jitter", 0...1) ?? retry.jitter
    }
    if let node = fields["on"] { retry.statuses = statuses(node) }
    return retry
  }

  private mutating func durationText(
    _ node: Node, _ what: String, allowsZero: Bool
  ) -> Duration? {
    guard let text = text(node, what) else { return nil }
    return duration(text, node, what, allowsZero: allowsZero)
  }

  private mutating func backoff(_ node: Node) -> Retry.Backoff? {
    choice(node, "backoff", of: Retry.Backoff.allCases.map(\.rawValue))
      .flatMap(Retry.Backoff.init(rawValue:))
  }

  private mutating func statuses(_ node: Node) -> Set<Int>? {
    let found: [Node]?
    if case .scalar = node.content {
      found = [node]
    } else {
      found = list(node, of: "an exit status or a list of them is")
    }
    guard let nodes = found else { return nil }
    var statuses: Set<Int> = []
    for node in nodes {
      guard let status = number(node, "an exit status", from: 1) else { continue }
      if status > 255 {
        report(.aboveMaximum("an exit status", 255), at: node)
      }
      statuses.insert(status)
    }
    if nodes.isEmpty { report(.emptyList(of: "exit status", .unsearched), at: node) }
    return statuses
  }
}
