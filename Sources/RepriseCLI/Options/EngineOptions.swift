// The options that configure the engine.

import ArgumentParser
import RepriseHost

struct EngineOptions: ParsableArguments {
  @Flag(help: "Run every step, even if it is up to date.")
  var force = false

  /// The settings of the engine.
  var settings: EngineSettings { EngineSettings(rerunsUpToDateSteps: force) }
}
