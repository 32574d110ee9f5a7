// Imports a Taskfile of go-task: each task is a step that needs the tasks that it calls.

import YAML

/// Imports Taskfiles.
struct TaskfileImport {
  private let root: Node
  private var remarks: [ImportRemark] = []
  private var names = StepNames()
  private var ids: [String: String] = [:]
  private var stepCount = 0
  private var parameters: [Draft.Item] = []
  private var environment: [Draft.Item] = []
  /// Variables that need a shell, with the line of the script that sets them.
  private var computed: [(name: String, line: String, uses: [String])] = []

  private let includes: TaskfileIncludes

  init(_ root: Node, files: @escaping (String) -> [UInt8]?) {
    self.root = root
    includes = TaskfileIncludes(root, files: files)
  }

  /// Translates the file.
  mutating func draft() throws(ImportError) -> ImportDraft {
    guard !includes.tasks.isEmpty else { throw ImportError("a Taskfile has \"tasks\"") }
    for task in includes.tasks {
      ids[task.name] = names.id(for: task.name, otherwise: "task")
      for alias in task.node["aliases"]?.texts ?? [] { ids[task.prefix + alias] = ids[task.name] }
    }
    readFile()
    var steps: [Draft.Item] = []
    for entry in includes.tasks {
      let name = entry.name
      var task = TaskWriter(
        name: name, id: ids[name] ?? name, ids: ids(within: entry.prefix), computed: computed,
        file: entry.file, folder: entry.folder)
      let step = task.step(entry.node)
      steps.append(step)
      remarks += task.remarks
      if task.usesArguments, !environment.contains(where: { $0.key == "CLI_ARGS" }) {
        environment.append(Draft.Item("CLI_ARGS", .text("${{ join(args, ' ') }}")))
      }
      stepCount += 1
    }
    remark(
      .note, 0, "without an option all tasks run; one task with what it needs: --to TASK")
    var items: [Draft.Item] = []
    if !parameters.isEmpty { items.append(Draft.Item("params", .map(parameters))) }
    if !environment.isEmpty { items.append(Draft.Item("env", .map(environment))) }
    if let files = root["dotenv"]?.texts, !files.isEmpty { items.append(dotenv(files)) }
    items.append(
      Draft.Item("steps", .list([Draft.Item("", .map([Draft.Item("parallel", .list(steps))]))])))
    items[0].comments.append("Run one task with what it needs: reprise run FILE --to TASK")
    return ImportDraft(root: .map(items), remarks: remarks, stepCount: stepCount)
  }

  /// Returns the ids of tasks by the names that a task of an included file has for them.
  private func ids(within prefix: String) -> [String: String] {
    var known = ids
    for (name, id) in ids {
      known[":" + name] = id
      if !prefix.isEmpty, name.hasPrefix(prefix) {
        known[String(name.dropFirst(prefix.count))] = id
      }
    }
    return known
  }

  private mutating func remark(_ weight: ImportRemark.Weight, _ line: Int, _ text: String) {
    remarks.append(ImportRemark(weight: weight, line: line, text: text))
  }

  private func dotenv(_ files: [String]) -> Draft.Item {
    let entries = files.map { file in
      Draft.Item(
        "", .map([Draft.Item("path", .text(file)), Draft.Item("required", .word("false"))]))
    }
    return Draft.Item("dotenv", .list(entries))
  }

  private mutating func readFile() {
    for (line, text) in includes.missing { remark(.missing, line, text) }
    var known: [String: String] = [:]
    for (pair, isEnvironment) in includes.variables {
      let name = pair.key.text ?? ""
      if let other = known[name] {
        // All tasks share the variables of all files here.
        if other != pair.value.text ?? "" {
          remark(.missing, pair.key.mark.line, "\(name) has another value in an included file")
        }
        continue
      }
      known[name] = pair.value.text ?? ""
      readVariable(pair, isEnvironment: isEnvironment)
    }
  }

  private mutating func readVariable(_ pair: Node.Pair, isEnvironment: Bool) {
    guard let name = pair.key.text else { return }
    let line = pair.key.mark.line
    guard StepNames.identifier(name) == name else {
      return remark(.missing, line, "\(name) is no name of a variable")
    }
    if let text = pair.value.text, !text.contains("{{") {
      if isEnvironment {
        environment.append(Draft.Item(name, .text(text)))
      } else {
        // As with `task NAME=VALUE`, a run can set it.
        parameters.append(Draft.Item(name, .parameter(text)))
        environment.append(Draft.Item(name, .text("${{ params.\(name) }}")))
      }
      return
    }
    do throws(Untranslatable) {
      let variable = try TaskVariable(name, pair.value)
      computed.append((name, variable.line, variable.uses))
    } catch {
      remark(.missing, line, "\(name): \(error.reason)")
    }
  }
}

/// A variable whose value a shell computes.
struct TaskVariable {
  /// The line of a script that sets it.
  let line: String
  /// The variables that it uses.
  let uses: [String]

  init(_ name: String, _ value: Node) throws(Untranslatable) {
    if let command = value["sh"]?.text {
      let template = try TaskTemplate(command, task: name)
      line = "export \(name)=\"$(\(template.text))\""
      uses = template.names
    } else if let text = value.text {
      let template = try TaskTemplate(text, task: name) { text in
        text.reduce(into: "") { $0 += "\"$`\\".contains($1) ? "\\\($1)" : "\($1)" }
      }
      line = "export \(name)=\"\(template.text)\""
      uses = template.names
    } else {
      throw Untranslatable("a value that is no text")
    }
  }
}
