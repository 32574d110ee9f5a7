// The templates of Taskfiles, `{{.NAME}}`, as variables of a shell.

/// A text of a Taskfile with its templates translated.
struct TaskTemplate {
  /// The text, in which variables are written as in a shell.
  private(set) var text = ""
  /// The variables that it uses, in order.
  private(set) var names: [String] = []
  /// Whether it uses the arguments after `--`.
  private(set) var usesArguments = false

  /// Translates a text.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - task: The name of the task.
  ///   - escape: Translates the parts between templates.
  /// - Throws: ``Untranslatable`` for the first template that is more than a name.
  init(
    _ source: String, task: String, escape: (String) -> String = { $0 }
  ) throws(Untranslatable) {
    var rest = source[...]
    while let start = rest.firstRange(of: "{{") {
      text += escape(String(rest[..<start.lowerBound]))
      guard let end = rest[start.upperBound...].firstRange(of: "}}") else {
        throw Untranslatable("a template without an end")
      }
      var words = String(rest[start.upperBound..<end.lowerBound]).split(separator: " ")
        .map(String.init)
      words = words.filter { $0 != "-" }
      text += try reference(words, task)
      rest = rest[end.upperBound...]
    }
    text += escape(String(rest))
  }

  private mutating func reference(_ words: [String], _ task: String) throws(Untranslatable)
    -> String
  {
    switch words.count {
    case 1: break
    case 4 where words[1] == "|" && words[2] == "default":
      return try fallback(words[0], words[3])
    case 3 where words[0] == "default": return try fallback(words[2], words[1])
    default:
      throw Untranslatable("{{\(words.joined(separator: " "))}} is a function of its templates")
    }
    switch words[0] {
    case "OS": return "$(uname -s | tr A-Z a-z)"
    case "ARCH": return "$(uname -m)"
    case "exeExt": return ""
    case ".TASK", ".ALIAS": return task
    case ".ROOT_DIR", ".TASKFILE_DIR", ".USER_WORKING_DIR", ".TASK_DIR": return "."
    case ".CLI_ARGS":
      usesArguments = true
      return "${CLI_ARGS}"
    default:
      return "${\(try name(words[0]))}"
    }
  }

  private mutating func fallback(_ word: String, _ value: String) throws(Untranslatable) -> String {
    guard value.count > 1, let quote = value.first, quote == "\"" || quote == "'",
      value.last == quote
    else { throw Untranslatable("{{… default \(value)}} is a function of its templates") }
    return "${\(try name(word)):-\(value.dropFirst().dropLast())}"
  }

  private mutating func name(_ word: String) throws(Untranslatable) -> String {
    let name = String(word.dropFirst())
    guard word.first == ".", !name.isEmpty, StepNames.identifier(name) == name else {
      throw Untranslatable("{{\(word)}} is a function of its templates")
    }
    if !names.contains(name) { names.append(name) }
    return name
  }
}
