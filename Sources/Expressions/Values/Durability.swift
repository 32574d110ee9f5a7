// The durability levels of a run's record.

/// The kind of crash that the record of a run survives while the run is live.
///
/// At either level, the end of a run is on disk before it is reported.
public enum Durability: String, Sendable, CaseIterable {
  /// Survives power loss: the success of a step is on disk before a dependent step starts.
  case power
  /// Survives a crash of the engine, including SIGKILL: the success of a step is in the kernel's
  /// page cache before a dependent step starts, and on disk 0.2 s later.
  ///
  /// After a crash of the machine, steps that succeeded in that time may run again.
  case process
}
