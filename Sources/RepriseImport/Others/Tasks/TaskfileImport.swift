// Imports a Taskfile of go-task: each task is a workflow, and the default task is the steps.

import YAML

/// A task that has been written as a workflow.
struct WrittenTask {
  /// The name of the workflow.
  var id: String
  var items: [Draft.Item] = []
  /// The parameters, in order.
  var parameters: [String] = []
  var stepCount = 0
  var remarks: [ImportRemark] = []

  /// Whether something could not be translated.
  var isIncomplete: Bool { remarks.contains { $0.weight == .missing } }
  /// Whether it can end with an error that go-task never ignores, such as that of a precondition.
  var canRefuse = false

  /// Lets it fail before anything runs.
  mutating func fail(_ remark: ImportRemark) {
    guard let position = items.firstIndex(where: { $0.key == "steps" }) else { return }
    let step = Draft.map([Draft.Item("run", .text(Draft.failing(remark.text, line: remark.line)))])
    items[position].value.items.insert(
      Draft.Item("", step, comments: ["missing: \(remark.text)"]), at: 0)
  }
}

/// What the translations of all tasks of a file share.
///
/// It is used by one thread.
final class TaskfileContext {
  /// How deep tasks may call others: as deep as workflows may use others.
  private static let depthMax = 16

  let root: SourceNode
  let folder: ImportFolder
  let includes: TaskfileIncludes
  var tasks: [String: TaskfileIncludes.Task] = [:]
  /// The names of tasks by their aliases.
  var aliases: [String: String] = [:]
  /// The variables of the file, without those of tasks.
  var globals: [String: (node: SourceNode, position: Int)] = [:]
  var environment: [(name: String, node: SourceNode)] = []
  /// Variables that have another value in an included file.
  var ambiguous: Set<String> = []
  /// Variables that decide about more than the text of commands.
  var staticNames: Set<String> = []
  /// Variables without a value that a condition or a default has taken as not set.
  var unsetNames: Set<String> = []
  /// The names that calls of a task set.
  var passedNames: [String: Set<String>] = [:]
  /// How often tasks are called; a call in a loop counts twice.
  private var calls: [String: Int] = [:]
  var remarks: [ImportRemark] = []
  let effort = Effort()
  private var names = StepNames()
  private var ids: [String: String] = [:]
  private(set) var written: [(key: String, task: WrittenTask)] = []
  private var active: Set<String> = []

  init(_ root: SourceNode, folder: ImportFolder) {
    self.root = root
    self.folder = folder
    includes = TaskfileIncludes(root, files: folder.read)
    for task in includes.tasks where tasks[task.name] == nil {
      tasks[task.name] = task
      for alias in task.node["aliases"]?.texts ?? [] { aliases[task.prefix + alias] = task.name }
    }
    for (position, entry) in includes.variables.enumerated() {
      read(entry.pair, entry.isEnvironment, position)
    }
    for task in includes.tasks { readCalls(task) }
  }

  private func read(_ pair: SourceNode.Pair, _ isEnvironment: Bool, _ position: Int) {
    let name = pair.key.text ?? ""
    if isEnvironment {
      if !environment.contains(where: { $0.name == name }) {
        environment.append((name, pair.value))
      }
    } else if let other = globals[name] {
      if other.node.draft.lineText != pair.value.draft.lineText { ambiguous.insert(name) }
    } else {
      globals[name] = (pair.value, position)
    }
  }

  private func readCalls(_ task: TaskfileIncludes.Task) {
    let node = task.node
    for name in (node["deps"]?.texts ?? []).compactMap({ resolve($0, from: task.prefix) }) {
      calls[name, default: 0] += 1
    }
    let commands = node.isList ? node.elements : node["cmds"]?.elements ?? []
    for call in (node["deps"]?.elements ?? []) + commands {
      guard let called = call["task"]?.text ?? call["defer"]?["task"]?.text,
        let name = resolve(called, from: task.prefix)
      else { continue }
      let vars = call["vars"]?.pairs ?? call["defer"]?["vars"]?.pairs ?? []
      passedNames[name, default: []].formUnion(vars.compactMap(\.key.text))
      calls[name, default: 0] += call["for"] == nil ? 1 : 2
    }
  }

  /// Whether a task is called at more than one place, so that `run: once` changes something.
  func isCalledTwice(_ name: String) -> Bool { calls[name] ?? 0 > 1 }

  /// Whether any is.
  var isAnyCalledTwice: Bool { calls.values.contains { $0 > 1 } }

  /// Returns the task that a task of an included file means.
  func resolve(_ name: String, from prefix: String) -> String? {
    let candidates =
      name.first == ":" ? [String(name.dropFirst())] : prefix.isEmpty ? [name] : [prefix + name]
    return candidates.first { tasks[$0] != nil } ?? candidates.compactMap { aliases[$0] }.first
  }

  /// Forgets what has been written, but not what has been learnt.
  func restart() {
    written = []
    names = StepNames()
    ids = [:]
    for task in includes.tasks {
      ids[task.name] = names.workflow(for: task.name, otherwise: "task")
    }
  }

  /// Returns the workflow of a task.
  ///
  /// - Parameters:
  ///   - name: The name of the task.
  ///   - passed: The variables that a call sets.
  /// - Returns: The workflow, which is written only once for the same variables.
  /// - Throws: ``Untranslatable`` if there is no such task, or it calls itself.
  func task(_ name: String, _ passed: [String: TaskValue]) throws(Untranslatable) -> WrittenTask {
    guard let task = tasks[name] else { throw Untranslatable("the task \(name)") }
    let plain = try write(task, [:], key: name, id: ids[name] ?? name)
    if passed.isEmpty { return plain }
    if Set(passed.keys).isSubset(of: plain.parameters), !plain.isIncomplete { return plain }
    let variables = passed.keys.sorted()
    let byName = "\(name) \(variables.joined(separator: " "))"
    let base = "\(name)-with-\(variables.joined(separator: "-"))"
    let parameters = Dictionary(
      uniqueKeysWithValues: variables.map {
        ($0, TaskValue.text(ShellText(part: .parameter($0))))
      })
    let general = try write(task, parameters, key: byName, id: nil, base: base)
    guard general.isIncomplete else { return general }
    // A value that decides about more than commands needs a workflow of its own.
    var values = passed
    for name in variables {
      if case .text(let text)? = values[name], text.known == nil { return general }
      values[name] = passed[name]
    }
    forget(byName)
    let key = "\(byName) \(variables.map { "\(values[$0] ?? .nothing)" })"
    return try write(task, values, key: key, id: nil, base: base)
  }

  private func forget(_ key: String) { written.removeAll { $0.key == key } }

  private func write(
    _ task: TaskfileIncludes.Task, _ passed: [String: TaskValue], key: String, id: String?,
    base: String = ""
  ) throws(Untranslatable) -> WrittenTask {
    if let known = written.first(where: { $0.key == key }) { return known.task }
    guard active.insert(key).inserted else { throw Untranslatable("\(task.name) calls itself") }
    defer { active.remove(key) }
    guard active.count <= Self.depthMax else {
      throw Untranslatable("tasks that call too many others, one within the other")
    }
    var writer = TaskWriter(
      task, context: self, passed: passed, id: id ?? names.workflow(for: base, otherwise: "task"))
    let result = writer.write()
    written.append((key, result))
    return result
  }
}

/// Imports Taskfiles.
struct TaskfileImport {
  private let context: TaskfileContext

  init(_ root: SourceNode, folder: ImportFolder) {
    context = TaskfileContext(root, folder: folder)
  }

  /// Translates the file.
  mutating func draft() throws(ImportError) -> ImportDraft {
    let tasks = context.includes.tasks
    guard !tasks.isEmpty else { throw ImportError("a Taskfile has \"tasks\"") }
    // The second time knows which variables cannot be parameters.
    for _ in 0..<2 {
      context.restart()
      for task in tasks where task.node["internal"]?.boolean != true || task.name == "default" {
        _ = try? context.task(task.name, [:])
      }
    }
    let problems = acceptOthers()
    var remarks = context.remarks
    var items: [Draft.Item] = []
    var workflows = context.written
    // What was not read of a file could change each task.
    for position in workflows.indices {
      for problem in problems.reversed() { workflows[position].task.fail(problem) }
    }
    let used = workflows.contains { $0.task.items.contains { $0.value.mentions("#default") } }
    if let position = workflows.firstIndex(where: { $0.key == "default" }) {
      items = workflows[position].task.items
      if !used {
        remarks += workflows[position].task.remarks
        workflows.remove(at: position)
      }
    }
    let others = workflows.map { Draft.Item($0.task.id, .map($0.task.items)) }
    if !others.isEmpty { items.append(Draft.Item("workflows", .map(others))) }
    items[0].comments.insert(
      items[0].key == "workflows"
        ? "Run a task: reprise run FILE#TASK"
        : "This is the task default; other tasks: reprise run FILE#TASK", at: 0)
    for remark in workflows.flatMap(\.task.remarks) where !remarks.contains(remark) {
      remarks.append(remark)
    }
    remarks += unusedCommands(besides: remarks)
    let missing = remarks.filter { $0.weight == .missing && $0.line == 0 }
    items[0].comments += missing.map { "missing: \($0.text)" }
    return ImportDraft(
      root: .map(items), remarks: remarks,
      stepCount: context.written.reduce(0) { $0 + $1.task.stepCount })
  }

  /// Notes about the commands of variables that no task uses: there, they run before each task, which
  /// fails if they do.
  private func unusedCommands(besides remarks: [ImportRemark]) -> [ImportRemark] {
    let pairs = context.includes.variables.filter { !$0.isEnvironment }.map(\.pair)
    return pairs.filter { $0.value["sh"] != nil }.compactMap { pair in
      let name = pair.key.text ?? ""
      let isUsed = remarks.contains { $0.text.hasPrefix("\(name): ") }
      let text = "\(name): \(TaskScope.computedText)"
      return isUsed ? nil : ImportRemark(weight: .note, line: pair.value.mark.line, text: text)
    }
  }

  /// Remarks about what was not read of the files.
  ///
  /// - Returns: Those that let all tasks fail.
  private func acceptOthers() -> [ImportRemark] {
    for (line, text) in context.includes.missing {
      context.remarks.append(ImportRemark(weight: .missing, line: line, text: text))
    }
    var problems: [ImportRemark] = []
    for root in [context.root] + context.includes.files {
      for key in ["version", "output", "silent", "interval"] { root[key]?.accept() }
      if root["run"]?.mentions("always") == true || !context.isAnyCalledTwice {
        root["run"]?.accept()
      }
      // Variables that no task uses are not needed.
      for name in ["vars", "env", "tasks", "includes"] { _ = root[name]?.pairs }
      let known: Set = ["vars", "env", "tasks"]
      for part in root.unread(except: root.file.isEmpty ? known : known.union(["includes"])) {
        let place = root.file.isEmpty ? "" : " in \(root.file)"
        problems.append(
          ImportRemark(
            weight: .missing, line: root.file.isEmpty ? part.node.mark.line : 0,
            text: "\(part.path) has no equivalent\(place)"))
      }
    }
    context.remarks += problems
    return problems
  }
}

extension Draft {
  /// The value as text, to compare it.
  var lineText: String { Draft.list([Item("", self)]).lines().texts.joined(separator: "\n") }

  /// Whether a text in it is exactly this one.
  func mentions(_ text: String) -> Bool {
    if case .text(let own) = self { return own == text }
    return items.contains { $0.value.mentions(text) }
  }
}
