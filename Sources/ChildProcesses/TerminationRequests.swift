// Counts the signals that ask a program to end. Pure: no I/O.

import Platform

/// Counts the requests to end that arrive as signals.
///
/// One request may arrive as several signals: `timeout` signals its child and then its group, a
/// wrapper forwards what the terminal has already sent to the group, and a closing terminal sends
/// SIGHUP twice, once through the shell.
package struct TerminationRequests: Sendable {
  /// What a signal means.
  package enum Meaning: Sendable {
    /// It is no request to end.
    case other
    /// The first request.
    case first
    /// A part of the request before it, which must be ignored.
    case repeated
    /// The second request: nothing may be waited for.
    case second
    /// A further request.
    case later
  }

  /// The time within which several signals are one request.
  package static let mergingTime = Duration.milliseconds(200)

  /// The signal of the last request.
  private(set) var last: Int32?
  /// Whether the time after the second request has expired.
  var deadlineExpired = false
  private var count = 0
  private var lastTime: ContinuousClock.Instant?

  /// Creates a count without requests.
  package init() {}

  /// Adds a signal.
  ///
  /// SIGHUP never counts as the second request.
  ///
  /// - Parameters:
  ///   - number: The number of the signal.
  ///   - now: The time of its arrival.
  /// - Returns: What it means.
  package mutating func add(_ number: Int32, at now: ContinuousClock.Instant) -> Meaning {
    guard number != SignalNumber.user1 else { return .other }
    if let lastTime, number == SignalNumber.hangUp || now - lastTime < Self.mergingTime {
      return .repeated
    }
    (last, lastTime) = (number, now)
    count += 1
    return count == 1 ? .first : count == 2 ? .second : .later
  }
}
