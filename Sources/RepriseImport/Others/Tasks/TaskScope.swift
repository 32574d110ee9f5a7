// The variables of a task of a Taskfile, and the texts that use them.

import YAML

/// What the names in the templates of a task mean.
///
/// It is used by one thread.
final class TaskScope: TaskNames {
  let task: TaskfileIncludes.Task
  let context: TaskfileContext
  let passed: [String: TaskValue]
  private let loop: [String: TaskValue]
  private let parent: TaskScope?
  /// Whether commands that fail are ignored.
  var ignoresErrors = false
  private(set) var parameters: [String] = []
  private(set) var remarks: [ImportRemark] = []
  private var required: [String: [String]] = [:]
  /// The lines of a script that set variables, each with the place where the variable is set.
  private var computed: [(name: String, line: String, place: (layer: Int, position: Int))] = []
  /// The names of the settings that are being evaluated.
  private var active: Set<String> = []
  /// The positions of the variables that are being evaluated: only those before them are set.
  private var limits: [Layer: Int] = [:]
  private var depth = 0

  /// The places where variables are set, each of which can use those before it.
  private enum Layer { case task, file, all }

  var own: SourceNode { task.node }
  static let hereVariable = "ROOT_DIR"

  init(
    _ task: TaskfileIncludes.Task, context: TaskfileContext, passed: [String: TaskValue],
    loop: [String: TaskValue] = [:], parent: TaskScope? = nil
  ) {
    self.task = task
    self.context = context
    self.passed = passed
    self.loop = loop
    self.parent = parent
  }

  /// The same with the variables of a loop.
  func with(_ loop: [String: TaskValue]) -> TaskScope {
    loop.isEmpty
      ? self : TaskScope(task, context: context, passed: passed, loop: loop, parent: self)
  }

  private var top: TaskScope { parent ?? self }

  func note(_ line: Int, _ text: String) {
    let remark = ImportRemark(weight: .note, line: line, text: text)
    if !top.remarks.contains(remark) { top.remarks.append(remark) }
  }

  var machine: (system: String, architecture: String) {
    let system = context.folder.system.lowercased()
    let architecture = ["x86_64": "amd64", "aarch64": "arm64"][context.folder.architecture]
    note(0, "OS and ARCH of templates are those of this machine")
    return (system, architecture ?? context.folder.architecture)
  }

  // MARK: Names

  func value(
    _ name: String, mustBeKnown: Bool, isOptional: Bool
  ) throws(Untranslatable) -> TaskValue {
    if let value = loop[name] { return value }
    if let parent {
      return try parent.value(name, mustBeKnown: mustBeKnown, isOptional: isOptional)
    }
    if let value = try special(name, mustBeKnown) { return value }
    if let value = try variable(name, .task, own["vars"]?.pairs ?? []) { return value }
    if limits[.all] == nil, limits[.file] == nil, let value = passed[name] {
      if value == .text(ShellText(part: .parameter(name))) {
        if mustBeKnown { throw Untranslatable("\(name) is known only when it runs") }
        add(name)
      }
      return value
    }
    if context.ambiguous.contains(name) || context.globals[name] == nil,
      let value = try variable(name, .file, task.variables)
    {
      return value
    }
    if let (node, position) = context.globals[name], position < limits[.all] ?? .max {
      if context.ambiguous.contains(name) {
        throw Untranslatable("\(name) has different values in several files")
      }
      return try limited(to: position, .all) { () throws(Untranslatable) in
        try global(name, node, mustBeKnown)
      }
    }
    if context.environment.contains(where: { $0.name == name })
      || own["env"]?.pairs.contains(where: { $0.key.text == name }) == true
      || MakeVariables.environment.contains(name)
    {
      if mustBeKnown { throw Untranslatable("\(name) is a variable of the environment") }
      return .text(ShellText(part: .shell("${\(name)}")))
    }
    let isRequired = required[name] != nil
    if isRequired || !isOptional && context.passedNames[task.name]?.contains(name) == true {
      if mustBeKnown { throw Untranslatable("\(name) is known only when it runs") }
      add(name)
      return .text(ShellText(part: .parameter(name)))
    }
    guard isOptional else { return try undefined(name, mustBeKnown) }
    context.unsetNames.insert(name)
    note(own.mark.line, "\(task.name): \(name) is not set, as without a value for it")
    return .nothing
  }

  /// Returns the value of a variable that no file sets: a parameter that must be given.
  private func undefined(
    _ name: String, _ mustBeKnown: Bool
  ) throws(Untranslatable) -> TaskValue {
    let isSet =
      context.globals[name] != nil || passed[name] != nil
      || ((own["vars"]?.pairs ?? []) + task.variables).contains { $0.key.text == name }
    // A file of variables could set it.
    let hasFiles = context.root["dotenv"] != nil || own["dotenv"] != nil
    guard !mustBeKnown, !isSet, !hasFiles, !context.unsetNames.contains(name),
      MakeVariables.canBeGiven(name)
    else { throw Untranslatable("the variable \(name) is not set") }
    required[name] = []
    add(name)
    note(
      own.mark.line,
      "\(task.name): \(name) comes from the environment there, or is empty; here it must be given: "
        + "-p \(name)=VALUE, in which a shell reads no quotes")
    return .text(ShellText(part: .parameter(name)))
  }

  /// Whether a command begins with a variable that must be given, which could be `cd`.
  func beginsWithRequired(_ command: String) -> Bool {
    top.required.keys.contains { command.hasPrefix("${\($0)}") }
  }

  /// Returns the value of the last of these variables that is set before the one that uses it.
  private func variable(
    _ name: String, _ layer: Layer, _ pairs: [SourceNode.Pair]
  ) throws(Untranslatable) -> TaskValue? {
    // The variables of a file are set before those of a task.
    guard limits[.all] == nil, layer == .file || limits[.file] == nil else { return nil }
    let limit = limits[layer] ?? .max
    let position = pairs.indices.last {
      $0 < limit && pairs[$0].key.text == name && !pairs[$0].value.isNull
    }
    guard let position else { return nil }
    return try limited(to: position, layer) { () throws(Untranslatable) in
      try value(of: pairs[position].value, name: name)
    }
  }

  private func limited(
    to position: Int, _ layer: Layer, _ body: () throws(Untranslatable) -> TaskValue
  ) throws(Untranslatable) -> TaskValue {
    let old = limits[layer]
    limits[layer] = position
    defer { limits[layer] = old }
    return try body()
  }

  private func special(_ name: String, _ mustBeKnown: Bool) throws(Untranslatable) -> TaskValue? {
    let here = MakeVariables.here
    switch name {
    case "TASK", "ALIAS": return TaskValue(task.name)
    case "ROOT_DIR", "USER_WORKING_DIR": return TaskValue(here)
    case "TASKFILE_DIR":
      let path = task.file.file
      return TaskValue(path.contains("/") ? here + "/" + MakePattern.folder(path) : here)
    case "TASK_DIR":
      guard active.insert("TASK_DIR").inserted else { throw Untranslatable("TASK_DIR in dir") }
      defer { active.remove("TASK_DIR") }
      return TaskValue(try folder().map { here + "/" + $0 } ?? here)
    case "CLI_ARGS":
      guard !mustBeKnown else {
        note(own.mark.line, "\(task.name): CLI_ARGS is empty, as without arguments")
        return TaskValue("")
      }
      add(name)
      return .text(ShellText(part: .parameter(name)))
    case "CLI_FORCE", "CLI_SILENT", "CLI_VERBOSE", "CLI_OFFLINE": return .boolean(false)
    case "TASKFILE", "TASK_VERSION", "CHECKSUM", "TIMESTAMP", "EXIT_CODE", "CLI_ARGS_LIST":
      throw Untranslatable("the variable \(name)")
    default: return nil
    }
  }

  private func global(
    _ name: String, _ node: SourceNode, _ mustBeKnown: Bool
  ) throws(Untranslatable) -> TaskValue {
    let value = try value(of: node, name: name)
    if mustBeKnown { context.staticNames.insert(name) }
    guard !mustBeKnown, case .text(let text) = value, let known = text.known,
      MakeVariables.isPlain(known), StepNames.identifier(name) == name,
      !context.staticNames.contains(name), !MakeVariables.environment.contains(name)
    else { return value }
    add(name)
    return .text(ShellText(part: .parameter(name)))
  }

  private func add(_ name: String) {
    if !parameters.contains(name) { parameters.append(name) }
  }

  /// Returns the value of a variable; a command becomes a line that sets a variable of the script.
  func value(of node: SourceNode, name: String? = nil) throws(Untranslatable) -> TaskValue {
    if let command = node["sh"]?.text {
      guard let name, StepNames.identifier(name) == name,
        !MakeVariables.environment.contains(name)
      else { throw Untranslatable("the output of \(command)") }
      // A command is many calls deep, and the call stack of a thread can be small.
      depth += 2
      defer { depth -= 2 }
      try Effort.check(depth: 2 * depth)
      try compute(name, command, node.mark.line)
      return .text(ShellText(part: .shell("${\(name)}")))
    }
    if let reference = node["ref"]?.text {
      return try Pipeline(reference, self, mustBeKnown: false).value()
    }
    if let map = node["map"] { return TaskValue(map) }
    guard !node.isMap else { throw Untranslatable("a variable of this kind") }
    guard let text = node.text, text.contains("{{") else { return TaskValue(node) }
    // Each is several calls deep.
    depth += 1
    defer { depth -= 1 }
    try Effort.check(depth: 2 * depth)
    let value = try TaskTemplate(text).value(self)
    try context.effort.spend(value.printed)
    return value
  }

  /// Adds a line that sets a variable to what a command prints.
  private func compute(_ name: String, _ command: String, _ line: Int) throws(Untranslatable) {
    // There, all are computed in the order in which they are set: those of the file first.
    let place =
      limits[.all].map { (0, $0) } ?? limits[.file].map { (1, $0) } ?? (2, limits[.task] ?? .max)
    if computed.contains(where: { $0.name == name && $0.place == place }) { return }
    let text = "\(name)=\"$(\(try self.command(command)))\""
    guard !computed.contains(where: { $0.name == name }) else {
      throw Untranslatable("\(name) has different values in this task")
    }
    if let other = shared(in: command) {
      throw Untranslatable("the variable $\(other) in the command of \(name)")
    }
    computed.append((name, text, place))
    note(line, "\(name): \(Self.computedText)")
  }

  /// The first variable of the file that a command of a variable names: there, it is in its environment.
  private func shared(in command: String) -> String? {
    let names = command.split(separator: "$", omittingEmptySubsequences: false).dropFirst().map {
      String($0.drop { $0 == "{" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }
    let own = ((own["vars"]?.pairs ?? []) + task.variables).compactMap(\.key.text)
    return names.first { name in
      !MakeVariables.environment.contains(name)
        && (own.contains(name) || context.globals[name] != nil || passed[name] != nil
          || (try? special(name, false)) != nil)
    }
  }

  /// What is said of a variable that a command computes.
  static let computedText =
    "its command runs in each step that uses it, and the shell reads no quotes in what it prints"

  func require(_ name: String, _ options: [String], _ line: Int) {
    guard context.globals[name] == nil, passed[name] == nil else { return }
    required[name] = options
    add(name)
    note(line, "\(name) must be given before anything runs")
  }

  /// Whether a task that is used gets this parameter from this one.
  func inherits(_ name: String) -> Bool {
    guard passed[name] == nil else { return false }
    add(name)
    return true
  }

  /// The declaration of a parameter.
  func parameter(_ name: String) -> Draft {
    if let options = required[name], !options.isEmpty {
      return .map([Draft.Item("options", .texts(options))])
    }
    if name == "CLI_ARGS" { return .parameter("") }
    if passed[name] == nil, let (node, position) = context.globals[name],
      let value = try? limited(
        to: position, .all, { () throws(Untranslatable) in try value(of: node) }),
      let known = value.printed.known
    {
      return .parameter(known)
    }
    return .map([Draft.Item("type", .text("string"))])
  }

  /// The value of a parameter of a task that this one uses.
  func expression(_ value: TaskValue) throws(Untranslatable) -> String {
    var text = ""
    for part in value.printed.parts {
      switch part {
      case .literal(let literal):
        guard !literal.contains(MakeVariables.here) else {
          throw Untranslatable("the folder of the file as a variable of a call")
        }
        text += literal
      case .parameter(let name): text += "${{ params.\(name) }}"
      case .shell(let expansion): throw Untranslatable("\(expansion) as a variable of a call")
      }
    }
    return text
  }

  // MARK: Texts

  /// Returns a command for a shell; parameters are variables of the same names.
  func command(_ text: String) throws(Untranslatable) -> String {
    try TaskTemplate(text).text(self).script()
  }

  /// Whether another shell knows all variables of a script.
  func exports(_ script: String) -> Bool {
    !script.contains(MakeVariables.here)
      && !computed.contains { script.contains("${\($0.name)}") }
  }

  func text(_ text: String, known: Bool) throws(Untranslatable) -> String {
    let value = try TaskTemplate(text).text(self, known: known)
    guard let result = value.known else {
      throw Untranslatable("\(text) is known only when it runs")
    }
    return result
  }

  /// Returns a script with the lines that set what it uses.
  func script(_ lines: [String]) throws(Untranslatable) -> (script: String, parameters: [String]) {
    var body = lines
    var text = lines.joined(separator: "\n")
    for entry in computed.sorted(by: { $0.place > $1.place })
    where text.contains("${\(entry.name)}") {
      body.insert(entry.line, at: 0)
      text = entry.line + "\n" + text
    }
    if text.contains(MakeVariables.here) {
      let depth = try folder().map { $0.split(separator: "/") } ?? []
      guard try folder()?.first != "/" else { throw Untranslatable("the folder of the file") }
      let up = Array(repeating: "..", count: depth.count).joined(separator: "/")
      body.insert(
        "\(Self.hereVariable)=" + (up.isEmpty ? "$PWD" : "$(cd \(up) && pwd)"), at: 0)
    }
    let script = body.joined(separator: "\n")
      .replacing(MakeVariables.here, with: "${\(Self.hereVariable)}")
    return (script, parameters.filter { script.contains("${\($0)}") })
  }
}
