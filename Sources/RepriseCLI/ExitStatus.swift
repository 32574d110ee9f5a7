// The exit status of the command: the one place that knows the numbers.

import Reprise
import RepriseTerminal

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
    case .cancelled: return .stopped(by: signal ?? interruptSignal)
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

/// Something that the user has to be told before the command ends.
struct Problem: Error {
  /// A complete message: what, where, and how to mend it.
  let text: TerminalSafe
  let status: ExitStatus
  /// The mistakes of a workflow file, where that is the problem.
  var diagnostics: [Diagnostic] = []

  init(_ text: TerminalSafe, status: ExitStatus = .wrongUse) {
    self.text = text.abridged
    self.status = status
  }

  /// The mistakes of a workflow file.
  init(_ error: WorkflowError) {
    self.init("\(error)")
    diagnostics = error.diagnostics
  }
}
