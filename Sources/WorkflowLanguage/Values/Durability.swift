// What the record of a run survives.

/// What the record of a run survives, from one event to the next.
///
/// The end of a run is on the disk before it is reported, at either level.
public enum Durability: String, Sendable, CaseIterable {
  /// The loss of power: the success of a step is on the disk before a step that needs it starts.
  case power
  /// The death of the engine, by SIGKILL too: the success of a step is with the kernel before a step that
  /// needs it starts, and on the disk a fifth of a second later. When the machine itself goes down, the
  /// steps that succeeded in that time may run again.
  case process
}
