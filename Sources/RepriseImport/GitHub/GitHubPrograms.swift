// The programs that a script starts, which can write to the files of GitHub as the script itself.

/// What is known of the programs that the script of a step starts.
struct GitHubPrograms {
  /// Their contents.
  var text = ""
  /// Those of the repository itself that a shell runs.
  var scripts: [String] = []
  /// Whether they belong to an action of another repository, so that they expect the variables of
  /// GitHub.
  var areOfAction = false
  /// Whether some of them could not be found.
  var areUnknown = false
}

extension GitHubFile {
  private static let programsMax = 20
  private static let data = [".yml", ".yaml", ".md", ".json", ".toml", ".txt", ".lock"]
  /// Replaces the folder of an action in a script, since no script contains it.
  private static let folder: Character = "\u{1}"

  /// Returns the programs that the script of a step names: files of the repository, and those of the
  /// action that it is a part of.
  func programs(of step: SourceNode, within scope: GitHubScope?) -> GitHubPrograms {
    guard var script = step["run"]?.text else { return GitHubPrograms() }
    if scope != nil {
      script.replace(
        /\$\{\{ *github\.action_path *\}\}|\$\{GITHUB_ACTION_PATH\}|\$GITHUB_ACTION_PATH/,
        with: String(Self.folder))
    }
    let own = script.contains(Self.folder)
    if own, let scope, scope.source == nil {
      script.replace(String(Self.folder), with: scope.path)
    }
    let recipes = recipes(of: script)
    script += "\n" + recipes.replacing(/\$[({](PWD|CURDIR)[)}]\//, with: "")
    let ends = " \t\n\"'`;|&()<>=${}"
    let names = Set(script.split { ends.contains($0) }.map(String.init))
    let paths = names.map { $0.hasPrefix("./") ? String($0.dropFirst(2)) : $0 }.filter { name in
      name.contains("/") && !name.hasPrefix("/") && !name.contains("..") && !name.hasSuffix("/")
        && !name.contains { "*?[\\:~@\u{1}".contains($0) }
        && !Self.data.contains { name.hasSuffix($0) }
    }
    var programs = GitHubPrograms()
    let found = paths.sorted().prefix(Self.programsMax)
      .compactMap { path in files(path).map { (path, String(decoding: $0, as: UTF8.self)) } }
    programs.text = (found.map(\.1) + [recipes]).joined(separator: "\n")
    programs.scripts =
      found.filter { path, text in
        path.hasSuffix(".sh") || text.prefix { !$0.isNewline }.contains(/^#!.*sh\b/)
      }.map(\.1) + [recipes].filter { !$0.isEmpty }
    guard own, let source = scope?.source else { return programs }
    add(names.filter { $0.contains(Self.folder) }, of: source, to: &programs)
    return programs
  }

  /// Returns the recipes of the targets that a script makes by their names, without those of the
  /// targets that these need.
  private func recipes(of script: String) -> String {
    guard script.contains("make"), let bytes = files("Makefile") ?? files("GNUmakefile") else {
      return ""
    }
    let targets = ShellCommands(script).parts.flatMap { part -> [String] in
      guard case .command(let words, _) = part, let make = words.firstIndex(of: "make"),
        !words.contains("-C")
      else { return [] }
      return words[(make + 1)...].filter { !$0.hasPrefix("-") && !$0.contains("=") }
    }
    guard !targets.isEmpty else { return "" }
    var lines: [String] = []
    var isNamed = false
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      if line.first == "\t" {
        if isNamed { lines.append(String(line.drop { "\t @-+".contains($0) })) }
      } else if let colon = line.firstIndex(of: ":"), line.first != "#" {
        isNamed = line[..<colon].split(separator: " ").contains { targets.contains(String($0)) }
      }
    }
    return lines.joined(separator: "\n")
  }

  /// Adds the programs of another repository with these names, which begin with the folder of the
  /// action.
  private func add(
    _ names: Set<String>, of source: GitHubSource, to programs: inout GitHubPrograms
  ) {
    programs.areOfAction = true
    for name in names.sorted() where !Self.data.contains(where: name.hasSuffix) {
      guard name.hasPrefix("\(Self.folder)/"), let file = source.file(String(name.dropFirst(2))),
        let found = try? content(of: file, hint: "")
      else {
        programs.areUnknown = true
        continue
      }
      programs.text += "\n" + String(decoding: found.bytes, as: UTF8.self)
    }
    // They may set variables for later steps.
    if programs.areUnknown { programs.text += "\nGITHUB_ENV GITHUB_OUTPUT" }
  }
}
