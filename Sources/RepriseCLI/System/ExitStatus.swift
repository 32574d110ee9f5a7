// The exit statuses of the command. Their numbers are here and in `RunOutcome.exitStatus` only.

import Platform
import Reprise
import RepriseHost
import RepriseJournal

/// The exit status of the command, as listed by `reprise --help`.
struct ExitStatus: Error, Equatable {
  let code: Int32

  static let succeeded = ExitStatus(code: 0)
  static let stepFailed = ExitStatus(code: 1)
  static let invalidUsage = ExitStatus(code: 2)
  static let timedOut = ExitStatus(code: 3)
  static let internalFailure = ExitStatus(code: 4)

  /// The output pipe was closed.
  static let outputClosed = ExitStatus(code: 141)

  /// Returns the status of a command that a signal stopped, in the convention of shells.
  static func stopped(by signal: Int32) -> ExitStatus { ExitStatus(code: 128 + signal) }

  /// Returns the exit status for the status of a run that has ended; 4 if its engine has died.
  static func of(_ status: RunStatus) -> ExitStatus {
    switch status {
    case .succeeded, .skipped: .succeeded
    case .failed: .stepFailed
    case .timedOut: .timedOut
    case .cancelled: .stopped(by: SignalNumber.interrupt)
    case .queued, .running, .abandoned, .interrupted: .internalFailure
    }
  }

  /// Returns the exit status for the outcome of a run.
  ///
  /// - Parameters:
  ///   - outcome: The outcome of the run.
  ///   - signal: The signal that cancelled the run, if any; SIGINT for the `c` key.
  ///   - passesThrough: Whether to return the exit status of the failed step.
  /// - Returns: The exit status of the command.
  static func of(_ outcome: RunOutcome, signal: Int32?, passesThrough: Bool) -> ExitStatus {
    switch outcome {
    case .cancelled: return .stopped(by: signal ?? SignalNumber.interrupt)
    case .failed(_, let reason) where passesThrough:
      return reason.exitStatus.map { ExitStatus(code: Int32(truncatingIfNeeded: $0)) }
        ?? .stepFailed
    case .succeeded, .skipped, .failed, .interrupted, .timedOut, .abandoned:
      return ExitStatus(code: outcome.exitStatus)
    }
  }
}

extension ExitStatus {
  /// Returns the exit status of a command that has waited for the end of a run.
  static func ofEnd(_ state: RunState) -> ExitStatus {
    guard case .ended(let outcome) = state.phase else { return .internalFailure }
    return .of(outcome, signal: nil, passesThrough: false)
  }
}

extension Problem {
  /// The exit status of a command that ends with this problem.
  var status: ExitStatus {
    switch cause {
    case .invalidUsage: .invalidUsage
    case .internalFailure: .internalFailure
    }
  }
}
