// The logical lines of a makefile.

/// A line of a makefile, with those that it continues on.
struct MakeLine {
  var number: Int
  var text: String
  /// The text of a comment that begins with `##`, by which many makefiles describe a target.
  var description: String?

  /// Whether it begins with a tab, as the commands of a rule do.
  var isCommand: Bool { text.first == "\t" }

  /// Returns the lines of a makefile: those of commands as they are, others without comments.
  static func lines(of text: String) -> [MakeLine] {
    var lines: [MakeLine] = []
    var isContinued = false
    for (index, part) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let line = String(part)
      let slashes = line.reversed().prefix { $0 == "\\" }.count
      let ends = slashes % 2 == 1
      if isContinued, let last = lines.indices.last {
        if lines[last].isCommand {
          // A shell gets the line as it is, without the tab at its start.
          lines[last].text += "\n" + (line.first == "\t" ? String(line.dropFirst()) : line)
        } else {
          let next = String((ends ? line.dropLast() : line[...]).drop(while: \.isWhitespace))
          lines[last].text += " " + (ends ? next.trimmedAtEnd : next)
        }
      } else if line.first == "\t" {
        lines.append(MakeLine(number: index + 1, text: line))
      } else {
        let content = ends ? String(line.dropLast()).trimmedAtEnd : line
        lines.append(MakeLine(number: index + 1, text: content))
      }
      isContinued = ends
    }
    return lines
  }

  /// The line without its comment.
  var withoutComment: MakeLine {
    var depth = 0
    var previous: Character = " "
    for position in text.indices {
      let character = text[position]
      if "({".contains(character), previous == "$" || depth > 0 { depth += 1 }
      if ")}".contains(character), depth > 0 { depth -= 1 }
      if character == "#", previous != "\\", depth == 0 {
        var line = self
        line.text = String(text[..<position])
        let comment = text[position...]
        if comment.hasPrefix("## ") { line.description = String(comment.dropFirst(3)).trimmed }
        line.text = line.text.replacing("\\#", with: "#")
        return line
      }
      previous = character
    }
    var line = self
    line.text = text.replacing("\\#", with: "#")
    return line
  }
}

extension StringProtocol {
  /// Returns the first position of a character outside of references such as `$(A:b=c)`.
  func firstOutside(_ character: Character) -> String.Index? {
    var depth = 0
    var previous: Character = " "
    for position in indices {
      let current = self[position]
      if depth == 0, current == character, previous != "\\" { return position }
      if "({".contains(current), previous == "$" || depth > 0 { depth += 1 }
      if ")}".contains(current), depth > 0 { depth -= 1 }
      previous = current
    }
    return nil
  }

  /// The text without blanks at its end.
  var trimmedAtEnd: String {
    var text = String(self)
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }

  /// The words between blanks.
  var words: [String] {
    String(self).split(whereSeparator: { $0.isWhitespace }).map(String.init)
  }
}
