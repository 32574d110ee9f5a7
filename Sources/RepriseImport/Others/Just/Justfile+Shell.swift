// The shell of the recipes of a justfile, and the arguments that it gives to their scripts.

extension Justfile {
  /// The shell of the file, which ends with the first line that fails; nil if it is unknown.
  var shell: [String]? {
    guard settings["shell"] != nil else { return ["sh", "-e", "-u", "-c"] }
    let words = shellWords
    guard let program = words.first,
      ["sh", "bash", "zsh", "dash"].contains(MakePattern.file(program)),
      words.count > 1, let last = words.last, last.first == "-", last.contains("c")
    else { return nil }
    let letters = last.dropFirst().filter { $0 != "c" && $0 != "e" }
    return [program, "-e"] + (letters.isEmpty ? [] : ["-\(letters)"])
      + words.dropFirst().dropLast() + ["-c"]
  }

  /// Whether the shell of each line ends with the first command that fails.
  var shellEndsAtFailure: Bool {
    shellWords.contains { $0.first == "-" && $0.contains("e") }
  }

  /// The setting `shell`.
  private var shellWords: [String] {
    (settings["shell"] ?? "").dropFirst().dropLast().split(separator: ",").map {
      String($0).trimmed.trimmingQuotes
    }
  }

  /// Whether the script of a recipe reads its arguments.
  func isPositional(_ recipe: JustRecipe) -> Bool {
    let isSet = settings["positional-arguments"].map { $0 != "false" } == true
    guard isSet || recipe.attributes.contains("positional-arguments"), !recipe.parameters.isEmpty
    else { return false }
    let words = recipe.body.first?.text.hasPrefix("#!") == true ? recipe.body[0].text.words : ["sh"]
    guard ["sh", "bash", "dash", "zsh"].contains(MakePattern.file(words.last ?? "")) else {
      return true
    }
    return recipe.body.contains { entry in
      let parts = entry.text.split(separator: "$", omittingEmptySubsequences: false).dropFirst()
      return parts.contains { part in
        guard let first = part.first(where: { $0 != "{" && $0 != "#" }) else { return true }
        return first.isNumber || "@*}".contains(first) || part.first == "#"
      } || entry.text.words.contains("shift") || entry.text.words.contains("getopts")
    }
  }
}
