// Scripts that remove the folder of the repository: there a clone for one run, here that of a user.

/// Finds the commands of a script that remove the whole folder of the repository.
struct GitHubRemoval {
  /// The start of a word that is this folder, or one that contains it.
  private static let folders = [
    "$GITHUB_WORKSPACE", "$env:GITHUB_WORKSPACE", "$RUNNER_WORKSPACE", "$HOME", "~", "$PWD",
    "$(pwd)", "`pwd`", "$(git rev-parse --show-toplevel)",
  ]
  /// The words before a command.
  private static let starts: Set = [
    "sudo", "env", "exec", "command", "time", "nohup", "!", "then", "do", "else", "if", "{",
    "while", "until", "builtin",
  ]
  /// The tests of `find` that choose some files.
  private static let tests: Set = [
    "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-newer", "-empty",
    "-mtime", "-mmin", "-ctime", "-cmin", "-atime", "-amin", "-perm", "-size", "-user", "-group",
  ]

  private let names: [String]
  /// Whether the commands work in the folder of the repository, or perhaps in one around it.
  private var isHere: Bool
  private var outer: [Bool] = []
  /// Whether the command before this one prints the names of all files.
  private var listsAll = false

  /// Returns the first command of a script that removes the folder of the repository.
  ///
  /// - Parameters:
  ///   - script: The script, with its expressions.
  ///   - startsHere: Whether it starts in that folder.
  ///   - variables: The names of variables whose value is that folder.
  /// - Returns: The command; nil if there is none.
  static func command(
    in script: String, startsHere: Bool = true, variables: [String] = []
  ) -> String? {
    guard ["rm", "find", "emove-", "xargs"].contains(where: script.contains) else { return nil }
    var finder = GitHubRemoval(
      names: folders + variables.map { "$\($0)" }, isHere: startsHere)
    for part in ShellCommands(plain(script)).parts {
      switch part {
      case .open: finder.outer.append(finder.isHere)
      case .close: finder.isHere = finder.outer.popLast() ?? finder.isHere
      case .command(let words, let isPiped):
        let own = Array(
          words.drop { word in
            starts.contains(word) || word.hasPrefix("-")
              || word.contains("=") && word.first?.isLetter == true
          })
        if finder.removes(own, isPiped) { return words.joined(separator: " ") }
      }
    }
    return nil
  }

  private init(names: [String], isHere: Bool) {
    self.names = names
    self.isHere = isHere
  }

  /// Returns a script with variables in place of its expressions, and with one form of variables.
  private static func plain(_ script: String) -> String {
    var script = script.replacing(
      /\$\{\{ *(github|runner)\.workspace *\}\}/,
      with: { "$\($0.output.1.uppercased())_WORKSPACE" })
    script.replace(/\$\{\{[^}]*\}\}/, with: "$VALUE")
    script.replace(
      /\$\{(env:)?([A-Za-z_][A-Za-z0-9_]*)(:?[?-][^}]*)?\}/,
      with: { "$\($0.output.1 ?? "")\($0.output.2)" })
    return script
  }

  /// Whether a command removes the folder; notes the folder in which the next one works.
  private mutating func removes(_ words: [String], _ isPiped: Bool) -> Bool {
    let all = listsAll
    listsAll = false
    let (name, arguments) = (words.first ?? "", words.dropFirst())
    switch name.split(separator: "/").last ?? "" {
    case "cd", "pushd", "Set-Location": move(to: arguments.first { $0 != "--" } ?? "~")
    case "popd": isHere = true
    case "rm", "Remove-Item", "ri": return arguments.contains(where: isWhole)
    case "git" where arguments.contains("rm"):
      return arguments.contains { $0.hasPrefix("-") && $0.contains("f") }
        && !arguments.contains("--cached") && arguments.contains(where: isWhole)
    case "ls": listsAll = arguments.allSatisfy { $0.hasPrefix("-") || isWhole($0) } && isHere
    case "xargs": return isPiped && all && arguments.contains { $0 == "rm" }
    case "find":
      guard findsAll(Array(arguments)) else { return false }
      listsAll = true
      return arguments.contains("-delete") || arguments.contains("rm")
    default: break
    }
    return false
  }

  private mutating func move(to folder: String) {
    let isRoot = isWhole(folder) && !folder.hasPrefix("~") && !folder.hasPrefix("$HOME")
    isHere = isRoot || folder == "-" || folder.contains("..")
  }

  /// Whether the arguments of `find` choose all files of the folder.
  private func findsAll(_ arguments: [String]) -> Bool {
    let roots = arguments.prefix { !$0.hasPrefix("-") && $0 != "!" }
    guard roots.contains(where: isWhole) || roots.isEmpty && isHere else { return false }
    return !arguments.indices.contains { position in
      let before = position > 0 ? arguments[position - 1] : ""
      return Self.tests.contains(arguments[position]) && before != "!" && before != "-not"
    }
  }

  /// Whether a word is the whole folder, all files in it, or its history.
  private func isWhole(_ word: String) -> Bool {
    var rest = word[...]
    if let start = names.first(where: { word.hasPrefix($0) }) {
      rest = word.dropFirst(start.count)
      guard rest.isEmpty || rest.first == "/" || rest.first == "\\" else { return false }
    } else {
      guard isHere, !word.isEmpty, let first = word.first, !"/$-`".contains(first) else {
        return false
      }
    }
    let parts = rest.split { "/\\".contains($0) }.filter { $0 != "." }
    return parts == [".git"] || parts.allSatisfy { $0.allSatisfy { "*.?[]!^{},".contains($0) } }
  }
}
