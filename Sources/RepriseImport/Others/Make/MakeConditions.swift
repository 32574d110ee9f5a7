// The conditions of a makefile: `ifeq`, `ifdef` and the like.

/// The conditions around a line of a makefile.
struct MakeConditions {
  private enum State {
    case active
    /// Not read; the value says whether a branch has been read before.
    case inactive(wasActive: Bool)
    /// It depends on something that is not known; a shell can decide it if there is a test.
    case undecided(String, MakeTest?)
  }

  private var states: [(state: State, line: Int)] = []

  /// Whether the lines are read; those of an undecided condition are, too.
  var isActive: Bool {
    states.allSatisfy { if case .inactive = $0.state { false } else { true } }
  }

  /// Why it is not known whether the lines count; nil if it is.
  var undecided: String? {
    for entry in states {
      if case .undecided(let reason, _) = entry.state { return reason }
    }
    return nil
  }

  /// The test that decides whether the lines count; nil if several conditions do, or there is none.
  var test: MakeTest? {
    let tests = states.compactMap { entry -> MakeTest?? in
      if case .undecided(_, let test) = entry.state { .some(test) } else { nil }
    }
    return tests.count == 1 ? tests[0] : nil
  }

  /// The line of a condition that has no end.
  var open: Int? { states.last?.line }

  /// Reads a line; false if it is no condition.
  mutating func read(_ word: String, _ line: MakeLine, _ variables: MakeVariables) -> Bool {
    let text = line.text.trimmed
    switch word {
    case "ifeq", "ifneq", "ifdef", "ifndef":
      states.append((state(word, line, variables), line.number))
    case "else":
      guard let last = states.popLast() else { return true }
      let rest = String(text.dropFirst(4)).trimmed
      switch last.state {
      case .undecided(let reason, var test):
        test?.isElse.toggle()
        states.append((.undecided(reason, rest.isEmpty ? test : nil), last.line))
      case .active, .inactive(wasActive: true):
        states.append((.inactive(wasActive: true), last.line))
      case .inactive:
        guard !rest.isEmpty else {
          states.append((.active, last.line))
          break
        }
        let word = String(rest.prefix { !$0.isWhitespace && $0 != "(" })
        let next = MakeLine(number: line.number, text: rest)
        states.append((state(word, next, variables), last.line))
      }
    case "endif": _ = states.popLast()
    default: return false
    }
    return true
  }

  private func state(_ word: String, _ line: MakeLine, _ variables: MakeVariables) -> State {
    // What is not read is not evaluated.
    guard isActive else { return .inactive(wasActive: true) }
    do throws(Untranslatable) {
      let text = String(line.text.trimmed.dropFirst(word.count)).trimmed
      let isTrue: Bool
      if word == "ifdef" || word == "ifndef" {
        let name = try variables.known(text, MakeScope())
        if let problem = variables[name]?.problem { throw Untranslatable(problem) }
        if let variable = variables[name] {
          guard variable.choice == nil, variable.value?.known != nil || variable.value == nil else {
            throw Untranslatable("only a shell knows the value of $(\(name))")
          }
          isTrue =
            variable.value?.isEmpty == false || variable.value == nil && !variable.raw.isEmpty
        } else if MakeVariables.environment.contains(name) {
          throw Untranslatable("\(name) is a variable of the environment")
        } else {
          isTrue = (try? variables.known("$(\(name))", MakeScope()))?.isEmpty == false
          if !isTrue { noteUnset(name, line.number, variables) }
        }
      } else {
        let sides = try sides(text)
        isTrue = try value(sides.0, line, variables) == value(sides.1, line, variables)
      }
      return isTrue == (word == "ifeq" || word == "ifdef")
        ? .active : .inactive(wasActive: false)
    } catch {
      let reason = "whether \(line.text.trimmed.prefix(60)) holds is not known: \(error.reason)"
      let test = test(word, line, variables)
      variables.findings.remark(
        test == nil ? .missing : .note, line.number,
        test == nil ? reason : "\(line.text.trimmed.prefix(60)) is decided when a step runs")
      return .undecided(reason, test)
    }
  }

  private func noteUnset(_ name: String, _ line: Int, _ variables: MakeVariables) {
    variables.findings.unsetNames.insert(name)
    variables.findings.remark(.note, line, "\(name) is not set, as without a value for it")
  }

  func sides(_ text: String) throws(Untranslatable) -> (Substring, Substring) {
    if text.first == "(", text.last == ")" {
      let inner = text.dropFirst().dropLast()
      if let comma = inner.firstOutside(",") {
        return (inner[..<comma], inner[inner.index(after: comma)...].drop(while: \.isWhitespace))
      }
    }
    if let quote = text.first, quote == "\"" || quote == "'" {
      let rest = text.dropFirst()
      if let end = rest.firstIndex(of: quote) {
        let second = rest[rest.index(after: end)...].drop(while: \.isWhitespace)
        if let quote = second.first, second.last == quote, second.count > 1 {
          return (rest[..<end], second.dropFirst().dropLast())
        }
      }
    }
    throw Untranslatable("it has no two sides")
  }

  /// The value of a side; a variable that is not set is empty, as it is for make.
  private func value(
    _ text: Substring, _ line: MakeLine, _ variables: MakeVariables
  ) throws(Untranslatable) -> String {
    let value = try variables.known(text, scope(for: text, line, variables))
    guard !value.contains(MakeVariables.here) else { throw Untranslatable("the folder of the run") }
    return value
  }

  /// Returns a scope in which the variables of a side that are not set are empty.
  func scope(for text: Substring, _ line: MakeLine, _ variables: MakeVariables) -> MakeScope {
    var scope = MakeScope()
    for name in Self.names(in: text)
    where variables[name] == nil && !["CURDIR", "OS", "MAKE", "SHELL"].contains(name) {
      // A variable that make or every user has is no such variable.
      if MakeVariables.environment.contains(name)
        || (try? variables.known("$(\(name))", scope)) != nil
      {
        continue
      }
      noteUnset(name, line.number, variables)
      scope.automatic[name] = ShellText()
    }
    return scope
  }

  /// The names of variables in a text.
  private static func names(in text: Substring) -> [String] {
    text.split(separator: "$").dropFirst(text.first == "$" ? 0 : 1).compactMap { part in
      guard let first = part.first, "({".contains(first) else { return nil }
      let name = part.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      return name.isEmpty || part.dropFirst(name.count + 1).first?.isWhitespace == true
        ? nil : String(name)
    }
  }
}
