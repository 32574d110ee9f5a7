// Scripts of GitHub Actions: expressions become variables, and files of GitHub those of Reprise.

import YAML

/// A script with the variables that it needs.
struct GitHubScript {
  /// The language of a script, as far as variables are concerned.
  enum Language {
    case posix, powerShell, command, other
  }

  private(set) var text = ""
  private var hasVariables = false
  /// Variables with their values, in the order in which the script uses them.
  private(set) var bindings: [(name: String, value: String)] = []
  /// The shell that it needs, if that is not the shell of the original.
  private(set) var shell: Draft?

  private static let reserved: Set = [
    "PATH", "HOME", "USER", "SHELL", "PWD", "LANG", "TERM", "TMPDIR", "IFS", "ENV", "LOGNAME",
    "OS", "UID", "PS1", "RANDOM", "SECONDS",
  ]

  /// Translates a script.
  ///
  /// GitHub inserts values into the text of a script. Variables do the same in most places of a
  /// shell script; where they do not, the whole script is the value of a variable.
  ///
  /// - Parameters:
  ///   - script: The script.
  ///   - shell: Its shell.
  ///   - translator: The translator of its expressions; secrets are allowed.
  ///   - taken: Names of variables that the step has already.
  /// - Throws: ``Untranslatable`` for the first expression without an equivalent.
  init(
    _ script: String, _ shell: GitHubShell, _ translator: ExpressionTranslator, taken: Set<String>
  ) throws(Untranslatable) {
    var quotes = ShellQuotes()
    var isInserted = shell.language == .other
    for part in try translator.parts(of: script) {
      switch part {
      case .text(let part):
        text += part
        quotes.read(part)
      case .expression(let expression):
        let value = try translator.value(of: expression)
        if let constant = value.constant {
          text += constant
          quotes.read(constant)
          continue
        }
        if value.kind == .null { continue }
        let name = variable(for: expression, value, taken)
        if shell.language == .posix,
          quotes.hidesVariables
            || translator.names.texts(of: expression).contains(where: quotes.reads)
        {
          isInserted = true
        }
        if shell.language == .other { isInserted = true }
        text += Self.reference(name, shell.language, quotes)
        hasVariables = true
      }
    }
    if isInserted, hasVariables {
      try insert(ScalarText.tidied(script), shell, translator)
    } else {
      text = Self.withOwnFiles(text)
    }
    for command in ["::set-output", "::set-env", "::add-path"] where text.contains(command) {
      throw Untranslatable("\(command) is no command here: write to the file of the same purpose")
    }
  }

  /// Makes the script the value of a variable, with its values inserted as GitHub does.
  private mutating func insert(
    _ script: String, _ shell: GitHubShell, _ translator: ExpressionTranslator
  ) throws(Untranslatable) {
    let whole = Self.withOwnFiles(try translator.template(script))
    bindings = [("SCRIPT", whole)]
    guard let command = shell.words.last, shell.words.first == "sh", command.hasPrefix("file=")
    else {
      text = "exec " + shell.words.joined(separator: " ") + " \"$SCRIPT\""
      self.shell = .texts(["sh", "-c"])
      return
    }
    text = command.replacing("$0", with: "$SCRIPT")
    self.shell = .texts(["sh", "-c"])
  }

  /// Returns the variable with the value of an expression.
  private mutating func variable(
    for expression: GitHubExpression, _ value: Translated, _ taken: Set<String>
  ) -> String {
    if case .path("env", let accesses) = expression, case .name(let name)? = accesses.first {
      return StepNames.identifier(name)  // The environment of the script contains it.
    }
    let text = "${{ \(value.text) }}"
    if let known = bindings.first(where: { $0.value == text }) { return known.name }
    let words = Self.words(of: expression)
    for count in 1...3 {
      let name = words.suffix(count).joined(separator: "_")
      if name.first?.isLetter == true, !Self.reserved.contains(name), !taken.contains(name),
        !name.hasPrefix("REPRISE_"), !bindings.contains(where: { $0.name == name })
      {
        bindings.append((name, text))
        return name
      }
    }
    var number = bindings.count + 1
    while taken.contains("VALUE\(number)") { number += 1 }
    bindings.append(("VALUE\(number)", text))
    return "VALUE\(number)"
  }

  /// The words of the path that an expression is about.
  private static func words(of expression: GitHubExpression) -> [String] {
    switch expression {
    case .path(let root, let accesses):
      return ([root] + accesses.compactMap { if case .name(let name) = $0 { name } else { nil } })
        .map { StepNames.identifier($0).uppercased() }
    case .call(let name, let arguments, _):
      let inner = arguments.first.map(words) ?? []
      return inner.isEmpty ? [name.uppercased()] : inner
    case .binary(_, let left, let right):
      let words = words(of: left)
      return words.isEmpty ? self.words(of: right) : words
    case .not(let inner): return words(of: inner)
    case .null, .boolean, .number, .text: return []
    }
  }

  /// Returns a variable as it is written in a script.
  private static func reference(
    _ name: String, _ language: Language, _ quotes: ShellQuotes
  ) -> String {
    switch language {
    case .powerShell: return "${env:\(name)}"
    case .command: return "%\(name)%"
    case .posix, .other: break
    }
    switch quotes.place {
    // As GitHub does, so that a value with blanks becomes several words.
    case .outside, .double, .document: return "${\(name)}"
    case .single: return "'\"${\(name)}\"'"
    }
  }

  /// The file for outputs, under its name there, for a program that writes to it.
  static let ownOutput = "GITHUB_OUTPUT=\"$REPRISE_OUTPUT\""

  /// Replaces the files and commands by which steps of GitHub report values.
  static func withOwnFiles(_ script: String) -> String {
    guard script.contains("GITHUB_") || script.contains("::set-") else { return script }
    var lines = script.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for position in lines.indices { lines[position] = withOwnCommand(lines[position]) }
    return lines.joined(separator: "\n").replacing("GITHUB_OUTPUT", with: "REPRISE_OUTPUT")
      .replacing(Self.ownOutput.replacing("GITHUB", with: "REPRISE"), with: Self.ownOutput)
  }

  /// Replaces the command `set-output` of a line, which has been replaced by a file.
  private static func withOwnCommand(_ line: String) -> String {
    for (command, file) in [
      ("::set-output name=", "REPRISE_OUTPUT"), ("::set-env name=", "REPRISE_OUTPUT"),
    ] {
      guard let start = line.firstRange(of: command),
        let middle = line[start.upperBound...].firstRange(of: "::"),
        line[..<start.lowerBound].contains("echo")
      else { continue }
      let name = line[start.upperBound..<middle.lowerBound]
      var value = String(line[middle.upperBound...])
      var rest = ""
      // The command ends with its line, or before the next one.
      if let quote = line[..<start.lowerBound].last, quote == "\"" || quote == "'" {
        if let end = value.lastIndex(of: quote) {
          rest = String(value[value.index(after: end)...])
          value = String(value[...end])
        }
      }
      return "\(line[..<start.lowerBound])\(name)=\(value) >> \"$\(file)\"\(rest)"
    }
    return line
  }
}
