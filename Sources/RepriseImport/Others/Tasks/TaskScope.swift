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
  /// The lines of a script that set variables, by name.
  private var computed: [(name: String, line: String)] = []
  /// The variables that are being evaluated.
  private var active: Set<String> = []

  private var own: SourceNode { task.node }
  static let hereVariable = "ROOT_DIR"
  private static let roundsMax = 1000

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

  var machine: (system: String, architecture: String) {
    let system = context.folder.system.lowercased()
    let architecture = ["x86_64": "amd64", "aarch64": "arm64"][context.folder.architecture]
    let text = "OS and ARCH of templates are those of this machine"
    if !top.remarks.contains(where: { $0.text == text }) {
      top.remarks.append(ImportRemark(weight: .note, line: 0, text: text))
    }
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
    if let node = own["vars"]?[name], active.insert("own \(name)").inserted {
      defer { active.remove("own \(name)") }
      return try value(of: node, name: name)
    }
    if let value = passed[name] {
      if value == .text(ShellText(part: .parameter(name))) {
        if mustBeKnown { throw Untranslatable("\(name) is known only when it runs") }
        add(name)
      }
      return value
    }
    if let node = context.globals[name] {
      if context.ambiguous.contains(name) {
        throw Untranslatable("\(name) has different values in several files")
      }
      guard active.insert(name).inserted else { throw Untranslatable("\(name) is made of itself") }
      defer { active.remove(name) }
      return try global(name, node, mustBeKnown)
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
    guard isOptional else { throw Untranslatable("the variable \(name) is not set") }
    return .nothing
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
      // Without arguments, it is empty.
      guard !mustBeKnown else { return TaskValue("") }
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
      if !computed.contains(where: { $0.name == name }) {
        let text = try self.command(command)
        computed.append((name, "\(name)=\"$(\(text))\""))
      }
      return .text(ShellText(part: .shell("${\(name)}")))
    }
    if let reference = node["ref"]?.text {
      return try Pipeline(reference, self, mustBeKnown: false).value()
    }
    if let map = node["map"] { return TaskValue(map) }
    guard !node.isMap else { throw Untranslatable("a variable of this kind") }
    guard let text = node.text, text.contains("{{") else { return TaskValue(node) }
    // Each is several calls deep.
    try Effort.check(depth: 2 * active.count)
    let value = try TaskTemplate(text).value(self)
    try context.effort.spend(value.printed)
    return value
  }

  func require(_ name: String, _ options: [String]) {
    guard context.globals[name] == nil, passed[name] == nil else { return }
    required[name] = options
    add(name)
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
    if passed[name] == nil, let node = context.globals[name],
      let known = try? value(of: node).printed.known
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
    for entry in computed.reversed() where text.contains("${\(entry.name)}") {
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

  // MARK: Settings

  /// The folder of the commands; nil for that of the file.
  func folder() throws(Untranslatable) -> String? {
    let given = try own["dir"].map { node throws(Untranslatable) in
      MakePattern.relative(try text(node.text ?? "", known: true))
    }
    if let given, given.first == "/" { return given }
    let parts = [task.folder, given].compactMap(\.self).filter { !$0.isEmpty && $0 != "." }
    return parts.isEmpty ? nil : parts.joined(separator: "/")
  }

  /// The environment of the workflow; that of the process takes precedence.
  func environment() throws(Untranslatable) -> [Draft.Item] {
    var items: [Draft.Item] = []
    let ownPairs = own["env"]?.pairs.map { ($0.key.text ?? "", $0.value) } ?? []
    for (name, node) in context.environment + ownPairs where StepNames.identifier(name) == name {
      items.removeAll { $0.key == name }
      guard !node.isNull else { continue }
      let text = try value(of: node, name: name).printed
      if let known = text.known, !known.contains(MakeVariables.here) {
        let literal = "'\(known.replacing("'", with: "''"))'"
        items.append(Draft.Item(name, .text("${{ env.\(name) || \(literal) }}")))
      } else {
        throw Untranslatable("the variable \(name) of the environment is computed")
      }
    }
    return items
  }

  func dotenv() throws(Untranslatable) -> [String] {
    var files: [String] = []
    for node in [own["dotenv"], context.root["dotenv"]].compactMap(\.self) {
      for file in node.texts { files.append(MakePattern.relative(try text(file, known: true))) }
    }
    // There, the first file that sets a variable counts, here the last one.
    return files.reversed()
  }

  var shellOptions: [String] {
    let names = (context.root["set"]?.texts ?? []) + (own["set"]?.texts ?? [])
    let options = names.filter { $0 != "errexit" && $0 != "e" }.flatMap { ["-o", $0] }
    let more = (context.root["shopt"]?.texts ?? []) + (own["shopt"]?.texts ?? [])
    return more.flatMap { ["-O", $0] } + options
  }

  func patterns(_ node: SourceNode?) throws(Untranslatable) -> [String] {
    var patterns: [String] = []
    for element in node?.oneOrMore ?? [] {
      guard let pattern = element.text ?? element["exclude"]?.text else { continue }
      let path = MakePattern.relative(try text(pattern, known: true))
      patterns.append(element.isMap ? "!" + path : path)
    }
    return patterns
  }

  // MARK: Systems and loops

  /// Whether the task runs on this machine.
  var isHere: Bool { own["platforms"].map { isHere($0.texts) } ?? true }

  func isHere(_ platforms: [String]) -> Bool {
    let own = machine
    return platforms.contains { platform in
      platform == own.system || platform == own.architecture
        || platform == "\(own.system)/\(own.architecture)"
    }
  }

  /// The words of a loop that only a shell knows; nil for another one.
  func shellLoop(_ node: SourceNode?) throws(Untranslatable) -> (name: String, words: String)? {
    guard let node, let variable = node["var"]?.text else { return nil }
    let name = node["as"]?.text ?? "ITEM"
    guard case .text(let text) = try value(variable, mustBeKnown: false, isOptional: false),
      text.known == nil, node["split"] == nil
    else { return nil }
    return (name, try text.script())
  }

  /// Returns the variables of each round of a loop; one without any if there is no loop.
  func loop(_ node: SourceNode?) throws(Untranslatable) -> [[String: TaskValue]] {
    guard let node else { return [[:]] }
    if node.isList {
      var rounds: [[String: TaskValue]] = []
      for element in node.elements { rounds.append(["ITEM": try value(of: element)]) }
      return rounds
    }
    let name = node["as"]?.text ?? "ITEM"
    if let matrix = node["matrix"] {
      var rounds: [[String: TaskValue]] = [[:]]
      for pair in matrix.pairs {
        let key = pair.key.text ?? ""
        guard rounds.count * pair.value.elements.count <= Self.roundsMax else {
          throw Untranslatable("a loop with more than \(Self.roundsMax) rounds")
        }
        rounds = rounds.flatMap { round in
          pair.value.elements.map { element in
            var round = round
            round[key] = TaskValue(element)
            return round
          }
        }
      }
      return rounds.map { [name: .map($0)] }
    }
    guard let variable = node["var"]?.text else {
      throw Untranslatable("a loop of this kind: \(node.text ?? "for")")
    }
    switch try value(variable, mustBeKnown: true, isOptional: false) {
    case .list(let values): return values.map { [name: $0] }
    case .map(let values):
      return values.sorted { $0.key < $1.key }.map { [name: $1, "KEY": TaskValue($0)] }
    case let other:
      let text = try other.known("a loop")
      let words =
        node["split"]?.text.map {
          text.split(separator: $0, omittingEmptySubsequences: false).map(String.init)
        } ?? text.words
      return words.map { [name: TaskValue($0)] }
    }
  }
}
