// Reads the variables and the rules of a makefile, in the order in which make does.

/// The variables and rules of a makefile.
struct Makefile {
  private(set) var targets: [String: MakeTarget] = [:]
  /// The names of the targets in the order of the file.
  private(set) var order: [String] = []
  private(set) var patterns: [MakePatternRule] = []
  private(set) var phony: Set<String> = []
  private(set) var exported: Set<String> = []
  /// The variables of targets that match a pattern.
  private(set) var patternOwn: [(pattern: String, assignment: MakeAssignment)] = []
  /// The targets such as `.ONESHELL` that are settings.
  private(set) var settings: Set<String> = []
  /// The rule `.DEFAULT`, for targets without one.
  private(set) var fallback: MakeTarget?
  /// A part of the file that is not known, which could define anything: no target can be made.
  private(set) var problem: (line: Int, text: String)?
  /// Ends with `$(error …)` that a shell decides about.
  var checks: [MakeCheck] = []
  var variables: MakeVariables
  let findings = MakeFindings()

  /// The rules whose commands follow: names of targets, and positions of pattern rules.
  var open: (targets: [String], patterns: [Int]) = ([], [])
  private(set) var conditions = MakeConditions()
  private var definition: (assignment: MakeAssignment, lines: [String], line: Int)?
  var depth = 0
  /// Whether the commands that follow belong to a rule that could not be read.
  private var skipsCommands = false
  /// The targets with commands that those of the rule that is read replace.
  private var replaced: Set<String> = []

  init(_ text: String, name: String, folder: ImportFolder) {
    variables = MakeVariables(findings: findings, folder: folder, files: [name])
    read(text)
    if let line = conditions.open { missing(line, "a condition without endif") }
    if let path = variables["VPATH"], (try? variables.known("$(VPATH)", MakeScope()))?.trimmed != ""
    {
      missing(path.line, "VPATH")
    }
    if let rule = targets.removeValue(forKey: ".DEFAULT") {
      order.removeAll { $0 == ".DEFAULT" }
      fallback = rule
      findings.remark(.note, rule.line, ".DEFAULT: only targets of the file have a workflow")
    }
  }

  mutating func missing(_ line: Int, _ text: String) {
    findings.remark(.missing, line, text)
    problem = problem ?? (line, text)
  }

  /// Reads lines; those that are computed have the number of the line that does it.
  mutating func read(_ text: String, at number: Int? = nil) {
    for var line in MakeLine.lines(of: text) {
      line.number = number ?? line.number
      if readDefinition(line) { continue }
      if line.isCommand, !open.targets.isEmpty || !open.patterns.isEmpty {
        if conditions.isActive { add(line) }
        continue
      }
      if line.isCommand, skipsCommands { continue }
      let content = line.withoutComment
      let word = content.text.trimmed.prefix { !$0.isWhitespace && $0 != "(" }
      guard !word.isEmpty else { continue }
      if conditions.read(String(word), content, variables) { continue }
      if conditions.isActive {
        skipsCommands = false
        readStatement(content, String(word), line)
      }
    }
  }

  private mutating func add(_ line: MakeLine) {
    let test = conditions.test
    let command = MakeCommand(
      line: line.number, text: String(line.text.dropFirst()), test: test)
    let undecided = test == nil ? conditions.undecided : nil
    for name in open.targets {
      if replaced.remove(name) != nil { targets[name]?.recipe = [] }
      let recipe = (targets[name]?.recipe ?? []) + [command]
      targets[name]?.recipe = recipe
      if let undecided { targets[name]?.problem = undecided }
    }
    for position in open.patterns {
      patterns[position].recipe.append(command)
      if let undecided { patterns[position].problem = undecided }
    }
  }

  /// Reads a line of `define`; false if it is none.
  private mutating func readDefinition(_ line: MakeLine) -> Bool {
    let text = line.text.trimmed
    if var current = definition {
      if text == "endef" {
        definition = nil
        let value = current.lines.joined(separator: "\n")
        if conditions.isActive { set(current.assignment, value[...], current.line) }
      } else {
        current.lines.append(line.text)
        definition = current
      }
      return true
    }
    guard text.hasPrefix("define "), !line.isCommand else { return false }
    let rest = String(text.dropFirst(7))
    guard let assignment = MakeAssignment(rest.contains("=") ? rest : rest + " =") else {
      return false
    }
    definition = (assignment, [], line.number)
    open = ([], [])
    return true
  }

  private mutating func readStatement(_ line: MakeLine, _ word: String, _ whole: MakeLine) {
    let rest = String(line.text.trimmed.dropFirst(word.count)).trimmed
    if let assignment = MakeAssignment(line.text) {
      open = ([], [])
      return set(assignment, assignment.value, line.number)
    }
    switch word {
    case "export", "unexport":
      open = ([], [])
      if let reason = conditions.undecided { missing(line.number, reason) }
      let names = (try? variables.known(rest, MakeScope()))?.words ?? []
      if word == "unexport" {
        exported.subtract(names)
      } else {
        exported.formUnion(rest.isEmpty ? ["*"] : names)
      }
    case "include", "-include", "sinclude":
      open = ([], [])
      if let reason = conditions.undecided { missing(line.number, reason) }
      include(rest, line.number, isRequired: word == "include")
    case "undefine":
      open = ([], [])
      if let reason = conditions.undecided { missing(line.number, reason) }
      if let name = try? variables.known(rest, MakeScope()) {
        variables[name] = nil
        findings.unsetNames.insert(name)
      }
    case "vpath", "load", "unload":
      open = ([], [])
      missing(line.number, String(line.text.trimmed.prefix(60)))
    default:
      if line.text.trimmed.first == "$", line.text.firstOutside(":") == nil {
        open = ([], [])
        return readReference(line)
      }
      readRule(line, whole)
    }
  }

  private mutating func include(_ text: String, _ line: Int, isRequired: Bool) {
    let names: [String]
    do throws(Untranslatable) {
      names = try variables.known(text, MakeScope()).words
    } catch {
      return missing(line, "include: \(error.reason)")
    }
    for name in names {
      let path = MakePattern.relative(name)
      let paths = path.contains("*") ? variables.folder.files(matching: path) : [path]
      for path in paths {
        guard depth < 8, let bytes = variables.folder.read(path),
          let text = String(validating: bytes, as: UTF8.self)
        else {
          if isRequired { missing(line, "include: there is no \(path)") }
          continue
        }
        depth += 1
        variables.files.append(path)
        read(text)
        depth -= 1
      }
    }
  }

  // MARK: Variables

  private mutating func set(_ assignment: MakeAssignment, _ value: Substring, _ line: Int) {
    let name: String
    do throws(Untranslatable) {
      name = try variables.known(assignment.name, MakeScope())
    } catch {
      return missing(line, "a variable with a computed name: \(error.reason)")
    }
    if assignment.isExported { exported.insert(name) }
    if let reason = conditions.undecided, name == ".DEFAULT_GOAL" { missing(line, reason) }
    let old = variables[name]
    guard conditions.undecided != nil else {
      let new = Self.changed(old, assignment, value, line, variables, MakeScope())
      if let new { variables[name] = new }
      return
    }
    let known = variables
    let new = conditions.chosen(old) {
      Self.changed($0, assignment, value, line, known, MakeScope())
    }
    if let new { variables[name] = new }
  }

  // MARK: Rules

  private mutating func readRule(_ content: MakeLine, _ whole: MakeLine) {
    open = ([], [])
    skipsCommands = true
    replaced = []
    var line = content
    // What follows a semicolon is a command, in which "#" is not make's.
    if let own = content.text.firstOutside(";"), let all = whole.text.firstOutside(";") {
      line.text = String(content.text[..<own] + whole.text[all...])
    }
    guard let colon = line.text.firstOutside(":") else {
      return missing(line.number, String(line.text.trimmed.prefix(60)))
    }
    let names: [String]
    do throws(Untranslatable) {
      names = try variables.known(line.text[..<colon], MakeScope()).words
        .map(MakePattern.relative)
    } catch {
      return missing(line.number, "the rule for \(line.text[..<colon]): \(error.reason)")
    }
    var rest = line.text[line.text.index(after: colon)...]
    guard names.last != "&" else { return missing(line.number, "a rule for a group of targets") }
    skipsCommands = false
    let isDouble = rest.first == ":"
    if isDouble { rest = rest.dropFirst() }
    if let assignment = MakeAssignment(String(rest)) {
      return setOwn(assignment, names, line.number)
    }
    var rule = MakeTarget(name: "", line: line.number)
    rule.description = line.description
    rule.isDouble = isDouble
    if let semicolon = rest.firstOutside(";") {
      let command = String(rest[rest.index(after: semicolon)...]).trimmed
      rule.recipe = [MakeCommand(line: line.number, text: command)]
      rest = rest[..<semicolon]
    }
    readPrerequisites(rest, names, &rule)
  }

  private mutating func setOwn(_ assignment: MakeAssignment, _ names: [String], _ line: Int) {
    for name in names {
      if name.contains("%"), conditions.undecided == nil {
        patternOwn.append((name, assignment))
        continue
      }
      declare(name, line)
      targets[name]?.own.append(assignment)
      if let reason = conditions.undecided { targets[name]?.problem = reason }
    }
  }

  private mutating func declare(_ name: String, _ line: Int) {
    guard targets[name] == nil else { return }
    targets[name] = MakeTarget(name: name, line: line)
    order.append(name)
  }

  private mutating func readPrerequisites(
    _ text: Substring, _ names: [String], _ rule: inout MakeTarget
  ) {
    var text = text
    var pattern: String?
    let scope = MakeScope()
    if settings.contains(".SECONDEXPANSION"), text.contains("$$") {
      rule.problem = "prerequisites with a second expansion"
    }
    do throws(Untranslatable) {
      if let colon = text.firstOutside(":") {
        pattern = MakePattern.relative(try variables.known(text[..<colon], scope).trimmed)
        text = text[text.index(after: colon)...]
      }
      let bar = text.firstOutside("|") ?? text.endIndex
      rule.prerequisites = try variables.known(text[..<bar], scope).words.flatMap(paths)
      if bar < text.endIndex {
        rule.orderOnly = try variables.known(text[text.index(after: bar)...], scope).words
          .flatMap(paths)
      }
    } catch {
      rule.problem = error.reason
    }
    rule.problem = conditions.undecided ?? rule.problem
    for name in names { add(rule, name, pattern) }
  }

  private func paths(_ word: String) -> [String] {
    let path = MakePattern.relative(word)
    guard path.contains("*") || path.contains("?") else { return [path] }
    let files = variables.folder.files(matching: path)
    return files.isEmpty ? [path] : files
  }

  private mutating func add(_ rule: MakeTarget, _ name: String, _ pattern: String?) {
    var rule = rule
    if let pattern {
      guard let stem = MakePattern.stem(name, pattern) else {
        return missing(rule.line, "\(name) does not match \(pattern)")
      }
      rule.prerequisites = rule.prerequisites.map { MakePattern.filled($0, stem) }
      rule.orderOnly = rule.orderOnly.map { MakePattern.filled($0, stem) }
      rule.stem = stem
    } else if name.contains("%") {
      patterns.append(
        MakePatternRule(
          target: name, prerequisites: rule.prerequisites, orderOnly: rule.orderOnly,
          recipe: rule.recipe ?? [], line: rule.line, problem: rule.problem))
      return open.patterns.append(patterns.count - 1)
    }
    if name.first == ".", !name.contains("/"), readSetting(name, rule) { return }
    declare(name, rule.line)
    guard var target = targets[name] else { return }
    if target.recipe == nil { target.line = rule.line }
    if target.isDouble, target.recipe != nil, !(target.prerequisites + rule.prerequisites).isEmpty {
      target.problem = "several rules with ::"
    }
    target.isDouble = rule.isDouble
    if target.recipe != nil, rule.recipe == nil, !rule.isDouble { replaced.insert(name) }
    if let recipe = rule.recipe {
      // One after the other, as nothing decides whether they run.
      target.recipe = (rule.isDouble ? target.recipe ?? [] : []) + recipe
    }
    target.prerequisites += rule.prerequisites
    target.orderOnly += rule.orderOnly
    target.problem = target.problem ?? rule.problem
    target.stem = rule.stem ?? target.stem
    target.description = rule.description ?? target.description
    targets[name] = target
    open.targets.append(name)
  }

  /// Reads a target that is a setting or a suffix rule; false if it is an ordinary one.
  private mutating func readSetting(_ name: String, _ rule: MakeTarget) -> Bool {
    switch name {
    case ".PHONY": phony.formUnion(rule.prerequisites)
    case ".ONESHELL", ".SECONDEXPANSION", ".POSIX", ".NOTPARALLEL": settings.insert(name)
    case ".SILENT", ".SUFFIXES", ".PRECIOUS", ".SECONDARY", ".INTERMEDIATE", ".NOTINTERMEDIATE",
      ".LOW_RESOLUTION_TIME":
      break
    case ".DELETE_ON_ERROR": settings.insert(name)
    case ".EXPORT_ALL_VARIABLES": exported.insert("*")
    case ".IGNORE": missing(rule.line, name)
    default:
      let parts = name.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2 || parts.count == 1, parts.allSatisfy({ !$0.isEmpty }),
        rule.prerequisites.isEmpty, parts.count == 2
      else { return false }
      patterns.append(
        MakePatternRule(
          target: "%.\(parts[1])", prerequisites: ["%.\(parts[0])"], orderOnly: [],
          recipe: rule.recipe ?? [], line: rule.line, problem: rule.problem))
      open.patterns.append(patterns.count - 1)
    }
    return true
  }
}
