// A command to start, its output and its exit status: plain values.

import Platform

/// A program with its arguments, environment and directory.
package struct Command: Sendable, Equatable {
  /// A name that is looked up in the `PATH` of `environment`, or a path, relative to `directory`.
  package var executable: String
  /// The arguments, without the name of the program.
  package var arguments: [String]
  /// All environment variables; none are inherited.
  package var environment: Environment
  /// The working directory; nil for that of this process.
  package var directory: String?
  /// The names of environment variables whose values together identify the process tree of this
  /// command, so that detached processes can be found.
  package var tag: [String]
  /// The environment variable for the path of a named pipe, to which the process may write lines in
  /// addition to its output; nil for no pipe.
  package var reportVariable: String?
  /// Whether other users who can see the folder for temporary files may write to that pipe.
  package var reportsFromAllUsers = false
  /// Whether standard error goes to the pipe of standard output, so that output has one order.
  package var mergesStreams = false
  /// Whether it stops what it has started itself, so that only its process group is asked to end.
  package var stopsOthers = false
  /// The size of the pseudo-terminal that its output goes to, instead of pipes; nil for pipes.
  ///
  /// It has no input, and it is not the controlling terminal of the process.
  package var terminal: TerminalSize?
  /// What watches the files that the process tree uses; nil for nothing.
  package var trace: FileTrace?

  /// Creates a command.
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

  /// Creates a command.
  package init(
    executable: String, arguments: [String] = [], environment: [String: String],
    directory: String? = nil, tag: [String] = [], reportVariable: String? = nil
  ) {
    self.init(
      executable: executable, arguments: arguments, environment: Environment(environment),
      directory: directory, tag: tag, reportVariable: reportVariable)
  }
}

extension Command {
  /// Returns the environment of the process: with `PWD` if it has a directory of its own, and with the
  /// path of its channel.
  ///
  /// Shells set `PWD`, but a program that is started without a shell has it from here; make, for
  /// example, takes it for its working directory.
  func environment(reportingTo channel: ReportChannel?) -> Environment {
    var environment = environment
    if let directory {
      environment["PWD"] = writtenFolder(directory, from: environment["PWD"])
    }
    if let reportVariable, let channel { environment[reportVariable] = channel.path }
    return environment
  }
}

/// The size of a terminal in characters.
package struct TerminalSize: Sendable, Equatable {
  package var columns: UInt16
  package var rows: UInt16

  /// Creates a size; by default the usual one of 80 by 24.
  package init(columns: UInt16 = 80, rows: UInt16 = 24) {
    (self.columns, self.rows) = (columns, rows)
  }
}

/// A piece of output.
package struct OutputLines: Sendable, Equatable {
  /// A stream that a process writes to.
  package enum Stream: Sendable {
    case standardOutput, standardError
    /// The named pipe of ``Command/reportVariable``.
    ///
    /// Only complete lines of at most 4 KiB are delivered; others are dropped.
    case report
    /// Not a stream: the command line of a process that its first process has left behind, and that
    /// is being ended.
    case leftBehind
  }

  /// The stream that it was written to.
  package var stream: Stream
  /// One or more whole lines, joined by line feeds, without one at the end.
  package var text: String
  /// Whether the text is the current state of an unfinished line, which the next piece replaces.
  package var isPartial: Bool
}

/// The exit status of a process.
package enum ChildExit: Sendable, Equatable {
  case exited(code: Int32)
  case signalled(signal: Int32)
}
