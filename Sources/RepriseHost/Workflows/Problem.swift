// What a user has to be told before a command or a request ends.

package import Reprise
package import RepriseJournal
package import RepriseTerminal

/// Why something that was asked for cannot be done, as a complete message.
package struct Problem: Error {
  /// Where the cause is.
  package enum Cause: Sendable, Equatable {
    /// The command line, the request or the file is wrong.
    case wrongUse
    /// Reprise itself cannot go on.
    case cannotGoOn
  }

  /// What is wrong, where, and how to fix it.
  package let text: TerminalSafe
  /// Where the cause is.
  package let cause: Cause
  /// The errors of a workflow file, where that is the problem.
  package private(set) var diagnostics: [Diagnostic] = []

  /// Makes a problem of a message.
  package init(_ text: TerminalSafe, cause: Cause = .wrongUse) {
    self.text = text.abridged
    self.cause = cause
  }

  /// Makes a problem of the errors of a workflow file.
  package init(_ error: WorkflowError) {
    self.init("\(error)")
    diagnostics = error.diagnostics
  }

  /// Makes a problem of another run of the group that is live.
  package init(_ busy: GroupIsBusy) {
    self.init(
      "error: run \(busy.run) of the group \"\(busy.group)\" is under way; wait for it, or end it with: "
        + "reprise cancel \(busy.run)", cause: .cannotGoOn)
  }

  /// Makes a problem of any error: problems stay as they are.
  package init(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let busy as GroupIsBusy: self.init(busy)
    default: self.init("error: \(error)", cause: .cannotGoOn)
    }
  }
}
