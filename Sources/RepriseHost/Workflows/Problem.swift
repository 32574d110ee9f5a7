// The error that ends a command or a request.

package import Reprise
package import RepriseJournal
package import RepriseTerminal

/// An error that ends a command or a request, with a complete message.
package struct Problem: Error {
  /// The kind of cause, which determines the exit status.
  package enum Cause: Sendable, Equatable {
    /// The command line, the request or the workflow file is invalid.
    case invalidUsage
    /// Reprise itself cannot continue.
    case internalFailure
  }

  /// The message: what is wrong, where, and how to fix it.
  package let text: TerminalSafe
  /// The kind of cause.
  package let cause: Cause
  /// The errors of a workflow file, if they are the cause.
  package private(set) var diagnostics: [Diagnostic] = []

  /// Creates a problem with a message.
  package init(_ text: TerminalSafe, cause: Cause = .invalidUsage) {
    self.text = text.abridged
    self.cause = cause
  }

  /// Creates a problem from the errors of a workflow file.
  package init(_ error: WorkflowError) {
    self.init("\(error)")
    diagnostics = error.diagnostics
  }

  /// Creates a problem for a group with another live run.
  package init(_ busy: GroupIsBusy) {
    self.init(
      "error: \(busy.description); wait for it, or cancel it with: reprise cancel \(busy.run)",
      cause: .internalFailure)
  }

  /// Creates a problem from any error; a problem stays unchanged.
  package init(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let busy as GroupIsBusy: self.init(busy)
    default: self.init("error: \(error)", cause: .internalFailure)
    }
  }
}
