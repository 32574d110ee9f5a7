// A scenario as text: its workflow in YAML, and its moments as a list.

extension Scenario {
  /// The workflow as YAML.
  var yaml: String {
    var lines = ["name: simulated"]
    if let maxParallel { lines.append("max-parallel: \(maxParallel)") }
    if forest != nil { lines.append("pools: \(Forest.pools)") }
    if failsFast { lines.append("fail-fast: true") }
    if let timeout { lines.append("timeout: \(timeout)ms") }
    lines.append("steps:")
    if computed != nil {
      let (list, each) = (ComputedItems.list, ComputedItems.each)
      lines.append("  - { id: \(list), needs: [], run: work }")
      let items = "${{ fromJSON(steps.\(list).outputs.items) }}"
      lines.append("  - { id: \(each), needs: [\(list)], foreach: \"\(items)\", run: work }")
    }
    lines += forest?.yaml ?? []
    lines += steps.map { "  - \($0.yaml(needs: true))" }
    let last = finally.map { "  - \($0.yaml(needs: false))" } + (forest?.yamlOfFinally ?? [])
    if !last.isEmpty { lines += ["finally:"] + last }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The whole scenario as readable text.
  public var text: String {
    var lines = [yaml, "behaviour of the steps:"]
    for step in allSteps {
      lines.append("  \(step.id): " + step.behaviours.map(\.text).joined(separator: "; then "))
    }
    if let computed { lines.append("  computed: \(computed)") }
    lines.append("moments:")
    lines += moments.map { moment in
      "  at \(moment.time) ms"
        + (moment.items > 0 ? " and \(moment.items) items" : "") + ": \(moment.action)"
    }
    if moments.isEmpty { lines.append("  none") }
    lines.append("disk: \(disk.isUsed ? "\(disk)" : "none")")
    lines.append(
      "resumed \(resumes) times at the end; schedule \(schedule), \(policy.rawValue), lazy "
        + "\(lazyChance)")
    return lines.joined(separator: "\n")
  }
}

extension Scenario.Step {
  fileprivate func yaml(needs hasNeeds: Bool) -> String {
    var fields = ["id: \(id)"]
    if hasNeeds { fields.append("needs: [\(needs.joined(separator: ", "))]") }
    if approval { fields.append("approval: may it?") }
    if !isOnlyApproval { fields.append("run: work") }
    if items > 0, isMatrix {
      let first = (0..<items).map(String.init).joined(separator: ", ")
      fields.append("matrix: { a: [\(first)], b: [x] }")
    } else if items > 0 {
      fields.append("foreach: { from: 1, to: \(items) }")
    }
    if let groupLimit { fields.append("max-parallel: \(groupLimit)") }
    if failsFast { fields.append("fail-fast: true") }
    if let mutex { fields.append("mutex: \(mutex)") }
    if let share { fields.append("share: \(share)") }
    if continuesOnError { fields.append("continue-on-error: true") }
    if let timeout { fields.append("timeout: \(timeout)ms") }
    if let retry {
      let jitter = retry.jitter ? ", jitter: 0.5, backoff: exponential" : ""
      fields.append("retry: { limit: \(retry.limit), delay: \(retry.delay)ms\(jitter) }")
    }
    if let condition { fields.append("if: \"\(condition)\"") }
    return "{ \(fields.joined(separator: ", ")) }"
  }
}

extension Scenario.Behaviour {
  fileprivate var text: String {
    let end =
      switch ending {
      case .success: "succeeds"
      case .exit(let status): "fails with status \(status)"
      case .error: "throws"
      }
    let cancel =
      switch onCancel {
      case .stop: ""
      case .stopSlowly(let time): ", needs \(time) ms to stop"
      case .ignore: ", ignores cancel"
      }
    return "\(length) ms, \(end)\(cancel)\(lines > 0 ? ", \(lines) lines" : "")"
  }
}
