// `LossCause`: what has ended an attempt from outside, as far as retries care.

/// What has ended an attempt that did not end by itself, as the scheduler or system that ran it says.
public enum LossCause: String, Sendable, Codable, CaseIterable {
  /// The time that the job was given was over.
  case timeLimit = "time-limit"
  /// It needed more memory than it was given.
  case outOfMemory = "out-of-memory"
  /// The machine that it ran on has failed.
  case node
  /// The disk was full, or a quota reached.
  case disk
  /// It made room for another job.
  case preempted
  /// Another limit of the scheduler was reached, or one that it does not name.
  case limit
}
