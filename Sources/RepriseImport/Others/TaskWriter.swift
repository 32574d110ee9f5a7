// Writes a task of a Taskfile as a step.

import YAML

/// Writes one task.
struct TaskWriter {
  let name: String
  let id: String
  /// The ids of the steps of all tasks and aliases.
  let ids: [String: String]
  let computed: [(name: String, line: String, uses: [String])]
  let file: Node
  /// The folder of the include that the task is from.
  let folder: String?
  private(set) var remarks: [ImportRemark] = []
  private(set) var usesArguments = false
  private var needs: [String] = []
  private var comments: [String] = []
  private var script: [String] = []
  private var own: [(name: String, line: String, uses: [String])] = []
  private var used: [String] = []
  private var isIncomplete = false
  private var line = 0

  init(
    name: String, id: String, ids: [String: String],
    computed: [(name: String, line: String, uses: [String])], file: Node,
    folder: String? = nil
  ) {
    self.folder = folder
    self.name = name
    self.id = id
    self.ids = ids
    self.computed = computed
    self.file = file
  }

  /// Returns the step of the task.
  mutating func step(_ node: Node) -> Draft.Item {
    line = node.mark.line
    if let text = node["desc"]?.text { comments.append(text) }
    var environment: [Draft.Item] = []
    readEnvironment(node, into: &environment)
    for dependency in node["deps"]?.elements ?? [] { need(dependency) }
    readConditions(node)
    let commands =
      node.text != nil || node.isList ? node.oneOrMore : node["cmds"]?.oneOrMore ?? []
    for command in commands + [node["cmd"]].compactMap(\.self) { read(command) }
    var items = [Draft.Item("id", .text(id)), Draft.Item("needs", .texts(needs))]
    if let question = node["prompt"]?.texts.first, let text = template(question) {
      items.append(Draft.Item("approval", .text(text)))
    }
    if !environment.isEmpty { items.append(Draft.Item("env", .map(environment))) }
    if let dir = dir(node["dir"]?.text) { items.append(Draft.Item("dir", .text(dir))) }
    if node["ignore_error"]?.boolean == true {
      items.append(Draft.Item("continue-on-error", .word("true")))
    }
    if let cache = cache(node) { items.append(Draft.Item("cache", cache)) }
    remarkOthers(node)
    items.append(Draft.Item("run", .text(ScalarText.tidied(text()))))
    return Draft.Item("", .map(items), comments: comments)
  }

  private mutating func dir(_ own: String?) -> String? {
    guard own?.contains("{{") != true else {
      missing("dir: \(own ?? "")")
      return nil
    }
    guard own?.first != "/" else { return own }
    let parts = [folder, own].compactMap(\.self).filter { !$0.isEmpty && $0 != "." }
    return parts.isEmpty ? nil : parts.joined(separator: "/")
  }

  private func text() -> String {
    var lines: [String] = []
    if isIncomplete {
      lines = ["echo 'complete this step' >&2", "exit 1"]
    }
    var seen: Set<String> = []
    var prefix: [String] = []
    for variable in needed() where seen.insert(variable.name).inserted {
      prefix.append(variable.line)
    }
    lines += prefix + script
    return lines.isEmpty ? "true" : lines.joined(separator: "\n")
  }

  /// The variables that the script uses, and those that they use, in the order of the file.
  private func needed() -> [(name: String, line: String, uses: [String])] {
    let all = computed + own
    var names = Set(used)
    var pending = used
    while let name = pending.popLast() {
      for variable in all where variable.name == name {
        pending += variable.uses.filter { names.insert($0).inserted }
      }
    }
    return all.filter { names.contains($0.name) }
  }

  private mutating func missing(_ text: String) {
    remarks.append(ImportRemark(weight: .missing, line: line, text: "task \(name): \(text)"))
    comments.append("missing: \(text)")
    isIncomplete = true
  }

  private mutating func note(_ text: String) {
    remarks.append(ImportRemark(weight: .note, line: line, text: "task \(name): \(text)"))
  }

  private mutating func template(_ text: String) -> String? {
    do throws(Untranslatable) {
      let template = try TaskTemplate(text, task: name)
      used += template.names
      usesArguments = usesArguments || template.usesArguments
      return template.text
    } catch {
      missing("\(text.split(whereSeparator: \.isNewline).first ?? ""): \(error.reason)")
      return nil
    }
  }

  // MARK: Parts

  private mutating func readEnvironment(_ node: Node, into environment: inout [Draft.Item]) {
    for key in ["vars", "env"] {
      for pair in node[key]?.pairs ?? [] {
        guard let variable = pair.key.text, StepNames.identifier(variable) == variable else {
          continue
        }
        if let text = pair.value.text, !text.contains("{{") {
          environment.removeAll { $0.key == variable }
          environment.append(Draft.Item(variable, .text(text)))
          continue
        }
        do throws(Untranslatable) {
          let computed = try TaskVariable(variable, pair.value)
          own.append((variable, computed.line, computed.uses))
          if key == "env" { used.append(variable) }
          // A variable of the task can be made of the one of the file with the same name.
          used += computed.uses
        } catch {
          missing("\(variable): \(error.reason)")
        }
      }
    }
  }

  private mutating func readConditions(_ node: Node) {
    for required in node["requires"]?["vars"]?.elements ?? [] {
      guard let variable = required.text ?? required["name"]?.text else { continue }
      script.append(": \"${\(variable):?set the variable \(variable)}\"")
      used.append(variable)
    }
    for condition in node["preconditions"]?.elements ?? [] {
      guard let command = condition.text ?? condition["sh"]?.text,
        let text = template(command)
      else { continue }
      let message = condition["msg"]?.text ?? "precondition not met: \(command)"
      let quoted = message.withoutTemplates.replacing("'", with: "'\\''")
      script.append("{ \(text); } || { echo '\(quoted)' >&2; exit 1; }")
    }
    let status = (node["status"]?.oneOrMore ?? []).compactMap { $0.text }.compactMap {
      template($0)
    }
    if !status.isEmpty {
      let all = status.map { "{ \($0); }" }.joined(separator: " && ")
      script.append("if \(all); then echo 'up to date'; exit 0; fi")
    }
    if let condition = node["if"]?.text, let text = template(condition) {
      script.append("{ \(text); } || exit 0")
    }
  }

  private mutating func need(_ node: Node) {
    guard let called = node.text ?? node["task"]?.text else {
      return missing("a dependency that is no task")
    }
    if !(node["vars"]?.pairs ?? []).isEmpty { missing("\(called) with variables of its own") }
    guard let id = ids[called] else {
      return missing("task \(called)")
    }
    guard id != self.id, !needs.contains(id) else { return }
    needs.append(id)
  }

  private mutating func read(_ command: Node) {
    line = command.mark.line
    if let text = command.text {
      if let text = template(text) { script.append(text) }
      return
    }
    if let items = command["for"] { return readLoop(items, command) }
    if command["task"] != nil {
      if !script.isEmpty { note("\(command["task"]?.text ?? "") runs before its commands") }
      return need(command)
    }
    if let deferred = command["defer"] {
      guard let text = deferred.text.flatMap({ template($0) }) else {
        return missing("defer: a task")
      }
      let quoted = text.replacing("'", with: "'\\''")
      script.append("trap '\(quoted)' EXIT")
      return
    }
    guard let text = command["cmd"]?.text.flatMap({ template($0) }) else { return }
    if let platforms = command["platforms"]?.texts {
      note("a command for \(platforms.joined(separator: ", ")) runs on all systems")
    }
    script.append(command["ignore_error"]?.boolean == true ? "{ \(text); } || true" : text)
  }

  private mutating func readLoop(_ items: Node, _ command: Node) {
    let name = items["as"]?.text ?? "ITEM"
    var words: String?
    if items.isList {
      words = items.texts.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ")
    } else if let variable = items["var"]?.text, items["split"] == nil {
      used.append(variable)
      words = "${\(variable)}"
    }
    guard let words, let text = command["cmd"]?.text.flatMap({ template($0) }) else {
      return missing("for: a loop of this kind")
    }
    script.append("for \(name) in \(words); do\n\(text)\ndone")
  }

  private mutating func cache(_ node: Node) -> Draft? {
    let sources = patterns(node["sources"])
    let generated = patterns(node["generates"])
    guard !sources.isEmpty, node["method"]?.text != "none" else { return nil }
    var items = [Draft.Item("inputs", .texts(sources))]
    if !generated.isEmpty { items.append(Draft.Item("makes", .texts(generated))) }
    return .map(items)
  }

  private mutating func patterns(_ node: Node?) -> [String] {
    var patterns: [String] = []
    for element in node?.oneOrMore ?? [] {
      guard let text = element.text ?? element["exclude"]?.text.map({ "!" + $0 }) else { continue }
      if text.contains("{{") {
        missing("the pattern \(text)")
      } else {
        patterns.append(text)
      }
    }
    return patterns
  }

  private mutating func remarkOthers(_ node: Node) {
    if node["watch"]?.boolean == true { note("watch: use \"on: files\" and reprise watch") }
    if node["interactive"]?.boolean == true {
      note("interactive: add \"terminal: true\" to the steps that use the terminal")
    }
    if let systems = node["platforms"]?.texts {
      note("platforms: \(systems.joined(separator: ", "))")
    }
    if name.contains("*") { missing("a name with a wildcard") }
  }
}

extension String {
  /// The text with the names of variables instead of the templates of a Taskfile.
  var withoutTemplates: String { replacing("{{", with: "").replacing("}}", with: "") }
}
