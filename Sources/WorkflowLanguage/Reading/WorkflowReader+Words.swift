// Warnings about words that are never equal, and about variables of shells where no shell is.

import YAML

extension WorkflowReader {
  /// Warns of comparisons of a result with a word that no result has.
  mutating func warnOfImpossibleComparisons() {
    for check in checks {
      for (expression, offset) in check.template.expressions {
        var found: [ExpressionError] = []
        expression.visit { part in
          guard case .binary(let symbol, let left, let right) = part.kind,
            symbol == .equal || symbol == .notEqual
          else { return }
          for (result, word) in [(left, right), (right, left)] {
            guard case .literal(.text(let text)) = word.kind, !text.isEmpty,
              let (name, words) = result.closedWords, !words.contains(text)
            else { continue }
            // The same stem, as in succeeded and success.
            let meant = words.first { $0.prefix(4) == text.lowercased().prefix(4) }
            found.append(
              ExpressionError(
                .impossibleWord(text, of: name, meant: meant, words: words), word.range))
          }
        }
        for error in found {
          readers[check.file].report(
            error.moved(by: offset), in: check.node, severity: .warning)
        }
      }
    }
  }

  /// Warns of `$NAME`, `${NAME}` and `~` in a value that no shell reads.
  ///
  /// Texts with blanks are left out: some variables are command lines, which a shell reads later.
  mutating func warnOfVariables(in node: Node, _ context: Context) {
    guard let text = node.text, !text.contains(where: \.isWhitespace) else { return }
    if text == "~" || text.hasPrefix("~/") {
      readers[context.file].warn(.notExpanded(text, meant: "env.HOME"), at: node)
    } else if let name = Self.variable(in: text) {
      readers[context.file].warn(.notExpanded(text, meant: "env.\(name)"), at: node)
    }
  }

  /// Returns the first name of a variable in a text, as shells write it.
  private static func variable(in text: String) -> String? {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    for (before, part) in zip(parts, parts.dropFirst()) where before.last != "\\" {
      let inner = part.first == "{" ? part.dropFirst() : part
      let name = inner.prefix { "A"..."Z" ~= $0 || "0"..."9" ~= $0 || $0 == "_" }
      guard let first = name.first, !first.isNumber else { continue }
      if part.first == "{" ? inner[name.endIndex...].first == "}" : true { return String(name) }
    }
    return nil
  }

  /// The programs that read their arguments as a shell does, or run a shell that does.
  private static let shells: Set = [
    "sh", "bash", "dash", "zsh", "ksh", "fish", "env", "ssh", "su", "sudo",
  ]

  /// The programs whose option `-c` or `-e` takes code.
  private static let interpreters: Set = [
    "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python3", "perl", "ruby", "node", "php",
    "lua", "Rscript",
  ]

  /// Warns of expressions in the code that a command gives to an interpreter.
  mutating func warnOfCode(in words: [Template], _ nodes: [Node], _ context: Context) {
    let names = words.map { $0.source.split(separator: "/").last.map(String.init) ?? "" }
    guard let program = names.firstIndex(where: Self.interpreters.contains) else { return }
    for (position, word) in words.enumerated().dropFirst(program + 2) where !word.isPlain {
      let option = words[position - 1].source
      guard option.hasPrefix("-"), !option.hasPrefix("--"), option.last == "c" || option.last == "e"
      else { continue }
      readers[context.file].warn(.expressionInCode(program: names[program]), at: nodes[position])
    }
  }

  /// Warns of variables in the words of a command that no shell reads.
  mutating func warnOfVariables(inWords nodes: [Node], _ context: Context) {
    let program = nodes.first?.text?.split(separator: "/").last.map(String.init) ?? ""
    guard !Self.shells.contains(program),
      !nodes.contains(where: { ["-c", "-e", "--command"].contains($0.text) })
    else { return }
    for node in nodes { warnOfVariables(in: node, context) }
  }
}

extension Expression {
  /// The name of a result and all words that it can be; nil for any other expression.
  fileprivate var closedWords: (name: String, words: [String])? {
    guard case .member(let base, let name) = kind else { return nil }
    if name == "outcome", case .root(.run) = base.kind {
      return ("run.outcome", ["succeeded", "failed", "cancelled", "timed-out"])
    }
    guard name == "result", case .member(let steps, let id) = base.kind,
      case .root(.steps) = steps.kind
    else { return nil }
    return ("steps.\(id).result", ["success", "failure", "cancelled", "skipped"])
  }
}
