// The `keep` setting: which ended runs are kept, and how much of a log.

/// The ended runs that are kept, and the output that is kept of an attempt.
///
/// A run is deleted if it exceeds any of the limits. Live runs, interrupted ones, which can be resumed,
/// and the newest run of each workflow are always kept. The id of a run that was deleted can be used
/// again.
public struct Retention: Sendable, Equatable {
  /// The maximum number of ended runs; unlimited if nil.
  public var runs: Int?
  /// The maximum time since the end of a run; unlimited if nil.
  public var age: Duration?
  /// The maximum number of bytes of the output of all runs; unlimited if nil.
  public var bytes: Int64?
  /// The maximum number of bytes of the output of one attempt; 64 MiB if nil.
  public var logBytes: Int64?

  /// The maximum number of bytes of the store of the project, from which files of steps are restored;
  /// 2 GiB if nil.
  public var storeBytes: Int64?

  /// The minimum of ``logBytes``.
  package static let logBytesMin: Int64 = 1 << 20

  /// Creates limits; everything is kept without any.
  ///
  /// - Parameters:
  ///   - runs: The maximum number of ended runs, at least 1.
  ///   - age: The maximum time since the end of a run.
  ///   - bytes: The maximum number of bytes of the output of all runs.
  ///   - logBytes: The maximum number of bytes of the output of one attempt, at least 1 MiB.
  public init(
    runs: Int? = nil, age: Duration? = nil, bytes: Int64? = nil, logBytes: Int64? = nil
  ) {
    self.runs = runs
    self.age = age
    self.bytes = bytes
    self.logBytes = logBytes
  }
}
