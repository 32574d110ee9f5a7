import Foundation
import TestSupport
import Testing
import WorkflowFiles

/// Promise 11: a mebibyte of any input is accepted or refused quickly, using little memory.
@Suite(.serialized) struct LargeFileTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    /// The prefix, the piece that is repeated, and the suffix.
    let before: String
    let piece: String
    let after: String

    var testDescription: String { name }

    init(_ name: String, _ before: String, _ piece: String, _ after: String = "") {
      (self.name, self.before, self.piece, self.after) = (name, before, piece, after)
    }

    /// Returns a text of the given size in which each `#` of the piece is replaced by its number.
    func text(_ size: Int) -> String {
      guard piece.contains("#") else {
        return before + String(repeating: piece, count: size / piece.utf8.count) + after
      }
      var text = before
      var number = 0
      while text.utf8.count < size {
        text += piece.replacing("#", with: "\(number)")
        number += 1
      }
      return text + after
    }
  }

  private static let step = "\nsteps: [{ id: a, run: x }]\n"

  static let kinds = [
    // Nesting.
    Kind("open lists", "", "["), Kind("open maps", "", "{"),
    Kind("list items in one line", "", "- "),
    Kind("complex keys", "", "? "), Kind("maps in lists", "", "[{a: "),
    Kind("nested groups", "steps:\n", " - parallel:\n"), Kind("tags", "", "!x "),
    Kind("anchors", "", "&a "), Kind("aliases", "", "*a "), Kind("colons", "", ": "),
    // Many things.
    Kind("keys", "", "k#: 1\n", step), Kind("items", "steps:\n", "- x\n"),
    Kind("steps", "steps:\n", "- {id: s#, run: x}\n"),
    Kind("steps with the same id", "steps:\n", "- {id: s, run: x}\n"),
    Kind("variables", "env:\n", "  A#: x\n", step),
    Kind("parameters", "params:\n", "  p#: {}\n", step),
    Kind("needs that do not exist", "steps: [{ id: a, run: x, needs: [", "n#, ", "n] }]\n"),
    Kind("anchors that are used", "env:\n", "  A#: &a# x\n  B#: *a#\n", step),
    Kind(
      "an alias of many", "x: &x [" + String(repeating: "1, ", count: 1000) + "]\ny: [", "*x, ",
      "]\n"),
    Kind("items of foreach", "steps: [{ id: a, run: x, foreach: [", "#, ", "1] }]\n"),
    Kind("empty lines", "", "\n", step), Kind("comments", "", "# x\n", step),
    Kind(
      "a list that is not closed", "steps: [\n", "{id: a, run: x},\n",
      "{id: b, run: x}\nname: y\n"),
    Kind("documents", "", "---\n"), Kind("ends of documents", "", "...\n"),
    // Long things.
    Kind("a plain scalar", "name: ", "x", step), Kind("words", "name: ", "x ", step),
    Kind("an open quotation", "name: \"", "x"),
    Kind("a quotation", "name: \"", "\\u00e9", "\"" + step),
    Kind("a script", "steps:\n- id: a\n  run: |\n", "    echo #\n"),
    Kind("an id", "steps: [{ id: a", "b", ", run: x }]\n"), Kind("a key", "k", "k", ": 1" + step),
    Kind("arguments", "steps: [{ id: a, exec: [x, ", "\"#\", ", "y] }]\n"),
    // Expressions, patterns, times.
    Kind("a long condition", "steps: [{ id: a, run: x, if: \"true", " && true", "\" }]\n"),
    Kind("open brackets", "steps: [{ id: a, run: x, if: \"", "(", "\" }]\n"),
    Kind("negations", "steps: [{ id: a, run: x, if: \"", "!", "true\" }]\n"),
    Kind("indices", "steps: [{ id: a, run: x, if: \"params", "[0]", "\" }]\n"),
    Kind("calls", "steps: [{ id: a, run: x, if: \"", "format(", "\" }]\n"),
    Kind("expressions in a text", "env: { A: \"", "${{ 1 }}", "\" }" + step),
    Kind("expressions in a script", "steps: [{ id: a, run: \"", "${{ params.p }} ", "\" }]\n"),
    Kind("scripts with expressions", "steps:\n", "- run: echo ${{ params.p }}\n", step),
    Kind("texts with colons", "steps:\n", "- exec: [echo, a: b]\n", step),
    Kind("JSON in an expression", "env: { A: \"${{ fromJSON('", "[", "') }}\" }" + step),
    Kind("stars", "steps: [{ id: a, run: x, cache: { inputs: [\"", "*/", "x\"] } }]\n"),
    Kind("braces", "steps: [{ id: a, run: x, cache: { inputs: [\"", "{a,b}", "\"] } }]\n"),
    Kind("minutes", "on: { schedule: \"0", ",0", " * * * *\" }" + step),
    Kind("a duration", "timeout: ", "1h", step), Kind("digits", "max-parallel: 1", "1", step),
    Kind("matrix values", "steps: [{ id: a, run: x, matrix: { m: [", "#, ", "1] } }]\n"),
    // Characters.
    Kind("tabs", "", "\t"), Kind("carriage returns", "", "\r", step), Kind("spaces", "", " ", step),
    Kind("characters of four bytes", "name: ", "\u{1F680}", step),
    Kind("combining characters", "name: e", "\u{301}", step),
    Kind("separators of lines", "name: x", "\u{2028}", step), Kind("NUL", "name: x", "\0", step),
  ]

  @Test(.timeLimit(.minutes(5)), arguments: kinds)
  func `a mebibyte is accepted or refused quickly, using little memory`(_ kind: Kind) throws {
    let bytes = Array(kind.text(1 << 20).utf8)
    let before = try Self.memory(peak: false)
    var said = "accepted"
    let time = processorTime {
      do {
        _ = try Workflow(bytes: bytes, file: "w.yaml")
      } catch {
        said = String("\(error)".prefix(80))
      }
    }
    let mebibytes = (try Self.memory(peak: true) - before) / 1024
    print("\(kind.name): \(time), \(mebibytes) MiB, \(said)")
    #expect(time < promised(.seconds(5)))
    #expect(mebibytes < 256)
  }

  /// Returns the memory of this process in KiB: the current value, or the peak since the last call
  /// without `peak`.
  private static func memory(peak: Bool) throws -> Int {
    if !peak { try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8) }
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(peak ? "VmHWM" : "VmRSS") }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }
}
