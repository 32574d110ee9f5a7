// How many runs of a group may be live at once: the value, and how it is read. Knows no runs.

import YAML

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

extension Reader {
  /// Reads `concurrency`.
  mutating func concurrency(_ node: Node) -> Concurrency? {
    guard let values = fields(of: node, .concurrency) else { return nil }
    let policies = Concurrency.Policy.allCases.map(\.rawValue)
    guard let groupNode = values["group"], let policyNode = values["policy"] else {
      guard values.lacks("group") || values.lacks("policy") else { return nil }
      report(.missing(.groupAndPolicy), at: node)
      return nil
    }
    let group = nonEmptyText(groupNode, "group")
    guard
      let policy = choice(policyNode, "policy", of: policies).flatMap(
        Concurrency.Policy.init(rawValue:))
    else { return nil }
    return group.map { Concurrency(group: $0, policy: policy) }
  }
}
