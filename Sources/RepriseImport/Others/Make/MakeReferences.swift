// Lines of a makefile that are only a reference, such as `$(info …)` or `$(eval …)`.

extension Makefile {
  /// Reads a line that is only a reference.
  mutating func readReference(_ line: MakeLine) {
    do throws(Untranslatable) {
      let text = line.text.trimmed
      if let message = MakeStep.argument(of: "error", in: text), let test = conditions.test {
        let message = try variables.known(message, MakeScope())
        checks.append(MakeCheck(test: test, message: message))
        findings.remark(.note, line.number, "$(error …) ends only the steps that run")
      } else if try !evaluate(text[...], line.number, MakeScope()) {
        let rest = try variables.known(text, MakeScope()).trimmed
        if !rest.isEmpty { missing(line.number, "lines that a reference makes") }
      }
    } catch {
      missing(line.number, error.reason)
    }
  }

  /// Reads the lines of `$(eval …)`, also for each word of `$(foreach …)`; false if there is none.
  private mutating func evaluate(
    _ text: Substring, _ line: Int, _ scope: MakeScope
  ) throws(Untranslatable) -> Bool {
    guard conditions.undecided == nil, depth < 8 else { return false }
    if let lines = MakeStep.argument(of: "eval", in: String(text)) {
      let lines = try variables.known(lines, scope)
      depth += 1
      open = ([], [])
      read(lines, at: line)
      open = ([], [])
      depth -= 1
      return true
    }
    guard let loop = MakeStep.argument(of: "foreach", in: String(text)), loop.contains("$(eval ")
    else { return false }
    let parts = MakeVariables.arguments(loop)
    guard parts.count >= 3 else { return false }
    let body = parts[2...].joined(separator: ",").trimmed
    let name = try variables.known(parts[0].trimmed, scope)
    var inner = scope.deeper
    for word in try variables.known(parts[1], scope).words {
      inner.automatic[name] = ShellText(word)
      guard try evaluate(body[...], line, inner) else {
        throw Untranslatable(String(body.prefix(60)))
      }
    }
    return true
  }
}
