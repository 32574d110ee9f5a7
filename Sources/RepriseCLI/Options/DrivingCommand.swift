// What commands that drive runs have in common.

import ArgumentParser

/// A command that drives a run, and is therefore watched by a guardian.
protocol DrivingCommand: AsyncParsableCommand {
  /// Whether it will drive one, with the arguments that it was given.
  var drivesRun: Bool { get }
  /// Whether it goes on in the background.
  var isDetached: Bool { get }
}
