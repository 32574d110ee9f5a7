// The exit status of the command: the one place that knows the numbers.

import Platform
import Reprise
import RepriseHost

/// With what status the command ends, as `reprise --help` lists it.
struct ExitStatus: Error, Equatable {
  let code: Int32

  static let succeeded = ExitStatus(code: 0)
  static let stepFailed = ExitStatus(code: 1)
  static let wrongUse = ExitStatus(code: 2)
  static let timedOut = ExitStatus(code: 3)
  static let cannotGoOn = ExitStatus(code: 4)

  /// Nobody reads the output any more.
  static let outputClosed = ExitStatus(code: 141)

  /// The status of a command that a signal stopped, as shells give it.
  static func stopped(by signal: Int32) -> ExitStatus { ExitStatus(code: 128 + signal) }

  /// The status for the end of a run.
  ///
  /// - Parameters:
  ///   - outcome: How the run ended.
  ///   - signal: The signal that made it end, if one did; SIGINT's number for the key `c`.
  ///   - passesThrough: Whether a failed step's own status is given.
  /// - Returns: The status of the command.
  static func of(_ outcome: RunOutcome, signal: Int32?, passesThrough: Bool) -> ExitStatus {
    switch outcome {
    case .succeeded: return .succeeded
    case .timedOut: return .timedOut
    case .abandoned: return .cannotGoOn
    case .cancelled: return .stopped(by: signal ?? SignalNumber.interrupt)
    case .failed(_, let reason):
      guard passesThrough else { return .stepFailed }
      switch reason {
      case .exited(let status): return ExitStatus(code: Int32(truncatingIfNeeded: status))
      case .signalled(let signal): return .stopped(by: Int32(truncatingIfNeeded: signal))
      case .timedOut, .notStarted, .badOutputs, .badValue, .rejected, .threw: return .stepFailed
      }
    }
  }
}

extension Problem {
  /// The status of a command that ends because of it.
  var status: ExitStatus {
    switch cause {
    case .wrongUse: .wrongUse
    case .cannotGoOn: .cannotGoOn
    }
  }
}
