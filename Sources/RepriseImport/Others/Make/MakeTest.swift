// Conditions of a makefile that only a shell can decide, and what depends on them.

/// A condition that compares texts of which only a shell knows one.
struct MakeTest: Equatable {
  /// Both sides, in double quotes.
  var sides: [String]
  /// Whether the lines count if both sides are equal.
  var isEqual: Bool
  /// Whether the lines are those after `else`.
  var isElse = false

  /// A command that succeeds if the lines before `else` count.
  var script: String { "[ \(sides[0]) \(isEqual ? "=" : "!=") \(sides[1]) ]" }

  /// The condition, whichever of its lines are read.
  var whole: MakeTest {
    var test = self
    test.isElse = false
    return test
  }
}

/// The values of a variable that depends on a condition.
struct MakeChoice {
  var test: MakeTest
  /// What it is if the test succeeds, and otherwise; nil if it is not defined.
  var branches: [MakeVariable?]
}

/// An end of make with `$(error …)` that depends on a condition.
struct MakeCheck {
  var test: MakeTest
  var message: String
}

extension MakeConditions {
  /// Returns a variable after an assignment below a condition that is not known; nil if it stays.
  ///
  /// The change is that of the assignment itself.
  func chosen(
    _ old: MakeVariable?, _ change: (MakeVariable?) -> MakeVariable?
  ) -> MakeVariable? {
    guard let test else {
      guard var new = change(old) else { return nil }
      new.problem = undecided ?? new.problem
      return new
    }
    var branches = [old, old]
    if let choice = old?.choice, choice.test == test.whole { branches = choice.branches }
    let branch = test.isElse ? 1 : 0
    guard let new = change(branches[branch]) else { return nil }
    branches[branch] = new
    var result = MakeVariable(raw: "", line: new.line)
    result.choice = MakeChoice(test: test.whole, branches: branches)
    return result
  }

  /// Returns a condition as a command of a shell; nil if it cannot be one.
  func test(_ word: String, _ line: MakeLine, _ variables: MakeVariables) -> MakeTest? {
    let text = String(line.text.trimmed.dropFirst(word.count)).trimmed
    do throws(Untranslatable) {
      var texts: [ShellText]
      if word == "ifdef" || word == "ifndef" {
        let name = try variables.known(text, MakeScope())
        guard let variable = variables[name], variable.problem == nil, let value = variable.value
        else { return nil }
        texts = [value, ShellText()]
      } else {
        let sides = try sides(text)
        texts = []
        for side in [sides.0, sides.1] {
          var scope = scope(for: side, line, variables)
          (scope.isScript, scope.isKept, scope.isCommand) = (true, true, true)
          texts.append(try variables.expanded(side, scope))
        }
      }
      guard texts.allSatisfy({ $0.parameters.isEmpty }) else { return nil }
      let sides = texts.map {
        $0.doubleQuoted.replacing(MakeVariables.here, with: "${\(MakeVariables.hereVariable)}")
      }
      return MakeTest(sides: sides, isEqual: word == "ifeq" || word == "ifndef")
    } catch {
      return nil
    }
  }
}

extension MakeVariables {
  /// Returns the value of a variable that depends on a condition, for a script.
  func chosen(
    _ name: String, _ choice: MakeChoice, _ scope: MakeScope
  ) throws(Untranslatable) -> ShellText {
    guard scope.isScript else {
      throw Untranslatable("only a shell knows the value of $(\(name))")
    }
    var inner = scope.deeper
    inner.isCommand = true
    var values: [String] = []
    for branch in choice.branches {
      guard let branch else {
        throw Untranslatable("the variable \(name) is defined only under a condition")
      }
      let value = try value(of: name, branch, inner)
      guard value.parameters.isEmpty, value.parts.allSatisfy(Self.isSplit) else {
        throw Untranslatable("$(\(name)) has quotes under a condition")
      }
      values.append(value.doubleQuoted)
    }
    let script =
      "if \(choice.test.script); then printf '%s\\n' \(values[0]); "
      + "else printf '%s\\n' \(values[1]); fi"
    let own = script.replacing(Self.here, with: "${\(Self.hereVariable)}")
    return ShellText(part: .shell("$(\(own)\(ShellText.joined)"))
  }

  /// Whether a shell reads a part in its script in the same way as one that it expands.
  private static func isSplit(_ part: ShellText.Part) -> Bool {
    guard case .literal(let text) = part else { return true }
    return text.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "_-./:@%+,= ".contains($0)) || $0 == "\u{E000}"
    }
  }
}

extension MakeStep {
  /// Returns the lines of a recipe, some of them below conditions that a shell decides.
  ///
  /// make decides them before it runs the first command.
  static func conditional(_ lines: [(text: String, test: MakeTest?)]) -> [String] {
    var tests: [MakeTest] = []
    var result: [String] = []
    var open: MakeTest?
    for line in lines {
      if line.test != open {
        if open != nil { result.append("fi") }
        if let test = line.test {
          let known = tests.firstIndex(of: test.whole)
          if known == nil { tests.append(test.whole) }
          let name = "HOLDS_\((known ?? tests.count - 1) + 1)"
          result.append("if [ \(test.isElse ? "-z" : "-n") \"$\(name)\" ]; then")
        }
        open = line.test
      }
      result.append(line.text)
    }
    if open != nil { result.append("fi") }
    return tests.enumerated().map { "HOLDS_\($0 + 1)=$(\($1.script) && echo yes) || true" } + result
  }

  /// The lines that end a script as the checks of the file end make.
  static func checks(_ checks: [MakeCheck]) -> [String] {
    checks.map { check in
      let message = "*** \(check.message).  Stop.".shellQuoted
      let script = check.test.isElse ? "! \(check.test.script)" : check.test.script
      return "if \(script); then echo \(message) >&2; exit 2; fi"
    }
  }
}
