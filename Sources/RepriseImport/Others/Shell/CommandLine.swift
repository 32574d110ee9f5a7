// A command that another tool gives to a shell of its own, as lines of one script.

/// A command line that runs in a shell of its own.
struct CommandLine {
  let text: String
  /// Whether the next command runs, too, if this one fails.
  var ignoresErrors = false
  /// Whether the shell of its own ends with the first command that fails.
  var endsAtFailure = false
  /// Whether it could be a command such as `cd`, as its first word is not known.
  var mayChangeShell = false

  /// Words that begin a compound command, or change the shell that executes them.
  private static let special: Set = [
    "cd", "export", "set", "exit", "exec", "umask", "alias", ".", "source", "trap", "unset",
    "read", "shift", "return", "readonly", "eval", "if", "for", "while", "until", "case",
    "function", "break", "continue", "ulimit", "wait", "local", "declare", "pushd", "popd",
    "shopt", "[[",
  ]

  /// Returns the command as a part of a script that ends with the first command that fails.
  ///
  /// A shell of its own does not end with the first failure, and keeps its variables and folder.
  ///
  /// - Throws: ``Untranslatable`` for a process that goes on in the background.
  func script() throws(Untranslatable) -> String {
    var quotes = ShellPlace()
    quotes.read(text)
    let body = quotes.operators
    if hasBackground(body), !text.contains("wait") {
      throw Untranslatable("a process in the background ends with its step: make it a service")
    }
    let needsLine = quotes.hasComment || quotes.isUnclear || text.contains("\n")
    let chain = body.filter { !"&|".contains($0) }
    var result = text
    if endsAtFailure {
      let isCompound = !body.isEmpty || needsLine || changesShell
      if ignoresErrors, chain.contains(where: { ";\n".contains($0) }) {
        // In a list with ||, a shell would not end with the first failure.
        return "set +e\n(set -e\n\(text)\n)\nset -e"
      }
      if isCompound { result = needsLine ? "(\n\(text)\n)" : "(\(text))" }
    } else if !chain.isEmpty || quotes.isUnclear {
      result = needsLine ? "(set +e\n\(text)\n)" : "(set +e; \(text))"
    } else if needsLine {
      result = "(set +e\n\(text)\n)"
    } else if body.contains("&&") || body.contains("||") || changesShell {
      result = "(\(text))"
    }
    return ignoresErrors ? "\(result) || true" : result
  }

  private func hasBackground(_ operators: String) -> Bool {
    operators.replacing("&&", with: "").contains("&")
  }

  private var changesShell: Bool {
    if mayChangeShell { return true }
    let first = text.prefix { !$0.isWhitespace }
    if Self.special.contains(String(first)) { return true }
    guard let equals = first.firstIndex(of: "=") else { return false }
    // Variables of a command, or of the shell.
    let name = String(first[..<equals])
    return StepNames.identifier(name) == name
  }
}

extension String {
  /// The text in single quotes for a shell, if it needs them.
  var shellQuoted: String {
    let isPlain =
      !isEmpty
      && allSatisfy {
        $0.isASCII && ($0.isLetter || $0.isNumber || "_-./:@%+,=".contains($0))
      }
    return isPlain ? self : "'\(replacing("'", with: "'\\''"))'"
  }
}
