// R02: keys and values.

package import Workflows

extension Diagnostic.Cause {
  package static func unknownKey(
    _ name: String, in place: String, advice: String?, _ others: Alternatives
  ) -> Self {
    Self("R0201", "\(place) has no key \"\(name)\"")
      .hint(advice ?? others.hint("valid keys", atMost: 100))
  }
  /// A key without a value that follows text: the comma was probably part of that text.
  package static func keyAfterComma(_ name: String, in place: String) -> Self {
    Self("R0201", "\(place) has no key \"\(name)\"")
      .hint("if the comma is part of the text before it, quote that text")
  }

  package static func notAMap(_ place: String, firstKey: String, found: String, hint: String?)
    -> Self
  {
    Self("R0202", "\(place) must be a map with keys such as \"\(firstKey)\", not \(found)")
      .hint(hint)
  }
  package static func stepNotAMap(found: String) -> Self {
    Self("R0202", "a step must be a map with \"id\" and \"run\", not \(found)")
      .hint("write it like: { id: hello, run: echo hello }")
  }
  package static func notNamedValues(_ what: String, found: String, text: String?) -> Self {
    // Show text such as `NAME=value` as a map.
    let parts = (text ?? "").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let isPair = parts.count == 2 && parts[0].utf8.allSatisfy { $0 > 0x20 }
    return Self("R0202", "\(what) must be a map of names to values, not \(found)")
      .hint("write it like: " + (isPair ? "{ \(parts[0]): \"\(parts[1])\" }" : "{ NAME: value }"))
  }
  package static func matrixNotAMap(found: String) -> Self {
    Self("R0202", "a matrix must be a map of names to lists, not \(found)").hint(noMatrixList.hint)
  }

  package static func notAList(_ what: String, found: String) -> Self {
    Self("R0203", "expected \(what), not \(found)")
      .hint(
        what == "a list of steps"
          ? "write it like: any: [build, fetch]" : "begin each item with \"- \"")
  }

  package static func textRequired(_ what: String, found: String, isTag: Bool) -> Self {
    Self("R0204", "\(what) must be text, not \(found)")
      .hint(isTag ? "a ! at the beginning is a YAML tag: quote the text" : nil)
  }
  package static func braces(_ what: String, meant: String) -> Self {
    Self("R0204", "\(what) must be text, not a map")
      .hint("write \"${{ \(meant) }}\", in quotes, if it is an expression")
  }
  package static func unquotedColon(
    _ what: String, key: String, value: String, quoting edit: Diagnostic.Edit?
  ) -> Self {
    Self("R0204", "\(what) must be text; the colon made it a map")
      .hint("quote this: '\(key): \(value)'").fixed(by: edit.map { .edits([$0]) })
  }
  package static let scriptIsList = Self("R0204", "run must be text, not a list")
    .hint("did you mean \"exec\"? It takes a program with its arguments")

  package static func emptyText(_ what: String) -> Self { Self("R0205", "\(what) is empty") }

  package static func expressionNotAllowed(_ what: String) -> Self {
    Self("R0206", "\(what) cannot contain an expression")
      .hint("write the value itself, without ${{ … }}")
  }

  package static func nul(_ what: String) -> Self {
    Self("R0207", "\(what) contains a NUL character, which cannot be passed to a program")
  }

  package static func notADuration(_ what: String, _ text: String) -> Self {
    Self("R0208", "\(what) must be a duration, not \"\(text)\"").hint(durationHint)
  }

  package static func notABoolean(_ what: String, isOtherWord: Bool) -> Self {
    Self("R0209", "\(what) must be true or false")
      .hint(
        isOtherWord ? "YAML 1.2 has only true and false" : "write true or false, without quotes")
  }

  package static func notWhole(
    _ what: String, from minimum: Int?, isLarge: Bool, isComputed: Bool
  ) -> Self {
    let range = minimum.map { isLarge ? " from \($0) to \(Int32.max)" : " of at least \($0)" }
    return Self("R0210", "\(what) must be a whole number\(range ?? "")")
      .hint(isComputed ? "an expression is not allowed here" : nil)
  }
  package static func notInRange(_ what: String, _ range: ClosedRange<Double>) -> Self {
    func short(_ bound: Double) -> String {
      bound == bound.rounded() ? String(Int(bound)) : String(bound)
    }
    return Self(
      "R0210",
      "\(what) must be a number from \(short(range.lowerBound)) to \(short(range.upperBound))")
  }
  package static func aboveMaximum(_ what: String, _ maximum: Int) -> Self {
    Self("R0210", "\(what) must be at most \(maximum)")
  }
  package static let rangeStepZero = Self("R0210", "\"by\" of a range must not be 0")
  package static func moment(_ text: String) -> Self {
    Self("R0210", "\"\(text)\" is not a moment in UTC").hint("write it like 2026-12-01T08:00:00Z")
  }

  package static func unknownChoice(_ what: String, _ text: String, _ others: Alternatives) -> Self
  {
    Self("R0211", "there is no \(what) \"\(text)\"")
      .hint(
        what == "result" && text == "failure"
          ? "write \"over\" here, and if: failure() at this step" : others.hint())
  }

  package static func variableName(_ name: String) -> Self {
    Self("R0212", "\"\(name)\" is not a valid environment variable name")
      .hint("use letters, digits and _, not beginning with a digit")
  }
  package static func identifier(_ name: String) -> Self {
    Self("R0212", "\"\(name)\" is not a valid name")
      .hint("use letters, digits, _ and -, beginning with a letter or _")
  }
  package static let reservedName = Self(
    "R0212", "names that begin with REPRISE_ are reserved for Reprise")
  package static func longName(bytes: Int) -> Self {
    Self(
      "R0212", "the name of a workflow must have at most \(Reader.nameBytesMax) bytes, not \(bytes)"
    )
    .hint("use \"description\" for details")
  }

  package static func emptyList(of what: String, _ others: Alternatives) -> Self {
    Self("R0214", "this list needs at least one \(what)").hint(others.hint())
  }
  package static let emptyGroup = Self("R0214", "this group needs at least one branch")

  package static func noProgram(_ what: String, example: String) -> Self {
    Self("R0215", "\(what) must begin with a program").hint("write it like: \(example)")
  }

  package static func exclusive(_ first: String, _ second: String, in place: String) -> Self {
    let hint =
      switch (first, second, place) {
      case ("foreach", _, _): "a matrix with one more list does the same"
      case (_, _, "a schedule"): "split it into two schedules"
      case ("runner", "service", _), ("runner", "terminal", _):
        "it must run as a process on this machine: add runner: local, or remove the other key"
      case ("retry", "service", _): "use restart: on-failure"
      case ("timeout", "service", _):
        "a service ends with the last step that needs it; \"ready\" has a timeout of its own"
      case ("run", "service", _), ("exec", "service", _): "write the command under \"service\""
      case ("run", "exec", _), ("exec", "run", _): "remove one of the two"
      case ("separate-streams", "tty", _), ("tty", "terminal", _): "remove one of the two"
      case (_, _, "ready"), (_, _, "alive"): "check both in one script under \"run\""
      default: "split it into two steps"
      }
    return Self("R0216", "\(place) can have either \"\(first)\" or \"\(second)\", not both")
      .hint(hint)
  }

  package static let stdoutOfTerminal = Self(
    "R0216",
    "\"stdout\" of a step with \"tty\" would have its standard error and its colours in it"
  )
  .hint("write the value to the file of REPRISE_OUTPUT instead")

  package static func noValue(variable: String) -> Self {
    Self("R0218", "the variable \"\(variable)\" has no value").hint("write \"\" for an empty value")
  }

  package static func pattern(_ message: String) -> Self { Self("R0219", message) }
  package static let ignorePattern = Self(
    "R0219", "a pattern under \"ignore\" must not begin with \"!\""
  )
  .hint("remove the !: every pattern here excludes files")

  package static func notASize(_ what: String, _ text: String, minimum: String) -> Self {
    Self("R0220", "\(what) must be a size from \(minimum), not \"\(text)\"")
      .hint("write it like 500k, 64m or 1g")
  }

  package static func notAnAddress(_ text: String) -> Self {
    Self("R0221", "\"\(text)\" is not an address like http://127.0.0.1:8080/health")
      .hint("only http works here; check others with run: curl -fsS …")
  }
}
