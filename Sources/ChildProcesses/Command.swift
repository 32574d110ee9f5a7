// What to start, and what comes back: plain values.

/// A program with all that it is started with.
package struct Command: Sendable, Equatable {
  /// A name that is looked up in the `PATH` of `environment`, or a path; a relative one is relative
  /// to `directory`.
  package var executable: String
  /// The arguments, without the name of the program.
  package var arguments: [String]
  /// All environment variables; nothing is inherited.
  package var environment: Environment
  /// Where it runs; the directory of this process when nil.
  package var directory: String?
  /// The names of environment variables whose values together identify the tree of this command, so
  /// that what has cut all ties to it can still be found.
  package var tag: [String]
  /// The name of an environment variable in which the process finds the path of a named pipe, to
  /// which it may write lines beside its output; when nil, there is no such pipe.
  package var reportVariable: String?

  /// Describes what to start.
  package init(
    executable: String, arguments: [String] = [], environment: Environment,
    directory: String? = nil, tag: [String] = [], reportVariable: String? = nil
  ) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
    self.tag = tag
    self.reportVariable = reportVariable
  }

  /// Describes what to start.
  package init(
    executable: String, arguments: [String] = [], environment: [String: String],
    directory: String? = nil, tag: [String] = [], reportVariable: String? = nil
  ) {
    self.init(
      executable: executable, arguments: arguments, environment: Environment(environment),
      directory: directory, tag: tag, reportVariable: reportVariable)
  }
}

/// A piece of output.
package struct OutputLines: Sendable, Equatable {
  /// One of the streams that a process writes to.
  package enum Stream: Sendable {
    case standardOutput, standardError
    /// The named pipe of ``Command/reportVariable``. Its lines come whole or, when they are longer
    /// than 4 KiB or never end, not at all.
    case report
  }

  /// Where it was written.
  package var stream: Stream
  /// One or more whole lines, joined by line feeds, without one at the end.
  package var text: String
  /// Whether this is the present state of a line that has not ended; what comes next replaces it.
  package var isPartial: Bool
}

/// How a process ended.
package enum ChildExit: Sendable, Equatable {
  case exited(code: Int32)
  case signalled(signal: Int32)
}
