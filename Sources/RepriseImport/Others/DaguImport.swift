// Imports a file of dagu: its steps keep their order or their dependencies.

import Schedules
import YAML

/// Imports files of dagu.
struct DaguImport {
  private let root: Node
  private var remarks: [ImportRemark] = []
  private var environment: [Draft.Item] = []
  private var parameters: [Draft.Item] = []
  private var secrets: [Draft.Item] = []
  private var plans: [DaguStep] = []
  private var names = StepNames()

  init(_ root: Node) { self.root = root }

  /// Translates the file.
  mutating func draft() throws(ImportError) -> ImportDraft {
    guard let steps = root["steps"] else { throw ImportError("a file of dagu has \"steps\"") }
    plan(steps)
    guard !plans.isEmpty else { throw ImportError("it has no steps") }
    let isGraph =
      root["type"]?.text == "graph" || plans.contains { $0.node["depends"] != nil }
    readEnvironment()
    readParameters()
    let written = plans.map { step($0, needs: isGraph ? needs(of: $0) : nil) }
    var items: [Draft.Item] = []
    for key in ["name", "description"] {
      if let text = root[key]?.text { items.append(Draft.Item(key, .text(text))) }
    }
    if !parameters.isEmpty { items.append(Draft.Item("params", .map(parameters))) }
    if !environment.isEmpty { items.append(Draft.Item("env", .map(environment))) }
    if !secrets.isEmpty { items.append(Draft.Item("secrets", .map(secrets))) }
    items += settings()
    let list = Draft.list(written)
    items.append(
      Draft.Item(
        "steps", isGraph ? .list([Draft.Item("", .map([Draft.Item("parallel", list)]))]) : list))
    let last = handlers()
    if !last.isEmpty { items.append(Draft.Item("finally", .list(last))) }
    return ImportDraft(
      root: .map(items), remarks: remarks, stepCount: plans.count + last.count)
  }

  private mutating func note(_ node: Node?, _ text: String) {
    remarks.append(ImportRemark(weight: .note, line: node?.mark.line ?? 0, text: text))
  }

  private mutating func missing(_ node: Node?, _ text: String) {
    remarks.append(ImportRemark(weight: .missing, line: node?.mark.line ?? 0, text: text))
  }

  // MARK: The file

  private mutating func plan(_ steps: Node) {
    func name(_ node: Node, _ key: String?) -> String {
      node["id"]?.text ?? key ?? node["name"]?.text ?? "step"
    }
    for node in steps.elements {
      // A list inside the list runs in parallel, which the order of needs shows elsewhere.
      for node in node.isList ? node.elements : [node] {
        let title = node["name"]?.text
        let id = names.id(for: name(node, nil), otherwise: "step")
        plans.append(
          DaguStep(id: id, names: [node["id"]?.text, title].compactMap(\.self), node: node))
      }
    }
    for pair in steps.pairs {
      let id = names.id(for: name(pair.value, pair.key.text), otherwise: "step")
      plans.append(
        DaguStep(id: id, names: [pair.key.text].compactMap(\.self), node: pair.value))
    }
  }

  private mutating func readEnvironment() {
    for key in ["env", "consts"] {
      let node = root[key]
      let pairs = (node?.pairs ?? []) + (node?.elements ?? []).flatMap(\.pairs)
      for pair in pairs { add(pair.key.text ?? "", pair.value) }
      for text in node?.elements.compactMap(\.text) ?? [] {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        if parts.count == 2 { environment.append(Draft.Item(parts[0], .text(parts[1]))) }
      }
    }
    for secret in root["secrets"]?.elements ?? [] {
      guard let name = secret["name"]?.text, let key = secret["key"]?.text else { continue }
      guard secret["provider"]?.text == "env" else {
        missing(secret, "the secret \(name) of \(secret["provider"]?.text ?? "a provider")")
        continue
      }
      secrets.append(Draft.Item(name, .map([Draft.Item("env", .text(key))])))
      environment.append(Draft.Item(name, .text("${{ secrets.\(name) }}")))
    }
  }

  private mutating func add(_ name: String, _ value: Node) {
    guard StepNames.identifier(name) == name, let text = value.text else {
      return missing(value, "the variable \(name)")
    }
    if text.contains("$") || text.contains("`") {
      missing(value, "the variable \(name) is computed: \(text)")
    }
    environment.append(Draft.Item(name, .text(text)))
  }

  private mutating func readParameters() {
    guard let node = root["params"] else { return }
    var number = 1
    func parameter(_ name: String, _ value: String) {
      let known = StepNames.identifier(name)
      parameters.append(Draft.Item(known, .parameter(value)))
      environment.append(Draft.Item(known, .text("${{ params.\(known) }}")))
    }
    for pair in node.pairs + node.elements.flatMap(\.pairs) where pair.key.text != nil {
      guard pair.value.text != nil || pair.value.isNull else { continue }
      parameter(pair.key.text ?? "", pair.value.text ?? "")
    }
    for element in node.elements where element.isMap && element["name"]?.text != nil {
      parameters.removeAll {
        ["name", "type", "default", "description", "required"].contains($0.key)
      }
      environment.removeAll {
        ["name", "type", "default", "description", "required"].contains($0.key)
      }
      parameter(element["name"]?.text ?? "", element["default"]?.text ?? "")
    }
    let texts = node.elements.compactMap(\.text) + (node.text.map { [$0] } ?? [])
    for text in texts {
      for word in node.text == nil ? [text] : text.split(separator: " ").map(String.init) {
        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
        if parts.count == 2 {
          parameter(parts[0], parts[1].trimmingQuotes)
        } else if node.text == nil {
          parameter(word, "")
        } else {
          parameter("p\(number)", word.trimmingQuotes)
          note(node, "$\(number) is the parameter p\(number)")
          number += 1
        }
      }
    }
  }

  private mutating func settings() -> [Draft.Item] {
    var items: [Draft.Item] = []
    if let folder = (root["working_dir"] ?? root["workingDir"])?.text, folder != "." {
      items.append(Draft.Item("dir", .text(folder)))
    }
    if let files = root["dotenv"]?.texts, !files.isEmpty {
      items.append(
        Draft.Item(
          "dotenv",
          .list(
            files.map {
              Draft.Item(
                "",
                .map([Draft.Item("path", .text($0)), Draft.Item("required", .word("false"))]))
            })))
    }
    if let limit = root["max_active_steps"] ?? root["maxActiveSteps"], limit.isNumber,
      limit.text != "0"
    {
      items.append(Draft.Item("max-parallel", limit.draft))
    }
    if let seconds = root["timeout_sec"] ?? root["timeoutSec"], seconds.isNumber {
      items.append(Draft.Item("timeout", .text("\(seconds.text ?? "0")s")))
    }
    if let days = root["hist_retention_days"] ?? root["histRetentionDays"], days.isNumber,
      days.text != "0"
    {
      items.append(
        Draft.Item("keep", .map([Draft.Item("age", .text("\(days.text ?? "30")d"))])))
    }
    if let schedule = schedule() { items.append(schedule) }
    for key in ["mail_on", "mailOn", "smtp", "log_dir", "logDir", "otel", "tags", "group"] {
      if let node = root[key] { note(node, "\(key) is left out") }
    }
    for key in ["preconditions", "precondition", "container", "init", "ssh"] {
      if let node = root[key] { missing(node, "\(key) of the whole file") }
    }
    return items
  }

  private mutating func schedule() -> Draft.Item? {
    guard let node = root["schedule"] else { return nil }
    let texts = node.isMap ? node["start"]?.texts ?? [] : node.texts
    if node.isMap, node["stop"] != nil || node["restart"] != nil {
      missing(node, "schedule: stop and restart")
    }
    let crons = texts.filter { (try? CronExpression($0)) != nil }
    guard !crons.isEmpty else { return nil }
    note(node, "schedule: needs a \"reprise watch\" that runs")
    let items = crons.map { Draft.Item("", .map([Draft.Item("cron", .text($0))])) }
    let value = items.count == 1 ? items[0].value : Draft.list(items)
    return Draft.Item("on", .map([Draft.Item("schedule", value)]))
  }

  private mutating func handlers() -> [Draft.Item] {
    guard let node = root["handler_on"] ?? root["handlerOn"] else { return [] }
    var items: [Draft.Item] = []
    let endings = [
      "success": "success", "failure": "failure", "cancel": "cancelled", "abort": "cancelled",
      "exit": "",
    ]
    for pair in node.pairs {
      let key = pair.key.text ?? ""
      guard let ending = endings[key] else {
        missing(pair.key, "handler_on.\(key)")
        continue
      }
      let id = names.id(for: "on-\(key)", otherwise: "handler")
      var item = step(DaguStep(id: id, names: [], node: pair.value), needs: nil)
      if !ending.isEmpty { item.value.items.insert(Draft.Item("when", .text(ending)), at: 1) }
      items.append(item)
    }
    return items
  }

  // MARK: Steps

  private func needs(of step: DaguStep) -> [String] {
    (step.node["depends"]?.texts ?? []).map { name in
      plans.first { $0.names.contains(name) || $0.id == name }?.id ?? name
    }
  }

  private mutating func step(_ plan: DaguStep, needs: [String]?) -> Draft.Item {
    var writer = DaguStepWriter(plan: plan, plans: plans)
    let item = writer.item(needs: needs)
    remarks += writer.remarks
    return item
  }
}

/// A step of a file of dagu.
struct DaguStep {
  /// The id in the workflow that is written.
  let id: String
  /// What other steps call it.
  let names: [String]
  let node: Node
  /// The variable with its output.
  var output: String? {
    let text = node["output"]?.text ?? node["output"]?["name"]?.text
    return text.map { $0.hasPrefix("$") ? String($0.dropFirst()) : $0 }
  }
}

extension String {
  /// The text without quotes around it.
  fileprivate var trimmingQuotes: String {
    guard count > 1, let first, first == last, first == "\"" || first == "'" else { return self }
    return String(dropFirst().dropLast())
  }
}
