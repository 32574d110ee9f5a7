// The folder of the repository, which is one of a machine for one job there, and yours here.

extension String {
  /// Returns whether a script removes the folder of the repository, or all files in it.
  ///
  /// - Parameter isElsewhere: Whether the script runs in another folder.
  /// - Returns: Whether it does.
  func removesWorkspace(isElsewhere: Bool) -> Bool {
    let variable = "$GITHUB_WORKSPACE"
    let script = replacing(/\$\{\{ *(github|runner)\.workspace *\}\}/, with: variable)
      .replacing(/\$\{?(GITHUB|RUNNER)_WORKSPACE\}?/, with: variable)
      .replacing(/\$\{?PWD\}?|\$\(pwd\)/, with: ".")
    // A script that changes the folder can remove the files of another one.
    let isElsewhere =
      isElsewhere || script.split { $0.isWhitespace || $0 == ";" }.contains { $0 == "cd" }
    let folders = isElsewhere ? [variable] : [variable, ".", "*"]
    let commands = script.split { $0.isNewline || ";&|".contains($0) }
    return commands.contains { command in
      var words = command.split(whereSeparator: \.isWhitespace)
        .map { $0.filter { !"\"'(){}".contains($0) } }
      if words.first == "sudo" { words.removeFirst(words.firstIndex(of: "rm") ?? 1) }
      let options = words.dropFirst().filter { $0.hasPrefix("-") }
      let isRemoved =
        switch words.first {
        case "rm":
          options.contains {
            $0.hasPrefix("--") ? $0 == "--recursive" : $0.contains("r") || $0.contains("R")
          }
        case "find":
          options.contains("-delete")
            && !options.contains { $0.hasSuffix("name") || $0.hasSuffix("path") }
        default: false
        }
      return isRemoved
        && words.dropFirst().contains { word in
          let end = ["/.*", "/*", "/.", "/"].first { word.hasSuffix($0) } ?? ""
          return folders.contains(String(word.dropLast(end.count)))
        }
    }
  }
}
