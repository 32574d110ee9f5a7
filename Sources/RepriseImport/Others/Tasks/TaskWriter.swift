// Writes a task of a Taskfile as a workflow.

import YAML

/// Writes one task.
struct TaskWriter {
  let task: TaskfileIncludes.Task
  let scope: TaskScope
  let id: String
  private var context: TaskfileContext { scope.context }
  private var node: SourceNode { task.node }
  private var names = StepNames()
  private var result: WrittenTask
  private var comments: [String] = []
  private var steps: [Draft.Item] = []
  private var last: [Draft.Item] = []
  /// The commands of the step that is being written, with what they need before them.
  private var script: [String] = []
  /// The steps that decide about those from a position.
  private var guards: [(condition: String, start: Int)] = []
  private var line = 0

  init(
    _ task: TaskfileIncludes.Task, context: TaskfileContext, passed: [String: TaskValue], id: String
  ) {
    self.task = task
    self.id = id
    scope = TaskScope(task, context: context, passed: passed)
    result = WrittenTask(id: id)
    line = task.node.mark.line
  }

  // MARK: The whole task

  /// Returns the workflow.
  mutating func write() -> WrittenTask {
    var description = node["desc"]?.text ?? node["summary"]?.text
    description = description.map { String($0.split(separator: "\n").first ?? "") }
    for key in [
      "desc", "summary", "label", "silent", "aliases", "internal", "interactive", "prefix",
    ] {
      node[key]?.accept()
    }
    attempt { writer throws(Untranslatable) in try writer.readBefore() }
    if scope.isHere { readCommands() } else { skip() }
    for (condition, start) in guards.reversed() { wrap(from: start, condition: condition) }
    attempt(first: true) { writer throws(Untranslatable) in try writer.readCache() }
    if node["run"]?.mentions("always") == true || !context.isCalledTwice(task.name) {
      node["run"]?.accept()
    }
    readWhole()
    if steps.isEmpty { steps.append(step([Draft.Item("run", .text("true"))])) }
    finish(description)
    return result
  }

  private mutating func finish(_ description: String?) {
    var items: [Draft.Item] = []
    if let description, !description.isEmpty {
      items.append(Draft.Item("description", .text(description)))
    }
    let aliases = (node["aliases"]?.texts ?? []).map {
      (task.prefix + $0).replacing(":", with: "-")
    }
    let isPlain = scope.passed.isEmpty && !aliases.isEmpty
    if isPlain { items.append(Draft.Item("aliases", .texts(aliases))) }
    result.parameters = scope.parameters
    if !scope.parameters.isEmpty {
      items.append(
        Draft.Item("params", .map(scope.parameters.map { Draft.Item($0, scope.parameter($0)) })))
    }
    // Nothing runs without them.
    let environment = attempt(first: true) { writer throws(Untranslatable) in
      try writer.scope.environment()
    }
    if let environment, !environment.isEmpty {
      items.append(Draft.Item("env", .map(environment)))
    }
    let files =
      attempt(first: true) { writer throws(Untranslatable) in try writer.scope.dotenv() } ?? []
    if !files.isEmpty {
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
    // A shell with the syntax of that of go-task.
    items.append(Draft.Item("shell", .texts(["bash"] + scope.shellOptions + ["-e", "-c"])))
    items.append(Draft.Item("steps", .list(steps)))
    if !last.isEmpty { items.append(Draft.Item("finally", .list(last))) }
    items[0].comments += comments
    result.items = items
    result.remarks += scope.remarks
  }

  /// Reports what was not read of the task; it changes what runs, so the task fails.
  private mutating func readWhole() {
    _ = node.text
    for part in node.unread() where part.node.mark.line > 0 {
      line = part.node.mark.line
      fail("\(part.path) has no equivalent", first: true)
    }
  }

  private mutating func skip() {
    note("it runs only on \(node["platforms"]?.texts.joined(separator: ", ") ?? "other systems")")
    for key in ["cmds", "cmd", "deps"] { node[key]?.accept() }
  }

  /// Tries a part of the translation; if it has no equivalent, the task fails at this place.
  @discardableResult
  private mutating func attempt<T>(
    first: Bool = false, _ body: (inout TaskWriter) throws(Untranslatable) -> T
  ) -> T? {
    do throws(Untranslatable) {
      return try body(&self)
    } catch {
      fail(error.reason, first: first)
      return nil
    }
  }

  private mutating func fail(_ reason: String, first: Bool = false) {
    let text = "\(task.name): \(reason)"
    if !result.remarks.contains(where: { $0.text == text && $0.line == line }) {
      result.remarks.append(ImportRemark(weight: .missing, line: line, text: text))
    }
    flush()
    var failed = step([Draft.Item("run", .text(Draft.failing(reason, line: line)))])
    failed.comments.append("missing: \(reason)")
    steps.insert(failed, at: first ? 0 : steps.count)
  }

  private mutating func note(_ text: String) {
    result.remarks.append(ImportRemark(weight: .note, line: line, text: "\(task.name): \(text)"))
    comments.append("note: \(text)")
  }

  // MARK: Steps

  private mutating func step(_ items: [Draft.Item], name: String? = nil) -> Draft.Item {
    result.stepCount += 1
    let own = names.id(for: name ?? id, otherwise: "task")
    return Draft.Item("", .map([Draft.Item("id", .text(own))] + items))
  }

  /// Returns a step that runs commands.
  private mutating func run(_ lines: [String], name: String? = nil) throws(Untranslatable)
    -> Draft.Item
  {
    let text = try scope.script(lines)
    var items: [Draft.Item] = []
    if !text.parameters.isEmpty {
      items.append(
        Draft.Item(
          "env",
          .map(text.parameters.map { Draft.Item($0, .text("${{ params.\($0) }}")) })))
    }
    if let folder = try scope.folder() { items.append(Draft.Item("dir", .text(folder))) }
    items.append(Draft.Item("run", .text(ScalarText.tidied(text.script))))
    return step(items, name: name)
  }

  /// Ends the step that is being written.
  private mutating func flush() {
    guard !script.isEmpty else { return }
    let lines = script
    script = []
    attempt { writer throws(Untranslatable) in writer.steps.append(try writer.run(lines)) }
  }

  /// Makes a group of the steps from a position, which runs only if a step before says so.
  private mutating func wrap(from start: Int, condition: String) {
    flush()
    guard steps.count > start else { return }
    let group = Draft.map([
      Draft.Item("if", .text("(steps.\(condition).outputs.run || '') == 'yes'")),
      Draft.Item("steps", .list(Array(steps[start...]))),
    ])
    steps.removeSubrange(start...)
    steps.append(Draft.Item("", group))
  }

  /// Adds a step that finds out whether something is true; returns its id.
  private mutating func check(_ test: String, _ name: String) throws(Untranslatable) -> String {
    flush()
    let line = "if \(test); then echo run=yes >> \"$REPRISE_OUTPUT\"; fi"
    let item = try run([line], name: name)
    steps.append(item)
    guard case .text(let own)? = item.value["id"] else { return name }
    return own
  }

  // MARK: Before the commands

  /// Reads what comes before the commands.
  private mutating func readBefore() throws(Untranslatable) {
    if let question = node["prompt"]?.texts.first {
      let text = try scope.text(question, known: true)
      steps.append(step([Draft.Item("approval", .text(text))], name: "\(id)-prompt"))
    }
    for required in node["requires"]?["vars"]?.elements ?? [] {
      guard let name = required.text ?? required["name"]?.text else { continue }
      let options = required["enum"]?.texts ?? []
      scope.require(name, options, required.mark.line)
      result.canRefuse = true
    }
    if let folder = try scope.folder(), !context.folder.exists(folder), scope.isHere {
      steps.append(step([Draft.Item("exec", .texts(["mkdir", "-p", folder]))], name: "\(id)-dir"))
    }
    if let condition = node["if"]?.text {
      let decides = try check(try test(condition), "\(id)-if")
      guards.append((decides, steps.count))
    }
    try readDependencies()
    for condition in node["preconditions"]?.elements ?? [] {
      line = condition.mark.line
      result.canRefuse = true
      guard let command = condition.text ?? condition["sh"]?.text else { continue }
      let message = try scope.text(
        condition["msg"]?.text ?? "`\(command)` failed", known: true)
      script.append("\(try test(command)) || { echo \(message.shellQuoted) >&2; exit 1; }")
    }
    flush()
    let status = node["status"]?.oneOrMore.compactMap(\.text) ?? []
    guard !status.isEmpty else { return }
    var tests: [String] = []
    for command in status { tests.append(try test(command)) }
    let decides = try check("! { \(tests.joined(separator: " && ")); }", "\(id)-status")
    guards.append((decides, steps.count))
  }

  /// Returns a command as a condition.
  private func test(
    _ command: String, _ inner: TaskScope? = nil
  ) throws(Untranslatable) -> String {
    let text = try (inner ?? scope).command(command)
    var place = ShellPlace()
    place.read(text)
    guard place.operators.contains(where: { ";\n&".contains($0) }), !place.operators.contains("&&")
    else { return "( \(text) )" }
    // The condition of a shell does not end with the first command that fails.
    guard scope.exports(text) else { throw Untranslatable("a condition with a computed value") }
    return "bash -e -c \(text.shellQuoted)"
  }

  private mutating func readDependencies() throws(Untranslatable) {
    var branches: [Draft.Item] = []
    for dependency in node["deps"]?.elements ?? [] {
      line = dependency.mark.line
      for loop in try scope.loop(dependency["for"]) {
        branches.append(try call(dependency, loop))
      }
    }
    guard !branches.isEmpty else { return }
    if branches.count == 1 {
      steps.append(branches[0])
    } else {
      steps.append(Draft.Item("", .map([Draft.Item("parallel", .list(branches))])))
    }
  }

  /// Returns a step that runs another task.
  private mutating func call(
    _ node: SourceNode, _ loop: [String: TaskValue]
  ) throws(Untranslatable) -> Draft.Item {
    node["silent"]?.accept()
    guard let given = node.text ?? node["task"]?.text else {
      throw Untranslatable("a call without a task")
    }
    let inner = scope.with(loop)
    let called = try inner.text(given, known: true)
    guard let name = context.resolve(called, from: task.prefix) else {
      throw Untranslatable("there is no task \(called)")
    }
    var passed: [String: TaskValue] = [:]
    for pair in node["vars"]?.pairs ?? [] {
      passed[pair.key.text ?? ""] = try inner.value(of: pair.value)
    }
    let other = try context.task(name, passed)
    var items = [Draft.Item("uses", .text("#\(other.id)"))]
    var with: [Draft.Item] = []
    for parameter in other.parameters {
      if let value = passed[parameter] {
        with.append(Draft.Item(parameter, .text(try scope.expression(value))))
      } else if scope.inherits(parameter) {
        with.append(Draft.Item(parameter, .text("${{ params.\(parameter) }}")))
      }
    }
    if !with.isEmpty { items.append(Draft.Item("with", .map(with))) }
    let ignores = node["ignore_error"]?.boolean == true || scope.ignoresErrors
    guard !ignores || !other.canRefuse else {
      throw Untranslatable("an error of \(name) that is ignored, but not that of its conditions")
    }
    result.canRefuse = result.canRefuse || other.canRefuse
    if ignores { items.append(Draft.Item("continue-on-error", .word("true"))) }
    return step(items, name: name)
  }

  // MARK: Commands

  private mutating func readCommands() {
    scope.ignoresErrors = node["ignore_error"]?.boolean == true
    let commands =
      node.text != nil || node.isList ? node.oneOrMore : node["cmds"]?.oneOrMore ?? []
    for command in commands + [node["cmd"]].compactMap(\.self) {
      line = command.mark.line
      attempt { writer throws(Untranslatable) in try writer.read(command) }
    }
    flush()
  }

  private mutating func read(_ command: SourceNode) throws(Untranslatable) {
    if let text = command.text { return script.append(try commandLine(text, command, [:])) }
    command["silent"]?.accept()
    if let platforms = command["platforms"]?.texts, !scope.isHere(platforms) {
      command.accept()
      return note("a command runs only on \(platforms.joined(separator: ", "))")
    }
    if let deferred = command["defer"] { return try readDeferred(deferred) }
    if let variable = try scope.shellLoop(command["for"]), let text = command["cmd"]?.text {
      let body = try commandLine(
        text, command, [variable.name: .text(ShellText(part: .shell("${\(variable.name)}")))])
      return script.append(
        "set -f; for \(variable.name) in \(variable.words); do set +f\n\(body)\ndone; set +f")
    }
    for loop in try scope.loop(command["for"]) {
      if let text = command["cmd"]?.text {
        script.append(try commandLine(text, command, loop))
      } else if command["task"] != nil {
        flush()
        var item = try call(command, loop)
        if let condition = command["if"]?.text {
          let decides = try check(try test(condition, scope.with(loop)), "\(id)-if")
          item.value.items.insert(
            Draft.Item("if", .text("(steps.\(decides).outputs.run || '') == 'yes'")), at: 1)
        }
        steps.append(item)
      } else {
        throw Untranslatable("a command of this kind")
      }
    }
  }

  private func commandLine(
    _ text: String, _ node: SourceNode, _ loop: [String: TaskValue]
  ) throws(Untranslatable) -> String {
    let inner = scope.with(loop)
    var line = try inner.command(text).trimmed
    if line.isEmpty { line = "true" }
    let ignores = !node.isMap ? false : node["ignore_error"]?.boolean == true
    line = try CommandLine(
      text: line, ignoresErrors: ignores || scope.ignoresErrors, endsAtFailure: true,
      mayChangeShell: scope.beginsWithRequired(line)
    ).script()
    if node.isMap, let condition = node["if"]?.text {
      return "if \(try test(condition, inner)); then\n\(line)\nfi"
    }
    return line
  }

  private mutating func readDeferred(_ node: SourceNode) throws(Untranslatable) {
    if !steps.isEmpty || !script.isEmpty {
      note("what is deferred runs also if a command before it has failed")
    }
    var item: Draft.Item
    if let text = node.text ?? node["cmd"]?.text {
      item = try run([try commandLine(text, node, [:])], name: "\(id)-deferred")
    } else {
      item = try call(node, [:])
    }
    item.value["continue-on-error"] = .word("true")
    last.insert(item, at: 0)
  }

  // MARK: Files

  private mutating func readCache() throws(Untranslatable) {
    let sources = try scope.patterns(node["sources"])
    let generated = try scope.patterns(node["generates"])
    let method = node["method"]?.text ?? context.root["method"]?.text
    guard !sources.isEmpty, method != "none" else { return }
    guard steps.count == 1, steps[0].value["run"] != nil, last.isEmpty else {
      return note("sources: it runs each time")
    }
    if method == "timestamp" { note("the contents of files count, not their times") }
    var items = [Draft.Item("inputs", .texts(sources))]
    if !generated.isEmpty {
      items.append(Draft.Item("makes", .texts(generated)))
      note("it fails if it does not make the files of generates")
    }
    steps[0].value.items.insert(Draft.Item("cache", .map(items)), at: 1)
  }
}
