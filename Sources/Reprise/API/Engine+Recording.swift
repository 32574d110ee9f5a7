// Engines that record their runs, for hosts and the journal.

extension Engine {
  /// Returns this engine with another recorder.
  ///
  /// Shares work and the ids in use with this engine, as every copy does.
  package func recording(by recorder: (any Recorder)?) -> Engine {
    var engine = self
    engine.recorder = recorder
    return engine
  }
}
