// What the lines of a makefile say: rules, commands and assignments.

/// A command of a rule, with its line.
struct MakeCommand {
  var line: Int
  var text: String
  /// The condition that decides whether it counts; nil if it always does.
  var test: MakeTest?
}

/// What a makefile says about a target.
struct MakeTarget {
  var name: String
  var prerequisites: [String] = []
  var orderOnly: [String] = []
  /// The commands; nil if no rule for the target has any.
  var recipe: [MakeCommand]?
  var line = 0
  /// Why it cannot be made; nil if it can.
  var problem: String?
  /// Whether its rules have `::`, so that each has commands of its own.
  var isDouble = false
  /// What `$*` is.
  var stem: String?
  /// Its own variables, which its prerequisites get, too.
  var own: [MakeAssignment] = []
  var description: String?
}

/// A rule for targets that match a pattern.
struct MakePatternRule {
  var target: String
  var prerequisites: [String]
  var orderOnly: [String]
  var recipe: [MakeCommand]
  var line: Int
  var problem: String?
}

/// A line that sets a variable.
struct MakeAssignment {
  var name: Substring
  /// `=`, `:=`, `?=`, `+=` or `!=`.
  var kind: String
  var value: Substring
  var isExported = false

  /// Reads an assignment; nil if the line is none.
  init?(_ text: String) {
    // Blanks at the end belong to the value.
    var rest = text[...].drop(while: \.isWhitespace)
    while let word = ["export ", "override ", "private "].first(where: { rest.hasPrefix($0) }) {
      isExported = isExported || word == "export "
      rest = rest.dropFirst(word.count).drop(while: \.isWhitespace)
    }
    guard let equals = rest.firstOutside("="), equals > rest.startIndex else { return nil }
    var name = rest[..<equals]
    var kind = "="
    if let sign = name.last, "?+!:".contains(sign) {
      kind = "\(sign)="
      while name.last == ":" || name.last == sign { name = name.dropLast() }
    }
    while name.last?.isWhitespace == true { name = name.dropLast() }
    guard !name.isEmpty, name.firstOutside(":") == nil, name.firstOutside(" ") == nil,
      name.firstOutside("\t") == nil, name.firstOutside(";") == nil
    else { return nil }
    self.name = name
    self.kind = kind
    value = rest[rest.index(after: equals)...].drop(while: \.isWhitespace)
  }
}

extension Makefile {
  /// Returns a variable after an assignment; nil if it stays as it is.
  static func changed(
    _ old: MakeVariable?, _ assignment: MakeAssignment, _ value: Substring, _ line: Int,
    _ variables: MakeVariables, _ scope: MakeScope
  ) -> MakeVariable? {
    if let choice = old?.choice, assignment.kind != "=", assignment.kind != ":=" {
      return changed(choice, old, assignment, value, line, variables, scope)
    }
    let name = String(assignment.name)
    var new = MakeVariable(raw: String(value), line: line)
    var script = scope
    script.isScript = true
    script.isKept = true
    do throws(Untranslatable) {
      switch assignment.kind {
      case "?=":
        // What make itself defines, such as CC, has a value already.
        if old != nil || MakeVariables.builtIn[name] != nil { return nil }
        new.isDefault = true
      case "+=":
        guard var old else {
          if let text = MakeVariables.builtIn[name] { new.raw = "\(text) \(value)" }
          if MakeVariables.environment.contains(name) { throw Untranslatable("\(name) +=") }
          if !name.hasPrefix("MAKE") { variables.noteDefault(name, new) }
          break
        }
        new.problem = old.problem
        if var text = old.value {
          if !text.isEmpty { text.append(.literal(" ")) }
          text.append(try variables.expanded(value, script))
          new.value = text
        } else {
          old.raw += old.raw.isEmpty ? String(value) : " " + value
          new.raw = old.raw
        }
      case ":=": new.value = try variables.expanded(value, script)
      case "!=":
        new.raw = "$(shell \(value))"
        new.value = try variables.expanded("$(shell \(value))", script)
      default: break
      }
    } catch {
      new.problem = error.reason
    }
    if let known = new.value?.known { new.raw = known }
    return new
  }

  /// Returns a variable that depends on a condition after `+=` or `?=`.
  private static func changed(
    _ choice: MakeChoice, _ old: MakeVariable?, _ assignment: MakeAssignment, _ value: Substring,
    _ line: Int, _ variables: MakeVariables, _ scope: MakeScope
  ) -> MakeVariable? {
    var new = old
    new?.choice?.branches = choice.branches.map {
      changed($0, assignment, value, line, variables, scope) ?? $0
    }
    return new
  }
}
