// Imports a file of process-compose: processes that others need while they run are services.

import YAML

/// Imports files of process-compose.
struct ProcessComposeImport {
  private let root: SourceNode
  private var remarks: [ImportRemark] = []
  private var ids: [String: String] = [:]
  /// The processes that others need while they run.
  private var services: Set<String> = []

  init(_ root: SourceNode) { self.root = root }

  /// Translates the file.
  mutating func draft() throws(ImportError) -> ImportDraft {
    let processes = (root["processes"]?.pairs ?? []).compactMap { pair in
      pair.key.text.map { (name: $0, node: pair.value) }
    }
    guard !processes.isEmpty else { throw ImportError("it has no processes") }
    var names = StepNames()
    for process in processes {
      ids[process.name] = names.id(for: process.name, otherwise: "process")
      if process.node["readiness_probe"] != nil || process.node["ready_log_line"] != nil {
        services.insert(process.name)
      }
      for pair in process.node["depends_on"]?.pairs ?? [] {
        let condition = pair.value["condition"]?.text ?? ""
        if !condition.hasPrefix("process_completed") { services.insert(pair.key.text ?? "") }
      }
    }
    var steps: [Draft.Item] = []
    for process in processes {
      if process.node["disabled"]?.boolean == true {
        process.node.accept()
        remark(.note, process.node, "\(process.name) is disabled, and left out")
        continue
      }
      steps.append(step(process.name, process.node))
    }
    for key in ["version", "log_level", "log_location", "log_length", "is_strict", "name"] {
      root[key]?.accept()
    }
    var items: [Draft.Item] = []
    if let environment = environment(root) { items.append(environment) }
    var comments: [String] = []
    let others = root.unread().map { ($0.node, "\($0.path) has no equivalent") }
    for (node, reason) in (problemOfEnvironment(root).map { [$0] } ?? []) + others {
      remark(.missing, node, reason)
      comments.append("missing: \(reason)")
      for position in steps.indices {
        steps[position] = failed(steps[position], node.mark.line, reason)
      }
    }
    items.append(Draft.Item("shell", .texts(["bash", "-c"]), comments: comments))
    // Services stay up until the person ends them, as there.
    if !services.isEmpty { items.append(Draft.Item("until", .text("stopped"))) }
    items.append(
      Draft.Item("steps", .list([Draft.Item("", .map([Draft.Item("parallel", .list(steps))]))])))
    return ImportDraft(root: .map(items), remarks: remarks, stepCount: steps.count)
  }

  private mutating func remark(
    _ weight: ImportRemark.Weight, _ node: SourceNode, _ text: String
  ) {
    remarks.append(ImportRemark(weight: weight, line: node.mark.line, text: text))
  }

  private func failed(_ step: Draft.Item, _ line: Int, _ reason: String) -> Draft.Item {
    var step = step
    step.value = .map(
      step.value.items.filter { ["id", "needs"].contains($0.key) }
        + [Draft.Item("run", .text(Draft.failing(reason, line: line)))])
    step.comments.append("missing: \(reason)")
    return step
  }

  /// Returns what cannot be translated of variables.
  private func problemOfEnvironment(_ node: SourceNode) -> (SourceNode, String)? {
    guard let environment = node["environment"] else { return nil }
    guard environment.isList else { return (environment, "an environment that is no list") }
    if environment.mentions("$") { return (environment, "a variable in environment") }
    return environment.elements.lazy.compactMap { element -> (SourceNode, String)? in
      guard let name = element.text?.assignment.name else {
        return (element, "a variable that is no text")
      }
      return StepNames.identifier(name) == name ? nil : (element, "the variable \(name)")
    }.first
  }

  private func environment(_ node: SourceNode) -> Draft.Item? {
    var items: [Draft.Item] = []
    for text in node["environment"]?.texts ?? [] {
      let (name, value) = text.assignment
      guard StepNames.identifier(name) == name else { continue }  // It is remarked.
      items.append(Draft.Item(name, .text(value?.trimmingQuotes ?? "")))
    }
    return items.isEmpty ? nil : Draft.Item("env", .map(items))
  }

  private mutating func step(_ name: String, _ node: SourceNode) -> Draft.Item {
    var problems: [(SourceNode, String)] = []
    var items = [Draft.Item("id", .text(ids[name] ?? name))]
    var needs: [Draft.Item] = []
    for pair in node["depends_on"]?.pairs ?? [] {
      let condition = pair.value["condition"]?.text ?? "process_started"
      guard let id = ids[pair.key.text ?? ""] else {
        problems.append((pair.key, "there is no process \(pair.key.text ?? "")"))
        continue
      }
      let isOver = condition == "process_completed"
      needs.append(Draft.Item(id, .text(isOver ? "over" : "success")))
    }
    items.append(Draft.Item("needs", needs.isEmpty ? .list([]) : .map(needs)))
    if let environment = environment(node) { items.append(environment) }
    if let folder = node["working_dir"]?.text { items.append(Draft.Item("dir", .text(folder))) }
    if let problem = problemOfEnvironment(node) { problems.append(problem) }
    if let folder = node["working_dir"], folder.mentions("$") {
      problems.append((folder, "a variable in working_dir"))
    }
    let command = node["command"]?.text
    if command == nil { problems.append((node, "a process without a command")) }
    for key in ["description", "namespace", "log_location", "disable_ansi_colors"] {
      node[key]?.accept()
    }
    _ = node["disabled"]?.boolean
    let isService = services.contains(name)
    if node["is_tty"]?.boolean == true { items.append(Draft.Item("tty", .word("true"))) }
    if isService { items += [ready(node), alive(node)].compactMap(\.self) }
    if let restart = restart(node, isService) {
      items.append(restart)
    } else if let policy = node["availability"], policy["restart"]?.text ?? "no" != "no" {
      problems.append((policy, "availability.restart: \(policy["restart"]?.text ?? "")"))
    }
    readShutdown(node, isService, &items)
    let text = command ?? ""
    items.append(Draft.Item(isService ? "service" : "run", .text(ScalarText.tidied(text))))
    var step = Draft.Item("", .map(items))
    let unread = node.unread().map { ($0.node, "\($0.path) has no equivalent") }
    for (part, reason) in problems + unread {
      remark(.missing, part, "\(name): \(reason)")
      step = failed(step, part.mark.line, reason)
    }
    if !unread.isEmpty || !problems.isEmpty { node.accept() }
    return step
  }

  private func ready(_ node: SourceNode) -> Draft.Item? {
    var items: [Draft.Item] = []
    if let line = node["ready_log_line"]?.text { items.append(Draft.Item("line", .text(line))) }
    if let probe = node["readiness_probe"] {
      items += check(probe)
      for key in ["initial_delay_seconds", "success_threshold", "timeout_seconds"] {
        probe[key]?.accept()
      }
    }
    return items.isEmpty ? nil : Draft.Item("ready", .map(items))
  }

  private func alive(_ node: SourceNode) -> Draft.Item? {
    guard let probe = node["liveness_probe"] else { return nil }
    var items = check(probe)
    if let count = probe["failure_threshold"], count.isNumber {
      items.append(Draft.Item("failures", count.draft))
    }
    if let seconds = probe["timeout_seconds"]?.text, probe["exec"] != nil {
      items.append(Draft.Item("timeout", .text("\(seconds)s")))
    }
    for key in ["initial_delay_seconds", "success_threshold", "timeout_seconds"] {
      probe[key]?.accept()
    }
    return items.isEmpty ? nil : Draft.Item("alive", .map(items))
  }

  /// What a probe asks, and how often.
  private func check(_ probe: SourceNode) -> [Draft.Item] {
    var items: [Draft.Item] = []
    if let command = probe["exec"]?["command"]?.text {
      items.append(Draft.Item("run", .text(command)))
    } else if let http = probe["http_get"] {
      let scheme = http["scheme"]?.text?.lowercased() ?? "http"
      let port = http["port"]?.text.map { ":\($0)" } ?? ""
      let host = http["host"]?.text ?? "127.0.0.1"
      items.append(
        Draft.Item("http", .text("\(scheme)://\(host)\(port)\(http["path"]?.text ?? "/")")))
    }
    if let seconds = probe["period_seconds"]?.text {
      items.append(Draft.Item("every", .text("\(seconds)s")))
    }
    return items
  }

  private func restart(_ node: SourceNode, _ isService: Bool) -> Draft.Item? {
    guard let policy = node["availability"] else { return nil }
    let kind = policy["restart"]?.text ?? "no"
    guard kind == "on_failure", let limit = policy["max_restarts"], limit.isNumber else {
      if kind == "no" { policy.accept() }
      return nil
    }
    var items = [Draft.Item("limit", limit.draft)]
    if let seconds = policy["backoff_seconds"]?.text {
      items.append(Draft.Item("delay", .text("\(seconds)s")))
    }
    _ = policy["restart"]?.text
    return Draft.Item(isService ? "restart" : "retry", .map(items))
  }

  private func readShutdown(_ node: SourceNode, _ isService: Bool, _ items: inout [Draft.Item]) {
    guard let shutdown = node["shutdown"], shutdown["command"] == nil else { return }
    if let signal = shutdown["signal"]?.text {
      let name = ["1": "HUP", "2": "INT", "3": "QUIT", "9": "KILL", "15": "TERM"][signal]
      if let name, isService { items.append(Draft.Item("stop", .text(name))) }
    }
    if let seconds = shutdown["timeout_seconds"]?.text {
      items.append(Draft.Item("grace", .text("\(seconds)s")))
    }
  }
}
