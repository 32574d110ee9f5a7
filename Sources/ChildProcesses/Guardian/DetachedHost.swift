// Programs that go on when this process and its guardian have ended, by choice of the user.

package import Platform

/// A program that outlives this process: neither this process nor its guardian ends it.
///
/// Its environment says so, and so do those of the processes that it starts. It must therefore be
/// one that guards its own processes, such as `reprise host`.
package struct DetachedHost: Sendable {
  /// The variable that marks its processes.
  package static let mark = "REPRISE_HOST"

  /// The id of its process.
  package let process: Int32

  /// Starts a program in a session of its own.
  ///
  /// - Parameters:
  ///   - arguments: The path of the program, and its arguments.
  ///   - errors: A descriptor of a file that receives its standard error.
  ///   - name: A name for the mark in its environment.
  /// - Throws: The system error if it could not be started.
  package init(_ arguments: [String], errors: Int32, named name: String) throws(Errno) {
    process = try Reactor.shared.introduceDetached { () throws(Errno) in
      try DetachedProgram(arguments, errors: errors, variables: [Self.mark: name]).process
    }
  }

  /// Reaps the process if it has ended; afterwards its id may belong to another one.
  package func reapIfEnded() { Reactor.shared.reapDetached(process) }

  /// Returns whether a process belongs to a host that is none of this process.
  static func isSpared(_ process: Int32) -> Bool {
    let prefix = mark + "="
    let own = environmentVariable(mark).map { prefix + $0 }
    return ProcessTable.environment(of: process).contains { $0.hasPrefix(prefix) && $0 != own }
  }
}
