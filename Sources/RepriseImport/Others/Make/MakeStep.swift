// Writes a target of a makefile as a step.

/// Writes one target.
struct MakeStep {
  let target: MakeTarget
  let graph: MakeGraph
  /// The variables of the target, and of those that need it.
  var own: [String: MakeVariable]
  private(set) var parameters: [String] = []
  private var comments: [String] = []
  private var shell: [String]?
  /// Whether the shell of each line ends with the first command that fails.
  private var endsAtFailure = false
  /// The line of the command that could not be translated.
  private var failedLine: Int?

  var makefile: Makefile { graph.makefile }
  var variables: MakeVariables { makefile.variables }

  init(target: MakeTarget, graph: MakeGraph, own: [String: MakeVariable]) {
    self.target = target
    self.graph = graph
    self.own = own
  }

  /// Returns the step, without its id and needs.
  mutating func items() -> (items: [Draft.Item], comments: [String]) {
    var script: [String] = []
    do throws(Untranslatable) {
      if let problem = target.problem { throw Untranslatable(problem) }
      if let problem = makefile.problem {
        failedLine = problem.line
        throw Untranslatable(problem.text)
      }
      script = try recipe()
      for name in parameters { makefile.findings.noteRequired(name, target.line) }
    } catch {
      let line = failedLine ?? target.line
      fail(line, error.reason)
      script = [Draft.failing(error.reason, line: line)]
      parameters = []
    }
    if script.contains(where: { $0.contains("${\(MakeVariables.hereVariable)}") }) {
      script.insert("\(MakeVariables.hereVariable)=$PWD", at: 0)
    }
    var items: [Draft.Item] = []
    if let condition = condition() {
      items.append(Draft.Item("if", .map([Draft.Item("run", .text(condition))])))
    }
    if !parameters.isEmpty {
      items.append(
        Draft.Item(
          "env", .map(parameters.map { Draft.Item($0, .text("${{ params.\($0) }}")) })))
    }
    if let shell { items.append(Draft.Item("shell", .texts(shell))) }
    let lines = script.isEmpty ? "true" : ScalarText.tidied(script.joined(separator: "\n"))
    items.append(Draft.Item("run", .text(lines)))
    return (items, comments)
  }

  private mutating func fail(_ line: Int, _ reason: String) {
    // What is missing in the whole file has been said once.
    if makefile.problem == nil || target.problem != nil {
      makefile.findings.remark(.missing, line, "\(target.name): \(reason)")
    }
    comments.append("missing: \(reason)")
    for command in target.recipe ?? [] { comments.append("  \(command.text)") }
  }

  // MARK: Whether it runs

  /// Returns a script that succeeds if the target must be made; nil if it always must.
  private func condition() -> String? {
    guard !makefile.phony.contains(target.name), target.problem == nil, makefile.problem == nil,
      !target.isDouble || !target.prerequisites.isEmpty
    else { return nil }
    let name = MakePattern.relative(target.name)
    var tests = ["[ ! -e \(name.shellQuoted) ]"]
    let prerequisites = Self.unique(target.prerequisites)
    for prerequisite in prerequisites {
      if makefile.phony.contains(prerequisite) { return nil }
    }
    let made = prerequisites.filter { graph.target($0) != nil }
    let others = prerequisites.filter { graph.target($0) == nil }
    if prerequisites.count > 4 {
      let list = prerequisites.map { MakePattern.relative($0).shellQuoted }.joined(separator: " ")
      return """
        \(tests[0]) && exit 0
        for file in \(list); do
          if [ ! -e "$file" ] || [ "$file" -nt \(name.shellQuoted) ]; then exit 0; fi
        done
        exit 1
        """
    }
    for file in made { tests.append("[ ! -e \(MakePattern.relative(file).shellQuoted) ]") }
    for file in made + others {
      tests.append("[ \(MakePattern.relative(file).shellQuoted) -nt \(name.shellQuoted) ]")
    }
    return tests.joined(separator: " || ")
  }

  static func unique(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  // MARK: Commands

  private func scope() -> MakeScope {
    let names = target.prerequisites
    let unique = Self.unique(names)
    var scope = MakeScope(own: own, isScript: true)
    var automatic: [String: String] = [
      "@": target.name, "<": names.first ?? "", "^": unique.joined(separator: " "),
      "+": names.joined(separator: " "), "|": Self.unique(target.orderOnly).joined(separator: " "),
    ]
    if let stem = target.stem { automatic["*"] = stem }
    scope.automatic = automatic.mapValues { ShellText($0) }
    return scope
  }

  private mutating func recipe() throws(Untranslatable) -> [String] {
    var scope = scope()
    var lines: [String] = []
    for name in Self.unique(target.prerequisites + target.orderOnly)
    where graph.target(name) == nil && !variables.folder.exists(name) {
      guard !graph.mayMatch(name) else {
        throw Untranslatable("whether a rule makes \(name) depends on files that are not there")
      }
      let path = MakePattern.relative(name).shellQuoted
      let message = "no rule makes \(name), which \(target.name) needs".shellQuoted
      lines.append("[ -e \(path) ] || { echo \(message) >&2; exit 1; }")
    }
    lines += try exports(scope)
    try readShell(scope)
    let isOne = makefile.settings.contains(".ONESHELL")
    var commands: [(text: String, test: MakeTest?)] = []
    lines = Self.checks(makefile.checks) + lines
    for command in target.recipe ?? [] {
      let text: ShellText
      do throws(Untranslatable) {
        if let message = try stop(command, scope) {
          guard let test = command.test else { return Self.stopping(message) }
          lines += Self.checks([MakeCheck(test: test, message: message)])
          continue
        }
        if isOne, command.test != nil { throw Untranslatable("a condition and .ONESHELL") }
        if command.test == nil, let line = try assignment(command, &scope) {
          lines.append(line)
          continue
        }
        text = try variables.expanded(command.text, scope)
      } catch {
        failedLine = command.line
        throw error
      }
      do throws(Untranslatable) {
        try use(text)
      } catch {
        failedLine = command.line
        throw error
      }
      let script = try text.script().replacing(
        MakeVariables.here, with: "${\(MakeVariables.hereVariable)}")
      commands += (isOne ? [script] : Self.split(script)).map { ($0, command.test) }
    }
    if makefile.settings.contains(".DELETE_ON_ERROR"), !makefile.phony.contains(target.name) {
      let name = MakePattern.relative(target.name).shellQuoted
      lines.append("trap '[ $? = 0 ] || rm -f '\(name.shellQuoted) EXIT")
    }
    if isOne { return lines + (try oneShell(commands.map(\.text))) }
    var written: [(text: String, test: MakeTest?)] = []
    for command in commands {
      if let line = try line(command.text) { written.append((line, command.test)) }
    }
    return lines + Self.conditional(written)
  }

  /// Notes the parameters of a text that the script has.
  ///
  /// - Throws: ``Untranslatable`` if one has no single value for the whole file.
  mutating func use(_ text: ShellText) throws(Untranslatable) {
    for name in text.parameters where !parameters.contains(name) {
      if makefile.findings.requiredNames.contains(name) {
        guard variables[name] == nil, own[name] == nil else {
          throw Untranslatable("the variable \(name) is used before it is defined")
        }
        guard !makefile.findings.unsetNames.contains(name) else {
          throw Untranslatable("the file takes the variable \(name) as not set")
        }
      }
      parameters.append(name)
    }
  }

  private static func stopping(_ message: String) -> [String] {
    ["echo \("*** \(message).  Stop.".shellQuoted) >&2; exit 2"]
  }

  /// Returns the message of a line `$(error …)`: make runs nothing of its recipe.
  private func stop(
    _ command: MakeCommand, _ scope: MakeScope
  ) throws(Untranslatable) -> String? {
    guard let text = Self.argument(of: "error", in: command.text) else { return nil }
    let message = try variables.known(text, scope)
    guard !message.contains(MakeVariables.here) else { return nil }
    return message
  }

  /// Reads a line `$(eval NAME := $(shell …))`: returns the line that sets a variable of the script.
  ///
  /// make computes all lines before it runs the first one.
  private mutating func assignment(
    _ command: MakeCommand, _ scope: inout MakeScope
  ) throws(Untranslatable) -> String? {
    guard let text = Self.argument(of: "eval", in: command.text),
      let assignment = MakeAssignment(String(text)), [":=", "="].contains(assignment.kind),
      !assignment.isExported, case let name = String(assignment.name),
      StepNames.identifier(name) == name, variables[name] == nil, scope.own[name] == nil,
      !MakeVariables.environment.contains(name)
    else { return nil }
    var kept = scope
    kept.isKept = true
    let value = try variables.expanded(assignment.value, kept)
    guard value.parts.count == 1, case .shell(let output) = value.parts[0] else {
      throw Untranslatable(String(command.text.trimmed.prefix(60)))
    }
    var variable = MakeVariable(raw: "", line: command.line)
    variable.value = ShellText(part: .shell("${\(name)}"))
    scope.own[name] = variable
    own[name] = variable
    return "\(name)=\"\(ShellText.expansion(output, isQuoted: true))\" || true".replacing(
      MakeVariables.here, with: "${\(MakeVariables.hereVariable)}")
  }

  /// The argument of a function that is a whole command.
  static func argument(of function: String, in command: String) -> Substring? {
    let text = command.trimmed[...].drop { "@-+ ".contains($0) }
    guard text.hasPrefix("$(\(function) "),
      let end = MakeVariables.end(of: text.dropFirst(2), "("),
      text[text.index(after: end)...].trimmed.isEmpty
    else { return nil }
    return text[..<end].dropFirst(function.count + 3)
  }

  /// Splits the text of a command at the line feeds of a definition.
  private static func split(_ text: String) -> [String] {
    var lines: [String] = []
    for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let last = lines.last, last.reversed().prefix(while: { $0 == "\\" }).count % 2 == 1 {
        lines[lines.count - 1] = last + "\n" + part
      } else {
        lines.append(String(part))
      }
    }
    return lines
  }

  private static func withoutPrefix(_ text: String) -> (text: String, ignoresErrors: Bool) {
    var rest = text.trimmed[...]
    var ignoresErrors = false
    while let first = rest.first, "@-+".contains(first) || first.isWhitespace {
      ignoresErrors = ignoresErrors || first == "-"
      rest = rest.dropFirst()
    }
    return (String(rest), ignoresErrors)
  }

  private mutating func line(_ text: String) throws(Untranslatable) -> String? {
    let (command, ignoresErrors) = Self.withoutPrefix(text)
    guard !command.isEmpty, command.first != "#" else { return nil }
    if command.words.first == "make" || command.contains("; make ") || command.contains("&& make ")
    {
      makefile.findings.remark(.note, target.line, "\(target.name): it calls make")
      if !comments.contains("note: it calls make") { comments.append("note: it calls make") }
    }
    if shell?.contains("-c") == true, shell?.contains("-e") != true {
      throw Untranslatable("several commands for a shell without -e")
    }
    return try CommandLine(
      text: command, ignoresErrors: ignoresErrors, endsAtFailure: endsAtFailure,
      mayChangeShell: try beginsWithRequired(command)
    ).script()
  }

  /// Whether a command begins with a value that a user gives, such as `$(SUDO) rm a`.
  ///
  /// - Throws: ``Untranslatable`` if make could read the value as `@` or `-`: `$(Q)rm a`.
  private func beginsWithRequired(_ command: String) throws(Untranslatable) -> Bool {
    guard !command.hasPrefix("$(if ") else {
      throw Untranslatable("a command that begins with a value under a condition")
    }
    guard command.hasPrefix("${"), let end = command.firstIndex(of: "}"),
      case let name = String(command[..<end].dropFirst(2)),
      makefile.findings.requiredNames.contains(name)
    else { return false }
    guard command[command.index(after: end)...].first?.isWhitespace != false else {
      throw Untranslatable("the variable \(name) is not defined in the file")
    }
    return true
  }

  private mutating func oneShell(_ commands: [String]) throws(Untranslatable) -> [String] {
    let lines = commands.enumerated().map { position, text in
      let stripped = Self.withoutPrefix(text)
      return position == 0 || text.first.map { "@-+".contains($0) } == true ? stripped.text : text
    }
    let ignoresErrors = commands.first.map { Self.withoutPrefix($0).ignoresErrors } ?? false
    guard !ignoresErrors else { throw Untranslatable("a recipe that ignores errors as a whole") }
    // Without -e, the last command decides.
    return shell == nil ? ["set +e"] + lines : lines
  }

  /// Reads `SHELL` and `.SHELLFLAGS`.
  private mutating func readShell(_ scope: MakeScope) throws(Untranslatable) {
    guard target.recipe?.isEmpty == false else { return }
    let program = try variables.known("$(SHELL)", MakeScope()).trimmed
    let flags = try variables[".SHELLFLAGS"].map { _ throws(Untranslatable) in
      try variables.known("$(.SHELLFLAGS)", MakeScope()).words
    }
    guard program != "/bin/sh" && program != "sh" || flags != nil else { return }
    let name = MakePattern.file(Self.interpreter(program))
    guard ["sh", "bash", "dash", "zsh", "ksh"].contains(name) else {
      throw Untranslatable("the shell \(program)")
    }
    let own = flags ?? ["-c"]
    guard own.last?.first == "-", own.last?.last == "c" else {
      throw Untranslatable("the options of the shell: \(own.joined(separator: " "))")
    }
    let isOne = makefile.settings.contains(".ONESHELL")
    endsAtFailure = own.contains { $0.first == "-" && $0.contains("e") && !$0.contains("p") }
    if isOne || endsAtFailure {
      shell = program.words + own.dropLast() + Self.lastFlags(own.last ?? "-c")
      if !isOne, shell?.contains("-e") != true { shell?.insert("-e", at: program.words.count) }
    } else {
      shell = program.words + ["-e"] + own.dropLast() + Self.lastFlags(own.last ?? "-c")
    }
  }

  /// The program of a shell such as `/usr/bin/env bash -o pipefail`.
  private static func interpreter(_ shell: String) -> String {
    let words = shell.words
    return words.first == "/usr/bin/env" ? words.dropFirst().first ?? "" : words.first ?? ""
  }

  /// Splits the last flags, such as `-ec`, so that `-c` is alone.
  private static func lastFlags(_ text: String) -> [String] {
    let others = text.dropFirst().dropLast()
    return (others.isEmpty ? [] : ["-\(others)"]) + ["-c"]
  }
}
