// The `on-end` setting: a command that runs after the end of a run.

/// A command that runs after each end of a run, such as one that notifies people.
package enum EndCommand: Sendable, Equatable {
  /// A script, which the shell of the workflow runs.
  case script(String)
  /// A program with its arguments, run without a shell.
  case program([String])
}
