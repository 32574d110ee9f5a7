// The `concurrency` setting of a workflow.

/// A group of runs that exclude each other, and the policy for a new run while another is live.
public struct Concurrency: Sendable, Equatable {
  /// The policy for a run that starts while another run of its group is live.
  public enum Policy: String, Sendable, CaseIterable {
    /// Both runs continue, as if there were no group.
    case parallel
    /// The new run waits for all runs that were started earlier; runs start in that order.
    case queue
    /// Earlier runs are cancelled; the new run starts when they have ended.
    case restart
    /// The new run is rejected.
    case reject
  }

  /// The name of the group, within one project.
  public var group: String
  /// The policy for a run that starts while another run of the group is live.
  public var policy: Policy
  /// With ``Policy/queue``: the maximum number of runs of the group that are in progress.
  public var limit = 1

  /// Creates a group with its policy.
  package init(named group: String, policy: Policy, limit: Int = 1) {
    self.group = group
    self.policy = policy
    self.limit = limit
  }
}
