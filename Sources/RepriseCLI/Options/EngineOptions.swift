// The options that say how runs are carried out.

import ArgumentParser
import RepriseHost

struct EngineOptions: ParsableArguments {
  @Flag(help: "Run every step, also those that are up to date.")
  var force = false

  /// How engines are made.
  var settings: EngineSettings { EngineSettings(rerunsUpToDateSteps: force) }
}
