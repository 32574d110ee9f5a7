// The variables of a makefile and the values of references such as `$(OBJECTS:.o=.c)`.

/// A variable of a makefile.
struct MakeVariable {
  /// The text on the right, which is expanded where it is used; not of `:=`.
  var raw: String
  /// The value of a variable that was expanded where it was set.
  var value: ShellText?
  var line: Int
  /// Why its value is not known; nil if it is.
  var problem: String?
  /// Whether a variable of the environment takes precedence, as with `?=`.
  var isDefault = false
  /// Its values, if it depends on a condition that only a shell can decide.
  var choice: MakeChoice?
}

/// What a reference can mean at its place.
struct MakeScope {
  /// The values of `$@`, `$<` and the like, and of `$(1)` in a call.
  var automatic: [String: ShellText] = [:]
  /// The variables of a target.
  var own: [String: MakeVariable] = [:]
  /// Whether a shell reads the result, so that it may expand a part.
  var isScript = false
  /// Whether the value is kept, as with `:=`, so that no parameter can change it.
  var isKept = false
  /// Whether the text is a command whose output is used, which runs before its step.
  var isCommand = false
  var depth = 0

  /// The same for a text that must be known now.
  var forKnownText: MakeScope {
    var scope = self
    scope.isScript = false
    return scope
  }
  /// The same for a text within this one.
  var deeper: MakeScope {
    var scope = self
    scope.depth += 1
    return scope
  }
}

/// What the reading of a makefile finds out on its way.
final class MakeFindings {
  var remarks: [ImportRemark] = []
  /// Variables whose values decide more than scripts, so that no parameter can replace them.
  var staticNames: Set<String> = []
  /// Variables without a definition that the file takes as not set, such as in a condition.
  var unsetNames: Set<String> = []
  /// Variables without a definition that a user must give, in the order of their first use.
  private(set) var requiredNames: [String] = []
  /// Those of them that have a remark.
  var noted: Set<String> = []
  let effort = Effort()
  /// Remarks that have been made.
  private var made: Set<String> = []

  /// Makes a variable one that a user must give.
  func require(_ name: String) {
    if !requiredNames.contains(name) { requiredNames.append(name) }
  }

  func remark(_ weight: ImportRemark.Weight, _ line: Int, _ text: String) {
    guard made.insert(text + String(line)).inserted else { return }
    remarks.append(ImportRemark(weight: weight, line: line, text: text))
  }
}

/// The variables of a makefile.
struct MakeVariables {
  /// A placeholder for the folder of the makefile, until the text becomes a script or the path of a file.
  static let here = "\u{E000}"
  /// The variable of a script with that folder.
  static let hereVariable = "CURDIR"

  private(set) var named: [String: MakeVariable] = [:]
  /// The names in the order in which they were first set.
  private(set) var names: [String] = []
  let findings: MakeFindings
  let folder: ImportFolder
  /// The makefile and those that it has included so far.
  var files: [String]

  init(findings: MakeFindings, folder: ImportFolder, files: [String]) {
    self.findings = findings
    self.folder = folder
    self.files = files
  }

  subscript(name: String) -> MakeVariable? {
    get { named[name] }
    set {
      if named[name] == nil { names.append(name) }
      named[name] = newValue
    }
  }

  // MARK: Built in

  /// Variables that make defines, with their values.
  static let builtIn = [
    "CC": "cc", "CXX": "g++", "AR": "ar", "AS": "as", "LD": "ld", "FC": "f77", "RM": "rm -f",
    "ARFLAGS": "rv", "LEX": "lex", "YACC": "yacc", "CPP": "cc -E", "MAKE": "make",
    "MAKE_VERSION": "4.3", "MAKE_COMMAND": "make", "SHELL": "/bin/sh", "MAKEINFO": "makeinfo",
    "TEX": "tex", "TEXI2DVI": "texi2dvi", "OBJC": "cc", "F77": "f77", "GET": "get", "CO": "co",
    "PC": "pc", "LINT": "lint", "M2C": "m2c",
  ]
  /// Variables that make's own rules use, and that are documented to be empty.
  private static let empty: Set = [
    "CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS", "LDLIBS", "LOADLIBES", "ASFLAGS", "TARGET_ARCH",
    "LFLAGS", "YFLAGS", "FFLAGS", "DESTDIR", "MAKEFLAGS", "MFLAGS", "MAKECMDGOALS", "OS",
    "MAKEOVERRIDES",
  ]
  /// Variables that every process of a user has.
  static let environment: Set = [
    "HOME", "PATH", "USER", "LOGNAME", "PWD", "TERM", "LANG", "TMPDIR",
  ]

  // MARK: References

  /// Returns a text with the values of its references.
  func expanded(_ text: some StringProtocol, _ scope: MakeScope) throws(Untranslatable) -> ShellText
  {
    try Effort.check(depth: scope.depth)
    var result = ShellText()
    var rest = Substring(text)
    while let dollar = rest.firstIndex(of: "$") {
      result.append(.literal(String(rest[..<dollar])))
      rest = rest[rest.index(after: dollar)...]
      guard let next = rest.first else { break }
      rest = rest.dropFirst()
      guard next != "$" else {
        result.append(.literal("$"))
        continue
      }
      var body = String(next)[...]
      if next == "(" || next == "{" {
        guard let end = Self.end(of: rest, next) else {
          throw Untranslatable("a reference without an end")
        }
        body = rest[..<end]
        rest = rest[rest.index(after: end)...]
      }
      let value = try reference(body, scope)
      try findings.effort.spend(value)
      result.append(value)
    }
    result.append(.literal(String(rest)))
    return result
  }

  /// Returns a text that must be known now.
  func known(_ text: some StringProtocol, _ scope: MakeScope) throws(Untranslatable) -> String {
    let value = try expanded(text, scope.forKnownText.deeper)
    guard let known = value.known else {
      throw Untranslatable("only a shell knows the value of \(String(text).trimmed.prefix(60))")
    }
    return known
  }

  static func end(of text: Substring, _ open: Character) -> Substring.Index? {
    let close: Character = open == "(" ? ")" : "}"
    var depth = 1
    for position in text.indices {
      if text[position] == open { depth += 1 }
      if text[position] == close {
        depth -= 1
        if depth == 0 { return position }
      }
    }
    return nil
  }

  private func reference(_ body: Substring, _ scope: MakeScope) throws(Untranslatable) -> ShellText
  {
    if let space = body.firstIndex(where: \.isWhitespace) {
      let name = String(body[..<space])
      if let value = try function(
        name, body[space...].drop(while: \.isWhitespace), scope.deeper)
      {
        return value
      }
    }
    if let colon = body.firstOutside(":"), let equals = body[colon...].firstOutside("=") {
      let from = try known(body[body.index(after: colon)..<equals], scope)
      let to = try known(body[body.index(after: equals)...], scope)
      let name = try known(body[..<colon], scope)
      guard let value = try value(of: name, scope.forKnownText).known else {
        throw Untranslatable("only a shell knows the value of $(\(name))")
      }
      let pattern = from.contains("%") ? (from, to) : ("%" + from, "%" + to)
      return ShellText(MakePattern.substituted(value, pattern.0, pattern.1))
    }
    return try value(of: try known(body, scope), scope)
  }

  private func value(of name: String, _ scope: MakeScope) throws(Untranslatable) -> ShellText {
    if let value = scope.automatic[name] { return value }
    if let part = name.last, name.count == 2, part == "D" || part == "F",
      let value = scope.automatic[String(name.prefix(1))]?.known
    {
      return ShellText(
        value.words.map { part == "D" ? MakePattern.folder($0) : MakePattern.file($0) }
          .joined(separator: " "))
    }
    if let variable = scope.own[name] ?? named[name] {
      return try value(of: name, variable, scope)
    }
    return try builtIn(name, scope)
  }

  func value(
    of name: String, _ variable: MakeVariable, _ scope: MakeScope
  ) throws(Untranslatable) -> ShellText {
    if let problem = variable.problem { throw Untranslatable(problem) }
    if let choice = variable.choice { return try chosen(name, choice, scope) }
    if scope.own[name] == nil, let part = replaceable(name, variable, scope) {
      return ShellText(part: part)
    }
    if let value = variable.value {
      guard scope.isScript || value.known != nil else {
        // A command such as uname has one answer on this machine.
        if variable.raw.hasPrefix("$(shell ") { return try expanded(variable.raw, scope.deeper) }
        throw Untranslatable("only a shell knows the value of $(\(name))")
      }
      return value
    }
    let value = try expanded(variable.raw, scope.deeper)
    guard variable.isDefault, scope.own[name] == nil else { return value }
    if scope.isScript, !scope.isKept, let known = value.known, Self.isPlain(known),
      StepNames.identifier(name) == name
    {
      return ShellText(part: .shell("${\(name)-\(known)}"))
    }
    noteDefault(name, variable)
    return value
  }

  /// Returns the value of a variable that the file does not define.
  private func builtIn(_ name: String, _ scope: MakeScope) throws(Untranslatable) -> ShellText {
    switch name {
    case "CURDIR": return ShellText(Self.here)
    case "MAKEFILE_LIST": return ShellText(" " + files.joined(separator: " "))
    case "SHELL": return ShellText("/bin/sh")
    case "MAKELEVEL": return ShellText("0")
    default: break
    }
    if name == "MAKECMDGOALS" {
      findings.remark(.note, 0, "MAKECMDGOALS is empty, as without a target for make")
    }
    if let text = Self.builtIn[name] ?? (Self.empty.contains(name) ? "" : nil) {
      let isOwn = name.hasPrefix("MAKE") || name == "OS"
      return scope.isScript && !isOwn
        ? ShellText(part: .shell("${\(name)-\(text)}")) : ShellText(text)
    }
    if scope.isScript, Self.environment.contains(name) {
      return ShellText(part: .shell("${\(name)}"))
    }
    return try undefined(name, scope)
  }

  /// Returns what a script has for a variable that the file does not define.
  ///
  /// It is a parameter without a default: an empty text could change what the script does.
  private func undefined(_ name: String, _ scope: MakeScope) throws(Untranslatable) -> ShellText {
    let reason = "the variable \(name.prefix(40)) is not defined in the file"
    guard !findings.unsetNames.contains(name) else {
      throw Untranslatable("\(reason), and the file takes it as not set")
    }
    guard scope.isScript, !scope.isCommand, Self.canBeGiven(name) else {
      throw Untranslatable(reason)
    }
    findings.require(name)
    return ShellText(part: .parameter(name))
  }

  /// Returns what a script has for a variable that a user can set.
  private func replaceable(
    _ name: String, _ variable: MakeVariable, _ scope: MakeScope
  ) -> ShellText.Part? {
    guard scope.isScript, !scope.isKept, !scope.isCommand else {
      if scope.isScript, variable.isDefault, Self.isPlain(variable.raw) {
        return .shell("${\(name)-\(variable.raw)}")
      }
      findings.staticNames.insert(name)
      if variable.isDefault { noteDefault(name, variable) }
      return nil
    }
    let text = variable.value?.known ?? variable.raw
    guard Self.isPlain(text), StepNames.identifier(name) == name,
      !Self.environment.contains(name), variable.value == nil || variable.value?.known != nil
    else { return nil }
    if variable.isDefault { return .shell("${\(name)-\(text)}") }
    return findings.staticNames.contains(name) ? nil : .parameter(name)
  }

  func noteDefault(_ name: String, _ variable: MakeVariable) {
    findings.remark(
      .note, variable.line, "\(name): its value in the environment does not count everywhere")
  }

  /// Whether a shell reads a text that it expands in the same way as one in its script.
  static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && text.first != " " && text.first != "~"
      && text.allSatisfy {
        $0.isASCII && ($0.isLetter || $0.isNumber || "_-./:@%+,= ".contains($0))
      }
  }
}
