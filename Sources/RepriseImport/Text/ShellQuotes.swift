// Follows the quotes of a shell script, so that a variable can be written where an expression was.

/// Follows the quotes of a shell script.
struct ShellQuotes {
  enum Place {
    case outside, double, single
    /// In a here-document.
    case document
  }

  /// The place in the script, and the parentheses that are open there.
  private struct Level {
    var place = Place.outside
    var parentheses = 0
  }

  /// The levels of commands in texts in double quotes, `"$(…)"`; never empty.
  private var levels = [Level()]
  private var line = ""
  private var delimiter: String?
  private var isEscaped = false
  private var isComment = false
  private var isQuotedDocument = false
  /// Whether something was read whose quotes are not followed.
  private var isUncertain = false

  var place: Place { levels.last?.place ?? .outside }
  /// Whether a variable at this place would not be expanded, or it is not sure that it would.
  var hidesVariables: Bool { isUncertain || place == .document && isQuotedDocument }
  /// Whether the next character can be an operator of the shell.
  var isInCommand: Bool { place == .outside && !isComment && !isEscaped }

  /// Reads a part of a script.
  mutating func read(_ text: some StringProtocol) {
    for character in text {
      if character.isNewline {
        endLine()
        continue
      }
      if place == .outside, character == "#", line.last?.isWhitespace ?? true { isComment = true }
      line.append(character)
      if place == .document || isComment { continue }
      if isEscaped {
        isEscaped = false
      } else {
        follow(character)
      }
    }
  }

  private mutating func follow(_ character: Character) {
    switch (character, place) {
    case ("\\", .outside), ("\\", .double): isEscaped = true
    case ("'", .outside): move(to: .single)
    case ("'", .single), ("\"", .double): move(to: .outside)
    case ("\"", .outside): move(to: .double)
    case ("(", .double) where line.hasSuffix("$("): levels.append(Level())
    case ("(", .outside): levels[levels.count - 1].parentheses += 1
    case (")", .outside) where levels.count > 1 && levels[levels.count - 1].parentheses == 0:
      levels.removeLast()
    case (")", .outside): levels[levels.count - 1].parentheses -= 1
    // The texts in old substitutions, and the parentheses of "case", are not followed.
    case ("`", .double): isUncertain = true
    case (" ", .outside) where levels.count > 1 && line.hasSuffix("case "): isUncertain = true
    default: break
    }
  }

  private mutating func move(to place: Place) { levels[levels.count - 1].place = place }

  private mutating func endLine() {
    defer { line = "" }
    isEscaped = false
    isComment = false
    if place == .document {
      if line.trimmed == delimiter { move(to: .outside) }
    } else if place == .outside, let start = line.ranges(of: "<<").last {
      let rest = line[start.upperBound...].drop { "- ~".contains($0) }
      let word = rest.drop { "'\"\\".contains($0) }
        .prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      // `<<<` is a text, and `1 << 2` a number.
      guard let first = word.first, first.isLetter || first == "_",
        !line[..<start.lowerBound].hasSuffix("<")
      else { return }
      delimiter = String(word)
      isQuotedDocument = rest.first.map { "'\"\\".contains($0) } ?? false
      move(to: .document)
    }
  }
}

extension ShellQuotes {
  /// Whether a script starts a process in the background and does not wait for it.
  static func leavesProcesses(in script: String) -> Bool {
    var quotes = ShellQuotes()
    var leaves = false
    for line in script.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let first = line.split { " \t;".contains($0) }.first ?? ""
      if quotes.isInCommand, ["wait", "kill", "trap"].contains(first) { leaves = false }
      var previous: Character = " "
      for position in line.indices {
        let next = line[line.index(after: position)...].first ?? " "
        // Not `&&`, `&>`, `>&`, `|&`, `<&` and `;&`.
        if line[position] == "&", quotes.isInCommand, !"&><|;".contains(previous),
          !"&>".contains(next)
        {
          leaves = true
        }
        previous = line[position]
        quotes.read(line[position...position])
      }
      quotes.read("\n")
    }
    return leaves
  }
}
