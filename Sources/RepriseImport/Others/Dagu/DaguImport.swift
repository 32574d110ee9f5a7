// Imports a file of dagu: its steps keep their order or their dependencies.

import Schedules
import YAML

/// Imports files of dagu.
struct DaguImport {
  private let documents: [SourceNode]
  private var remarks: [ImportRemark] = []
  private var stepCount = 0
  /// The workflows of further documents, by the names of their files in dagu.
  private var ids: [String: String] = [:]

  init(_ documents: [SourceNode]) { self.documents = documents }

  /// Translates the file.
  mutating func draft() throws(ImportError) -> ImportDraft {
    guard let first = documents.first, first["steps"] != nil else {
      throw ImportError("a file of dagu has \"steps\"")
    }
    var names = StepNames()
    for document in documents.dropFirst() {
      let name = document["name"]?.text ?? "workflow"
      ids[name] = names.workflow(for: name, otherwise: "workflow")
    }
    var items = try items(first)
    var others: [Draft.Item] = []
    for document in documents.dropFirst() {
      let id = ids[document["name"]?.text ?? "workflow"] ?? "workflow"
      others.append(Draft.Item(id, .map(try self.items(document, isRoot: false))))
    }
    if !others.isEmpty { items.append(Draft.Item("workflows", .map(others))) }
    return ImportDraft(root: .map(items), remarks: remarks, stepCount: stepCount)
  }

  private mutating func items(
    _ root: SourceNode, isRoot: Bool = true
  ) throws(ImportError) -> [Draft.Item] {
    var writer = DaguDocument(root, ids: ids, isRoot: isRoot)
    let items = try writer.items()
    remarks += writer.remarks
    stepCount += writer.stepCount
    return items
  }
}

/// Writes one document of a file of dagu.
struct DaguDocument {
  private let root: SourceNode
  private let ids: [String: String]
  private let isRoot: Bool
  private(set) var remarks: [ImportRemark] = []
  private(set) var stepCount = 0
  private var values = DaguValues()
  private var parameters: [Draft.Item] = []
  private var secrets: [Draft.Item] = []
  private var plans: [DaguStep] = []
  private var names = StepNames()
  private var comments: [String] = []
  /// What of the whole file has no equivalent, so that nothing may run.
  private var problems: [(line: Int, text: String)] = []

  init(_ root: SourceNode, ids: [String: String], isRoot: Bool) {
    self.root = root
    self.ids = ids
    self.isRoot = isRoot
  }

  /// Returns the workflow.
  mutating func items() throws(ImportError) -> [Draft.Item] {
    guard let steps = root["steps"] else { throw ImportError("a file of dagu has \"steps\"") }
    let shape = plan(steps)
    guard !plans.isEmpty else { throw ImportError("it has no steps") }
    let isGraph = root["type"]?.text == "graph" || plans.contains { $0.node["depends"] != nil }
    readParameters()
    readEnvironment()
    var list = write(shape, isGraph)
    let settings = settings()
    let last = handlers(&list)
    // What was not read changes the run, or it would not be written.
    for key in Self.ignored { root[key]?.accept() }
    for part in root.unread() { missing(part.node, "\(part.path) has no equivalent") }
    for problem in problems.reversed() {
      let id = names.id(for: "complete-this-file", otherwise: "step")
      let items = [
        Draft.Item("id", .text(id)),
        Draft.Item("run", .text(Draft.failing(problem.text, line: problem.line))),
      ]
      list.insert(
        Draft.Item("", .map(items), comments: ["missing: \(problem.text)"]), at: 0)
    }
    var items: [Draft.Item] = []
    for key in isRoot ? ["name", "description"] : ["description"] {
      if let text = root[key]?.text { items.append(Draft.Item(key, .text(text))) }
    }
    _ = root["name"]?.text
    if !parameters.isEmpty { items.append(Draft.Item("params", .map(parameters))) }
    let environment = values.environment
    if !environment.isEmpty { items.append(Draft.Item("env", .map(environment))) }
    if !secrets.isEmpty { items.append(Draft.Item("secrets", .map(secrets))) }
    items += settings + [Draft.Item("steps", .list(list))]
    if !last.isEmpty { items.append(Draft.Item("finally", .list(last))) }
    items[0].comments += comments
    stepCount = plans.count + last.count
    return items
  }

  /// Keys that only describe the file, or say where dagu keeps things.
  private static let ignored = ["type", "tags", "labels", "group", "log_dir", "logDir"]

  private mutating func note(_ node: SourceNode?, _ text: String) {
    remarks.append(ImportRemark(weight: .note, line: node?.mark.line ?? 0, text: text))
    comments.append("note: \(text)")
  }

  private mutating func missing(_ node: SourceNode?, _ text: String) {
    let line = node?.mark.line ?? 0
    remarks.append(ImportRemark(weight: .missing, line: line, text: text))
    problems.append((line, text))
  }

  // MARK: Steps

  /// Plans the steps; each part has those that run at the same time.
  private mutating func plan(_ steps: SourceNode) -> [[Int]] {
    var shape: [[Int]] = []
    func name(_ node: SourceNode, _ key: String?) -> String {
      node["id"]?.text ?? key ?? node["name"]?.text ?? "step"
    }
    for node in steps.elements {
      var part: [Int] = []
      for node in node.isList ? node.elements : [node] {
        let title = node["name"]?.text
        let id = names.id(for: name(node, nil), otherwise: "step")
        part.append(plans.count)
        plans.append(
          DaguStep(id: id, names: [node["id"]?.text, title].compactMap(\.self), node: node))
      }
      shape.append(part)
    }
    for pair in steps.pairs {
      let id = names.id(for: name(pair.value, pair.key.text), otherwise: "step")
      _ = pair.value["name"]?.text
      shape.append([plans.count])
      plans.append(DaguStep(id: id, names: [pair.key.text].compactMap(\.self), node: pair.value))
    }
    return shape
  }

  private mutating func write(_ shape: [[Int]], _ isGraph: Bool) -> [Draft.Item] {
    var list: [Draft.Item] = []
    for part in shape {
      let written = part.map { position in
        step(plans[position], needs: isGraph ? needs(of: plans[position]) : nil)
      }
      if isGraph || written.count == 1 {
        list += written
      } else {
        list.append(Draft.Item("", .map([Draft.Item("parallel", .list(written))])))
      }
    }
    guard isGraph else { return list }
    return [Draft.Item("", .map([Draft.Item("parallel", .list(list))]))]
  }

  private func needs(of step: DaguStep) -> [String] {
    (step.node["depends"]?.texts ?? []).map { name in
      plans.first { $0.names.contains(name) || $0.id == name }?.id ?? name
    }
  }

  private mutating func step(_ plan: DaguStep, needs: [String]?) -> Draft.Item {
    var writer = DaguStepWriter(
      plan: plan, plans: plans, values: values, defaults: root["defaults"], workflows: ids)
    let item = writer.item(needs: needs)
    remarks += writer.remarks
    return item
  }

  /// Returns the handlers at the end, and adds the one at the start.
  private mutating func handlers(_ list: inout [Draft.Item]) -> [Draft.Item] {
    guard let node = root["handler_on"] ?? root["handlerOn"] else { return [] }
    var items: [Draft.Item] = []
    let endings = [
      "success": "success", "failure": "failure", "cancel": "cancelled", "abort": "cancelled",
      "exit": "",
    ]
    for pair in node.pairs {
      let key = pair.key.text ?? ""
      guard let ending = endings[key] ?? (key == "init" ? key : nil) else {
        missing(pair.key, "handler_on.\(key)")
        pair.value.accept()
        continue
      }
      let id = names.id(for: "on-\(key)", otherwise: "handler")
      var item = step(DaguStep(id: id, names: [], node: pair.value), needs: nil)
      if key == "init" {
        list.insert(item, at: 0)
        continue
      }
      if !ending.isEmpty { item.value.items.insert(Draft.Item("when", .text(ending)), at: 1) }
      items.append(item)
    }
    return items
  }

  // MARK: Values

  private mutating func readEnvironment() {
    for key in ["env", "consts"] {
      do throws(Untranslatable) {
        try values.add(root[key])
      } catch {
        missing(root[key], error.reason)
      }
    }
    for secret in root["secrets"]?.elements ?? [] {
      guard let name = secret["name"]?.text, let key = secret["key"]?.text else { continue }
      guard secret["provider"]?.text == "env" else {
        missing(secret, "the secret \(name) of \(secret["provider"]?.text ?? "a provider")")
        secret.accept()
        continue
      }
      secrets.append(Draft.Item(name, .map([Draft.Item("env", .text(key))])))
      values.set(name, "${{ secrets.\(name) }}")
    }
  }

  private mutating func parameter(_ name: String, _ value: Draft) {
    let known = StepNames.identifier(name)
    parameters.append(Draft.Item(known, value))
    values.set(known, "${{ params.\(known) }}")
  }

  private mutating func readParameters() {
    guard let node = root["params"] else { return }
    for pair in node.pairs { readParameter(pair) }
    for element in node.elements where element.isMap {
      if let name = element["name"]?.text {
        readDeclaration(name, element)
      } else {
        for pair in element.pairs { readParameter(pair) }
      }
    }
    let texts = node.elements.compactMap(\.text) + (node.text.map { [$0] } ?? [])
    for text in texts { readWords(text, isList: node.isList, node) }
  }

  private mutating func readParameter(_ pair: SourceNode.Pair) {
    guard let name = pair.key.text else { return }
    let value = pair.value.text ?? ""
    guard !value.contains("$"), !value.contains("`") else {
      return missing(pair.value, "the parameter \(name) is computed")
    }
    parameter(name, .parameter(value))
  }

  private mutating func readDeclaration(_ name: String, _ node: SourceNode) {
    var items: [Draft.Item] = []
    let options = node["enum"]?.texts ?? []
    if !options.isEmpty { items.append(Draft.Item("options", .texts(options))) }
    if let value = node["default"]?.text {
      items.append(Draft.Item("default", .text(value)))
    } else if node["required"]?.boolean != true {
      items.append(Draft.Item("required", .word("false")))
    }
    _ = node["required"]?.boolean
    _ = node["type"]?.text
    if let text = node["description"]?.text { items.append(Draft.Item("description", .text(text))) }
    if let pattern = node["pattern"]?.text { items.append(Draft.Item("pattern", .text(pattern))) }
    parameter(name, .map(items.isEmpty ? [Draft.Item("type", .text("string"))] : items))
  }

  private mutating func readWords(_ text: String, isList: Bool, _ node: SourceNode) {
    var number = 1
    for word in isList ? [text] : Self.words(text) {
      guard !word.contains("$"), !word.contains("`") else {
        missing(node, "the parameter \(word) is computed")
        continue
      }
      if case (let name, let value?) = word.assignment {
        parameter(name, .parameter(value.trimmingQuotes))
      } else if isList {
        parameter(word, .parameter(""))
      } else {
        parameter("p\(number)", .parameter(word.trimmingQuotes))
        note(node, "$\(number) is the parameter p\(number)")
        number += 1
      }
    }
  }

  /// Splits at blanks outside of quotes.
  private static func words(_ text: String) -> [String] {
    var words = [""]
    var quote: Character?
    for character in text {
      if character == quote {
        quote = nil
      } else if quote == nil, "\"'".contains(character) {
        quote = character
      }
      if quote == nil, character.isWhitespace {
        words.append("")
      } else {
        words[words.count - 1].append(character)
      }
    }
    return words.filter { !$0.isEmpty }
  }

  // MARK: Settings

  private mutating func settings() -> [Draft.Item] {
    var items: [Draft.Item] = []
    if let folder = (root["working_dir"] ?? root["workingDir"])?.text, folder != "." {
      items.append(Draft.Item("dir", .text(values.expression(folder))))
    }
    if let files = root["dotenv"]?.texts, !files.isEmpty {
      let entries = files.map {
        Draft.Item(
          "", .map([Draft.Item("path", .text($0)), Draft.Item("required", .word("false"))]))
      }
      items.append(Draft.Item("dotenv", .list(entries)))
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
    let conditions = DaguConditions(root["preconditions"] ?? root["precondition"], values)
    if let script = conditions.script {
      note(root["preconditions"], "a run whose preconditions are not met is skipped, not aborted")
      items.append(Draft.Item("if", .map([Draft.Item("run", .text(script))])))
    }
    for key in [
      "mail_on", "mailOn", "smtp", "otel", "queue", "worker_selector", "max_active_runs",
      "maxActiveRuns", "delay_sec",
    ] {
      if let node = root[key] {
        note(node, "\(key) is left out")
        node.accept()
      }
    }
    return items
  }

  private mutating func schedule() -> Draft.Item? {
    guard let node = root["schedule"] else { return nil }
    let texts = node.isMap ? node["start"]?.texts ?? [] : node.texts
    let crons = texts.filter { (try? CronExpression($0)) != nil }
    if crons.count != texts.count || node.isMap && (node["stop"] ?? node["restart"]) != nil {
      // It says when a run starts, which does not change what a run does.
      remarks.append(
        ImportRemark(weight: .missing, line: node.mark.line, text: "a part of the schedule"))
      comments.append("missing: a part of the schedule")
      node.accept()
    }
    guard !crons.isEmpty else { return nil }
    note(node, "schedule: needs a \"reprise watch\" that runs")
    let items = crons.map { Draft.Item("", .map([Draft.Item("cron", .text($0))])) }
    let value = items.count == 1 ? items[0].value : Draft.list(items)
    return Draft.Item("on", .map([Draft.Item("schedule", value)]))
  }
}

/// A step of a file of dagu.
struct DaguStep {
  /// The id in the workflow that is written.
  let id: String
  /// What other steps call it.
  let names: [String]
  let node: SourceNode
  /// The variable with its output.
  var output: String? {
    let text = node["output"]?.text ?? node["output"]?["name"]?.text
    return text.map { $0.hasPrefix("$") ? String($0.dropFirst()) : $0 }
  }
}

extension String {
  /// The text without quotes around it.
  var trimmingQuotes: String {
    guard count > 1, let first, first == last, first == "\"" || first == "'" else { return self }
    return String(dropFirst().dropLast())
  }
}
