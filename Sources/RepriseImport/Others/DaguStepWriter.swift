// Writes a step of a file of dagu.

import YAML

/// Writes one step.
struct DaguStepWriter {
  let plan: DaguStep
  let plans: [DaguStep]
  private(set) var remarks: [ImportRemark] = []
  private var comments: [String] = []
  private var environment: [Draft.Item] = []

  init(plan: DaguStep, plans: [DaguStep]) {
    self.plan = plan
    self.plans = plans
  }

  /// Returns the step.
  mutating func item(needs: [String]?) -> Draft.Item {
    let node = plan.node
    var items = [Draft.Item("id", .text(plan.id))]
    if let needs { items.append(Draft.Item("needs", .texts(needs))) }
    if let text = node["description"]?.text { comments.append(text) }
    readEnvironment(node)
    let script = script(node)
    if let image = (node["container"]?["image"] ?? node["container"])?.text {
      let container = Draft.map([Draft.Item("image", .text(image))])
      items.append(Draft.Item("runner", .map([Draft.Item("container", container)])))
    }
    if !environment.isEmpty { items.append(Draft.Item("env", .map(environment))) }
    if let folder = (node["working_dir"] ?? node["dir"] ?? node["workingDir"])?.text {
      items.append(Draft.Item("dir", .text(folder)))
    }
    if let shell = (node["with"]?["shell"] ?? node["shell"])?.text {
      let words = shell.split(separator: " ").map(String.init)
      let option = words.first == "pwsh" ? "-Command" : "-c"
      if !words.isEmpty { items.append(Draft.Item("shell", .texts(words + [option]))) }
    }
    if let seconds = node["timeout_sec"] ?? node["timeoutSec"], seconds.isNumber {
      items.append(Draft.Item("timeout", .text("\(seconds.text ?? "0")s")))
    }
    if let retry = retry(node["retry_policy"] ?? node["retryPolicy"]) { items.append(retry) }
    if continuesOnError(node["continue_on"] ?? node["continueOn"]) {
      items.append(Draft.Item("continue-on-error", .word("true")))
    }
    if let output = plan.output, StepNames.identifier(output) == output {
      items.append(
        Draft.Item("outputs", .map([Draft.Item(output, .text("${{ stdout }}"))])))
    }
    remarkOthers(node)
    items.append(Draft.Item("run", .text(ScalarText.tidied(script))))
    return Draft.Item("", .map(items), comments: comments)
  }

  private mutating func missing(_ text: String) {
    remarks.append(
      ImportRemark(weight: .missing, line: plan.node.mark.line, text: "\(plan.id): \(text)"))
    comments.append("missing: \(text)")
  }

  private mutating func note(_ text: String) {
    remarks.append(
      ImportRemark(weight: .note, line: plan.node.mark.line, text: "\(plan.id): \(text)"))
  }

  private mutating func readEnvironment(_ node: Node) {
    let env = node["env"]
    for pair in (env?.pairs ?? []) + (env?.elements ?? []).flatMap(\.pairs) {
      guard let name = pair.key.text, let text = pair.value.text else { continue }
      environment.append(Draft.Item(name, .text(text)))
    }
    for text in env?.elements.compactMap(\.text) ?? [] {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      if parts.count == 2 { environment.append(Draft.Item(parts[0], .text(parts[1]))) }
    }
  }

  // MARK: Scripts

  private mutating func script(_ node: Node) -> String {
    var lines: [String] = []
    let conditions = node["preconditions"] ?? node["precondition"]
    for condition in conditions.map({ $0.isList ? $0.elements : [$0] }) ?? [] {
      if let line = precondition(condition) { lines.append(line) }
    }
    let body = node.text ?? commands(node)
    guard let body else {
      let what = node["action"]?.text ?? node["call"]?.text ?? node["type"]?.text ?? "a step"
      missing("no equivalent for \(what), replace this step")
      comments += Draft.list([Draft.Item("", node.draft)]).lines().texts.map { "  \($0)" }
      return "echo 'replace this step' >&2\nexit 1"
    }
    return bound((lines + [body]).joined(separator: "\n"))
  }

  private func commands(_ node: Node) -> String? {
    guard node["action"] == nil, node["call"] == nil, node["executor"] == nil else { return nil }
    if let type = node["type"]?.text, !["command", "shell", "sh"].contains(type) { return nil }
    let script = node["script"]?.text
    for key in ["run", "command", "cmd"] {
      guard let value = node[key] else { continue }
      guard script == nil else { return script }
      return value.isList ? value.texts.joined(separator: "\n") : value.text
    }
    return script
  }

  private mutating func precondition(_ node: Node) -> String? {
    guard let condition = node.text ?? node["condition"]?.text else { return nil }
    note("a precondition that is not met ends the step, and what needs it runs")
    var text = condition
    if text.hasPrefix("`"), text.hasSuffix("`"), text.count > 2 {
      text = "$(\(text.dropFirst().dropLast()))"
    }
    let negation = node["negate"]?.boolean == true ? "! " : ""
    guard let expected = node["expected"]?.text else { return "\(negation)\(text) || exit 0" }
    if expected.hasPrefix("re:") {
      return "\(negation)printf '%s' \"\(text)\" | grep -Eq '\(expected.dropFirst(3))' || exit 0"
    }
    return "\(negation)[ \"\(text)\" = '\(expected)' ] || exit 0"
  }

  /// Binds the values of other steps to variables.
  private mutating func bound(_ script: String) -> String {
    var script = script
    for other in plans where other.id != plan.id {
      if let output = other.output, script.contains("$\(output)") || script.contains("${\(output)}")
      {
        environment.append(
          Draft.Item(output, .text("${{ steps.\(other.id).outputs.\(output) }}")))
      }
      for name in other.names {
        let start = "${steps.\(name).outputs."
        while let range = script.firstRange(of: start),
          let end = script[range.upperBound...].firstIndex(of: "}")
        {
          let output = String(script[range.upperBound..<end])
          let variable = StepNames.identifier("\(name)_\(output)").uppercased()
          if !environment.contains(where: { $0.key == variable }) {
            environment.append(
              Draft.Item(variable, .text("${{ steps.\(other.id).outputs.\(output) }}")))
          }
          script.replaceSubrange(range.lowerBound...end, with: "${\(variable)}")
        }
      }
    }
    for root in ["params", "env", "consts", "secrets"] {
      script = script.replacing("${\(root).", with: "${")
    }
    return script.replacing("DAGU_OUTPUT_FILE", with: "REPRISE_OUTPUT")
      .replacing("DAGU_OUTPUT", with: "REPRISE_OUTPUT")
  }

  // MARK: Settings

  private func retry(_ node: Node?) -> Draft.Item? {
    guard let node, let limit = node["limit"], limit.isNumber else { return nil }
    var items = [Draft.Item("limit", limit.draft)]
    if let seconds = node["interval_sec"] ?? node["intervalSec"], seconds.isNumber {
      items.append(Draft.Item("delay", .text("\(seconds.text ?? "0")s")))
    }
    if node["backoff"] != nil { items.append(Draft.Item("backoff", .text("exponential"))) }
    if let statuses = (node["exit_code"] ?? node["exitCode"])?.elements, !statuses.isEmpty {
      items.append(Draft.Item("for", .list(statuses.map { Draft.Item("", $0.draft) })))
    }
    return Draft.Item("retry", .map(items))
  }

  private mutating func continuesOnError(_ node: Node?) -> Bool {
    guard let node else { return false }
    if let text = node.text { return ["failed", "failure"].contains(text) }
    if node["exit_code"] != nil || node["exitCode"] != nil || node["output"] != nil {
      note("continue_on: any failure, not only some")
      return true
    }
    return (node["failure"] ?? node["failed"])?.boolean == true
  }

  private mutating func remarkOthers(_ node: Node) {
    for key in ["repeat_policy", "repeatPolicy", "parallel", "foreach", "approval", "router"] {
      if node[key] != nil { missing(key) }
    }
    for key in [
      "mail_on_error", "mailOnError", "signal_on_stop", "signalOnStop", "stdout", "stderr",
    ] {
      if node[key] != nil { note("\(key) is left out") }
    }
  }
}
