// Writes a step of a file of dagu.

import YAML

/// Writes one step.
struct DaguStepWriter {
  let plan: DaguStep
  let plans: [DaguStep]
  private let defaults: SourceNode?
  /// The ids of the workflows of other documents, by their names.
  private let workflows: [String: String]
  private(set) var remarks: [ImportRemark] = []
  private var comments: [String] = []
  private var values: DaguValues
  /// The variables of the step alone.
  private var own: Set<String> = []
  /// What has no equivalent, so that the step fails.
  private var problem: (line: Int, text: String)?

  private var node: SourceNode { plan.node }

  init(
    plan: DaguStep, plans: [DaguStep], values: DaguValues, defaults: SourceNode?,
    workflows: [String: String]
  ) {
    self.plan = plan
    self.plans = plans
    self.values = values
    self.defaults = defaults
    self.workflows = workflows
  }

  /// Returns the step.
  mutating func item(needs: [String]?) -> Draft.Item {
    if let text = node["description"]?.text { comments.append(text) }
    var items: [Draft.Item] = []
    readEnvironment()
    let call = call()
    let script = call == nil ? script() : nil
    items += place()
    if call == nil, !own.isEmpty {
      items.append(Draft.Item("env", .map(values.environment.filter { own.contains($0.key) })))
    }
    if let retry = retry(setting("retry_policy", "retryPolicy")) { items.append(retry) }
    if let rounds = rounds() { items.append(rounds) }
    if continuesOnError(setting("continue_on", "continueOn")) {
      items.append(Draft.Item("continue-on-error", .word("true")))
    }
    if let approval = approval() { items.append(approval) }
    if let output = plan.output {
      if StepNames.identifier(output) == output, node["output"]?.isMap != true {
        items.append(
          Draft.Item("outputs", .map([Draft.Item(output, .text("${{ stdout }}"))])))
      } else {
        missing(node["output"], "output of this kind")
      }
    }
    remarkOthers()
    var start = [Draft.Item("id", .text(plan.id))]
    if let needs { start.append(Draft.Item("needs", .texts(needs))) }
    guard problem == nil else { return failed(start) }
    let conditions = DaguConditions(node["preconditions"] ?? node["precondition"], values)
    if let condition = conditions.script {
      start.append(Draft.Item("if", .map([Draft.Item("run", .text(condition))])))
      let isOver = (node["continue_on"] ?? node["continueOn"])?["skipped"]?.boolean == true
      if !isOver { start.append(Draft.Item("if-skipped", .text("skip"))) }
    }
    return Draft.Item(
      "", .map(start + items + (call ?? [Draft.Item("run", .text(script ?? "true"))])),
      comments: comments)
  }

  private mutating func failed(_ start: [Draft.Item]) -> Draft.Item {
    comments += Draft.list([Draft.Item("", node.draft)]).lines().texts.map { "  \($0)" }
    let command = Draft.failing(problem?.text ?? "", line: problem?.line ?? 0)
    return Draft.Item(
      "", .map(start + [Draft.Item("run", .text(command))]), comments: comments)
  }

  private func setting(_ key: String, _ old: String) -> SourceNode? {
    node[key] ?? node[old] ?? defaults?[key] ?? defaults?[old]
  }

  private mutating func missing(_ at: SourceNode?, _ text: String) {
    let line = at?.mark.line ?? plan.node.mark.line
    remarks.append(ImportRemark(weight: .missing, line: line, text: "\(plan.id): \(text)"))
    comments.append("missing: \(text)")
    if problem == nil { problem = (line, text) }
  }

  private mutating func note(_ text: String) {
    remarks.append(
      ImportRemark(weight: .note, line: plan.node.mark.line, text: "\(plan.id): \(text)"))
    comments.append("note: \(text)")
  }

  private mutating func readEnvironment() {
    let before = values.items.map(\.name)
    do throws(Untranslatable) {
      try values.add(defaults?["env"])
      let known = values
      try values.add(node["env"])
      own = Set(values.items.map(\.name)).subtracting(before)
      for item in known.items
      where values.items.contains(where: { $0.name == item.name && $0.value != item.value }) {
        own.insert(item.name)
      }
    } catch {
      missing(node["env"] ?? defaults?["env"], error.reason)
    }
  }

  private mutating func bind(_ name: String, _ value: String) {
    values.set(name, value)
    own.insert(name)
  }

  /// Where and how the step runs.
  private mutating func place() -> [Draft.Item] {
    var items: [Draft.Item] = []
    if let container = node["container"] {
      if let image = container.text ?? container["image"]?.text {
        let value = Draft.map([Draft.Item("image", .text(image))])
        items.append(Draft.Item("runner", .map([Draft.Item("container", value)])))
      } else {
        missing(container, "a container of this kind")
      }
    }
    if let folder = (node["working_dir"] ?? node["dir"] ?? node["workingDir"])?.text {
      items.append(Draft.Item("dir", .text(values.expression(folder))))
    }
    if let shell = (node["with"]?["shell"] ?? node["shell"])?.text {
      let words = shell.split(separator: " ").map(String.init)
      let option = words.first == "pwsh" ? "-Command" : "-c"
      if !words.isEmpty, words.last != "-c" {
        items.append(Draft.Item("shell", .texts(words + [option])))
      }
      if words.last == "-c" { items.append(Draft.Item("shell", .texts(words))) }
    }
    if let seconds = setting("timeout_sec", "timeoutSec"), seconds.isNumber {
      items.append(Draft.Item("timeout", .text("\(seconds.text ?? "0")s")))
    }
    return items
  }

  // MARK: Scripts

  /// Returns the keys of a step that runs another document; nil if it does not.
  private mutating func call() -> [Draft.Item]? {
    guard
      let name = node["call"]?.text
        ?? (node["action"]?.text == "dag.run" ? node["with"]?["dag"]?.text : nil)
    else { return nil }
    guard let id = workflows[name] else {
      missing(node["call"], "the workflow \(name) of another file")
      return []
    }
    var with: [Draft.Item] = []
    let given = node["params"] ?? node["with"]?["params"]
    for pair in given?.pairs ?? [] {
      with.append(
        Draft.Item(pair.key.text ?? "", .text(values.expression(pair.value.text ?? ""))))
    }
    for word in (given?.text ?? "").split(separator: " ") {
      guard case (let name, let value?) = word.assignment else {
        missing(given, "params without names")
        break
      }
      with.append(Draft.Item(name, .text(values.expression(value.trimmingQuotes))))
    }
    return [Draft.Item("uses", .text("#\(id)"))]
      + (with.isEmpty ? [] : [Draft.Item("with", .map(with))])
  }

  private mutating func script() -> String? {
    guard let body = plan.node.text ?? commands() else {
      let what = node["action"]?.text ?? node["type"]?.text ?? "a step"
      missing(node, "no equivalent for \(what), replace this step")
      return nil
    }
    let text = bound(body)
    var rest = text[...]
    while let start = rest.firstRange(of: "${") {
      rest = rest[start.upperBound...]
      let name = rest.prefix { $0 != "}" && !$0.isWhitespace }
      // In a shell, no name has a point.
      if name.prefix(while: { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }).contains(".")
      {
        missing(node, "${\(name)}")
      }
    }
    return ScalarText.tidied(text)
  }

  private func commands() -> String? {
    guard node["action"] == nil, node["executor"] == nil else { return nil }
    if let type = node["type"]?.text, !["command", "shell", "sh"].contains(type) { return nil }
    let script = node["script"]?.text
    for key in ["run", "command", "cmd"] {
      guard let value = node[key] else { continue }
      guard let script else {
        return value.isList ? value.texts.joined(separator: "\n") : value.text
      }
      // The command is the interpreter of the script.
      guard let program = value.text, !["sh", "/bin/sh"].contains(program) else { return script }
      return "#!/usr/bin/env -S \(program)\n\(script)"
    }
    return script
  }

  /// Binds the values of other steps to variables.
  private mutating func bound(_ script: String) -> String {
    var script = script
    for other in plans where other.id != plan.id {
      if let output = other.output, script.contains("$\(output)") || script.contains("${\(output)}")
      {
        bind(output, "${{ steps.\(other.id).outputs.\(output) }}")
      }
      for name in other.names {
        let start = "${steps.\(name).outputs."
        while let range = script.firstRange(of: start),
          let end = script[range.upperBound...].firstIndex(of: "}")
        {
          let output = String(script[range.upperBound..<end])
          let variable = StepNames.identifier("\(name)_\(output)").uppercased()
          bind(variable, "${{ steps.\(other.id).outputs.\(output) }}")
          script.replaceSubrange(range.lowerBound...end, with: "${\(variable)}")
        }
      }
    }
    for root in ["params", "env", "consts", "secrets"] {
      script = script.replacing("${\(root).", with: "${")
    }
    for number in 1...9 where values.items.contains(where: { $0.name == "p\(number)" }) {
      script = script.replacing("${\(number)}", with: "${p\(number)}")
        .replacing("$\(number)", with: "${p\(number)}")
    }
    return script.replacing("DAGU_OUTPUT_FILE", with: "REPRISE_OUTPUT")
      .replacing("DAGU_OUTPUT", with: "REPRISE_OUTPUT")
  }

  // MARK: Settings

  private func retry(_ node: SourceNode?) -> Draft.Item? {
    guard let node, let limit = node["limit"], limit.isNumber else { return nil }
    var items = [Draft.Item("limit", limit.draft)]
    if let seconds = node["interval_sec"] ?? node["intervalSec"], seconds.isNumber {
      items.append(Draft.Item("delay", .text("\(seconds.text ?? "0")s")))
    }
    if let backoff = node["backoff"], backoff.boolean != false {
      items.append(Draft.Item("backoff", .text("exponential")))
      if backoff.isNumber { items.append(Draft.Item("factor", backoff.draft)) }
    }
    if let seconds = node["max_interval_sec"] ?? node["maxIntervalSec"], seconds.isNumber {
      items.append(Draft.Item("max-delay", .text("\(seconds.text ?? "0")s")))
    }
    if let statuses = (node["exit_code"] ?? node["exitCode"])?.elements, !statuses.isEmpty {
      items.append(Draft.Item("for", .list(statuses.map { Draft.Item("", $0.draft) })))
    }
    return Draft.Item("retry", .map(items))
  }

  private mutating func continuesOnError(_ node: SourceNode?) -> Bool {
    guard let node else { return false }
    if let text = node.text { return ["failed", "failure"].contains(text) }
    for key in ["exit_code", "exitCode", "output", "mark_success", "markSuccess"] {
      if let part = node[key] { missing(part, "continue_on.\(key)") }
    }
    _ = node["skipped"]?.boolean
    return (node["failure"] ?? node["failed"])?.boolean == true
  }

  /// Returns the rounds of a step; a limit is a failure here, and a success there.
  private mutating func rounds() -> Draft.Item? {
    guard let policy = node["repeat_policy"] ?? node["repeatPolicy"] else { return nil }
    let kind = policy["repeat"]?.text ?? (policy["condition"] != nil ? "until" : "while")
    let statuses = (policy["exit_code"] ?? policy["exitCode"])?.texts ?? []
    var condition: String?
    if !statuses.isEmpty, policy["condition"] == nil {
      condition = statuses.map { "status == \($0)" }.joined(separator: " || ")
    } else if let expected = policy["expected"]?.text, let output = plan.output,
      ["$\(output)", "${\(output)}"].contains(policy["condition"]?.text), !expected.hasPrefix("re:")
    {
      condition = "stdout == '\(expected.replacing("'", with: "''"))'"
    }
    guard let condition, kind == "until" || kind == "while", policy["limit"] == nil else {
      missing(policy, "a repeat_policy with a command or a limit")
      return nil
    }
    var items = [Draft.Item(kind, .text(condition))]
    if let seconds = policy["interval_sec"] ?? policy["intervalSec"], seconds.isNumber {
      items.append(Draft.Item("delay", .text("\(seconds.text ?? "0")s")))
    }
    return Draft.Item("repeat", .map(items))
  }

  /// Returns the approval after the work of a step.
  private mutating func approval() -> Draft.Item? {
    guard let node = node["approval"] else { return nil }
    let message = node.text ?? node["prompt"]?.text ?? "Is \(plan.id) right?"
    var items = [
      Draft.Item("message", .text(values.expression(message))),
      Draft.Item("after", .word("true")),
    ]
    let required = node["required"]?.texts ?? []
    let inputs = node["input"]?.texts ?? []
    if !inputs.isEmpty {
      items.append(
        Draft.Item(
          "values",
          .map(
            inputs.map { name in
              let value =
                required.contains(name)
                ? Draft.Item("type", .text("string")) : Draft.Item("default", .text(""))
              return Draft.Item(name, .map([value]))
            })))
    }
    return Draft.Item("approval", .map(items))
  }

  private mutating func remarkOthers() {
    for key in ["mail_on_error", "mailOnError", "log", "stdout", "stderr"] {
      guard let part = node[key] else { continue }
      if key == "stdout" || key == "stderr" {
        missing(part, key)
      } else {
        note("\(key) is left out")
      }
      part.accept()
    }
    for key in ["id", "name", "depends", "description", "output"] { _ = node[key]?.texts }
    _ = DaguConditions(node["preconditions"] ?? node["precondition"], values)
    for part in node.unread() { missing(part.node, "\(part.path) has no equivalent") }
  }
}
