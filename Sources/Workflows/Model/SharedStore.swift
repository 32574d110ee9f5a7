// The `store` of a workflow: where results of steps are shared with other machines.

/// A place where results of steps are shared with other machines.
public struct SharedStoreRule: Sendable, Equatable {
  /// The folder, such as one on a network drive; relative to the project.
  public var folder: String?
  /// The script that writes the file `$NAME` of the place to `$FILE`, and fails if there is none.
  public var get: String?
  /// The script that writes `$FILE` to the file `$NAME` of the place.
  public var put: String?
  /// The environment variable with the key of signatures; without it, results are not signed.
  public var key: String?
  /// Whether nothing is written there.
  public var isReadOnly = false
  /// The maximum duration of one access.
  public var timeout: Duration = .seconds(10)

  /// Creates a rule without a place.
  public init() {}
}
