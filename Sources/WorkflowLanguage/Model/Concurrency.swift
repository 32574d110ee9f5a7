// How many runs of a group may be live at once: the value, and how it is read. Knows no runs.

/// Which runs exclude each other, and what happens when one is started while another is live.
public struct Concurrency: Sendable, Equatable {
  /// What happens to a run that is started while another of its group is live.
  public enum Policy: String, Sendable, CaseIterable {
    /// Both go on, as if there were no group.
    case parallel
    /// It waits for all that were started before it, in the order of starting.
    case queue
    /// Those that were started before it are cancelled; it begins when they are gone.
    case restart
    /// It is refused.
    case reject
  }

  /// The name of the group, within one project.
  public var group: String
  /// What happens to a run that is started while another of its group is live.
  public var policy: Policy

  /// Names a group and its policy.
  public init(group: String, policy: Policy) {
    self.group = group
    self.policy = policy
  }
}
