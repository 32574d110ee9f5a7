// The protocol of the commands that drive runs.

import ArgumentParser

/// A command that drives a run and therefore needs a guardian process.
protocol DrivingCommand: AsyncParsableCommand {
  /// Whether the command drives a run with the given arguments.
  var drivesRun: Bool { get }
  /// Whether the command continues in the background.
  var isDetached: Bool { get }
}
