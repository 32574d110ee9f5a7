// Programs that go on when this process and its guardian have ended, by choice of the user.

package import Platform

/// A program that outlives this process: neither this process nor its guardian ends it.
///
/// Its environment says so, and so do those of the processes that it starts. It must therefore be
/// one that guards its own processes, such as `reprise host`.
package struct DetachedHost: Sendable {
  /// The variables that mark its processes.
  ///
  /// Podman gives the monitor of a container no variables of its own but those of the language,
  /// whose names begin with `LC_`.
  private static let marks = ["REPRISE_HOST", "LC_REPRISE_HOST"]

  /// Returns the variables that mark the processes of a host.
  package static func variables(named name: String) -> [String: String] {
    Dictionary(uniqueKeysWithValues: marks.map { ($0, name) })
  }

  /// Returns the same variables as entries of an environment, in a fixed order.
  package static func entries(named name: String) -> [String] { marks.map { "\($0)=\(name)" } }

  /// The time for the end of processes that were killed: one that waits for a device cannot end.
  private static let endTimeMax = Duration.seconds(2)

  /// The id of its process.
  package let process: Int32

  /// Starts a program in a session of its own.
  ///
  /// - Parameters:
  ///   - arguments: The path of the program, and its arguments.
  ///   - errors: A descriptor of a file that receives its standard error.
  ///   - name: A name for the mark in its environment.
  /// - Throws: The system error if it could not be started.
  package init(_ arguments: [String], errors: Int32, named name: String) async throws(Errno) {
    process = try await Reactor.shared.introduceDetached { () throws(Errno) in
      try DetachedProgram(
        arguments, errors: errors, variables: Self.variables(named: name)
      ).process
    }
  }

  /// Reaps the process if it has ended; afterwards its id may belong to another one.
  package func reapIfEnded() { Reactor.shared.reapDetached(process) }

  /// Returns whether a process belongs to a host that is none of this process.
  static func isSpared(_ process: Int32) -> Bool {
    isSpared(startedWith: ProcessTable.environment(of: process))
  }

  /// Kills the processes of a host that was killed together with its guardian, until none is left;
  /// blocks the thread for some milliseconds, and for 2 s at most.
  ///
  /// - Returns: Whether none is left.
  package static func killRest(named name: String) -> Bool {
    let entries = Set(entries(named: name))
    return killProcesses(startedWith: entries, ofHosts: true, within: endTimeMax) != nil
  }

  /// Returns whether a process with these environment entries belongs to such a host.
  static func isSpared(startedWith environment: some Sequence<String>) -> Bool {
    marks.contains { mark in
      let prefix = mark + "="
      let own = environmentVariable(mark).map { prefix + $0 }
      return environment.contains { $0.hasPrefix(prefix) && $0 != own }
    }
  }
}
