// The protocol of the commands that drive runs.

import ArgumentParser
import Platform
import Reprise
import RepriseTerminal

/// A command that drives a run and therefore needs a guardian process.
protocol DrivingCommand: AsyncParsableCommand {
  /// Whether the command drives a run with the given arguments.
  var drivesRun: Bool { get }
  /// Whether the command continues in the background.
  var isDetached: Bool { get }
  /// Whether the user of the command can leave its run in the background.
  var canBeLeft: Bool { get }
}

extension DrivingCommand {
  var canBeLeft: Bool { false }
}

extension ProgressStyle {
  /// Whether the display has keys, on standard input and standard output.
  var hasKeys: Bool {
    resolved(environment: inheritedEnvironment()) == .tree && isTerminal(standardInput)
      && isTerminal(standardOutput)
  }
}
