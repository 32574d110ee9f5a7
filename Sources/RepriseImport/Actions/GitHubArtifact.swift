// Artifacts of GitHub Actions: folders in the folder of the run.

/// The scripts of the actions that store files for other jobs, and fetch them.
enum GitHubArtifact {
  private static let wildcards = "*?["

  /// How files are stored.
  struct Upload {
    let name: String
    /// Whether the step fails if there are no files.
    var fails = false
    /// Whether files and folders whose names begin with a point are stored.
    var withHidden = false
    /// Whether the files replace those that were stored under this name before.
    var replaces = false

    /// The commands that make the folder.
    fileprivate var start: String {
      "folder=\"$REPRISE_RUN_DIR/artifacts/\(name)\"\n" + (replaces ? "rm -rf \"$folder\"\n" : "")
        + "mkdir -p \"$folder\"\n"
    }

    /// The command that says that there are no files.
    fileprivate var end: String {
      let none = "echo 'no files for the artifact' >&2"
      return "[ -n \"$(find \"$folder\" ! -type d | head -n 1)\" ] || "
        + (fails ? "{ \(none); exit 1; }\n" : "\(none)\n")
    }

    /// The option of tar that leaves out hidden files.
    fileprivate var options: String { withHidden ? "" : " --exclude '*/.*'" }
  }

  /// Returns the script that stores files; nil if they cannot be written as patterns of a shell.
  static func upload(_ upload: Upload, paths: String) -> String? {
    let all = paths.split(whereSeparator: \.isNewline).map { String($0).trimmed }
      .filter { !$0.isEmpty && $0.first != "!" }.map(withoutWorkspace)
    guard !all.isEmpty, let excluded = excluded(paths) else { return nil }
    let lines = upload.withHidden ? all : all.filter { !isHidden($0) }
    guard let first = lines.first else { return upload.start + upload.end }
    if excluded.isEmpty, all.count == 1,
      !first.withoutExpressions.contains(where: wildcards.contains)
    {
      return upload.start
        + """
        if [ -d "\(first)" ]; then tar -C "\(first)"\(upload.options) -cf - . | tar -xf - -C "$folder"
        elif [ -e "\(first)" ]; then cp "\(first)" "$folder"; fi

        """ + upload.end
    }
    // A line that is an expression can be several paths.
    guard all.count == 1 || all.allSatisfy({ !$0.withoutExpressions.trimmed.isEmpty }) else {
      return nil
    }
    // A text in an expression can contain a slash.
    guard lines.allSatisfy({ !$0.contains("${{") || !$0.contains("'") }) else { return nil }
    // Several paths keep the folders below the one that they have in common.
    let root = root(of: all)
    let prefix = root.isEmpty ? "" : root + "/"
    let patterns = lines.map { $0 == root ? "." : pattern(String($0.dropFirst(prefix.count))) }
    guard excluded.allSatisfy({ $0.hasPrefix(prefix) }) else { return nil }
    let others = excluded.map { pattern(String($0.dropFirst(prefix.count))) }
    // Where there is no such folder, nothing is found.
    let folder = root.isEmpty ? "" : "cd \"\(root)\" 2> /dev/null || cd \"$folder\"\n"
    return upload.start + "shopt -s globstar nullglob\n" + folder
      + """
      files=(\(patterns.joined(separator: " ")))
      for file in "${files[@]}"; do [ ! -e "$file" ] || found+=("$file"); done
      if [ -n "${found[*]}" ]; then \(copy(without: others, upload.options)); fi

      """ + upload.end
  }

  /// Whether a path is one of a hidden file, or is looked for in a folder that is hidden.
  private static func isHidden(_ path: String) -> Bool {
    let parts = path.withoutExpressions.split(separator: "/")
    let fixed = parts.prefix { !$0.contains(where: wildcards.contains) }
    return parts.dropFirst(max(0, fixed.count - 1)).contains {
      $0.first == "." && $0 != "." && $0 != ".."
    }
  }

  /// Returns the lines of a list of paths that leave files out; nil if files are added after them.
  private static func excluded(_ paths: String) -> [String]? {
    let lines = paths.split(whereSeparator: \.isNewline).map { String($0).trimmed }
      .filter { !$0.isEmpty }
    let excluded = lines.drop { $0.first != "!" }
    guard excluded.allSatisfy({ $0.first == "!" }) else { return nil }
    return excluded.map { withoutWorkspace(String($0.dropFirst())) }
  }

  /// Returns the commands that copy what was found.
  private static func copy(without excluded: [String], _ options: String) -> String {
    guard !excluded.isEmpty else {
      return "tar\(options) -cf - \"${found[@]}\" | tar -xf - -C \"$folder\""
    }
    return """

        excluded=(\(excluded.joined(separator: " ")) /dev/null)
        list() { find "$@" -type f | LC_ALL=C sort -u; }
        LC_ALL=C comm -23 <(list "${found[@]}") <(list "${excluded[@]}") > "$folder.list"
        tar\(options) -cf - -T "$folder.list" | tar -xf - -C "$folder"
        rm "$folder.list"
      """
  }

  /// Returns a path as a pattern of a shell: all but the wildcards is in quotes.
  private static func pattern(_ path: String) -> String {
    guard path.contains("${{") || path.contains(where: { " '()&;|$`".contains($0) }) else {
      return path
    }
    var result = ""
    var isQuoted = false
    var isExpression = false
    for position in path.indices {
      if path[position...].hasPrefix("${{") { isExpression = true }
      let isWildcard = !isExpression && "*?[]".contains(path[position])
      if isWildcard == isQuoted {
        result += "\""
        isQuoted.toggle()
      }
      result.append(path[position])
      if path[...position].hasSuffix("}}") { isExpression = false }
    }
    return result + (isQuoted ? "\"" : "")
  }

  /// Returns the script that fetches files.
  static func download(name: String?, path: String?) -> String {
    let source = "$REPRISE_RUN_DIR/artifacts" + (name.map { "/\($0)" } ?? "")
    let folder = withoutWorkspace(path ?? ".")
    return "mkdir -p \"\(folder)\"\ncp -R \"\(source)/.\" \"\(folder)\"\n"
  }

  /// How the artifacts whose names match a pattern are fetched.
  struct Selection {
    let pattern: String
    /// Whether all have one folder, or each one of its own.
    let merges: Bool
    /// Whether a single one has no folder of its own.
    var opensSingle = false
    /// An artifact that is not fetched.
    var exception: String?
    /// Whether they are removed afterwards.
    var deletes = false
  }

  /// Returns the script that fetches the files of artifacts; nil if a shell has no such pattern.
  static func download(_ selection: Selection, path: String?) -> String? {
    let pattern = selection.pattern
    guard !pattern.contains(where: { " '\"\\{}()!;&|".contains($0) && !pattern.contains("${{") })
    else { return nil }
    let folder = withoutWorkspace(path ?? ".")
    let others = selection.exception.map { " && [ \"${artifact##*/}\" != \"\($0)\" ]" } ?? ""
    let single = selection.opensSingle ? "  [ ${#found[@]} != 1 ] || target=\"\(folder)\"\n" : ""
    return """
      mkdir -p "\(folder)"
      found=()
      for artifact in "$REPRISE_RUN_DIR"/artifacts/\(pattern); do
        [ -d "$artifact" ]\(others) || continue
        found+=("$artifact")
      done
      for artifact in "${found[@]}"; do
        target="\(selection.merges ? folder : "\(folder)/${artifact##*/}")"
      \(single)  mkdir -p "$target"
        cp -R "$artifact/." "$target"\(selection.deletes ? "\n  rm -r \"$artifact\"" : "")
      done

      """
  }

  private static func withoutWorkspace(_ path: String) -> String {
    var path = path
    for start in ["${{ github.workspace }}/", "${{github.workspace}}/", "./"]
    where path.hasPrefix(start) { path.removeFirst(start.count) }
    if path.hasPrefix("~/") { path = "$HOME" + path.dropFirst() }
    while path.count > 1, path.last == "/" { path.removeLast() }
    return path.isEmpty ? "." : path
  }

  /// The folder that all paths have in common.
  private static func root(of lines: [String]) -> String {
    var common: [Substring]?
    for line in lines {
      let parts = line.split(separator: "/", omittingEmptySubsequences: false)
      let fixed = Array(parts.prefix { !$0.contains(where: wildcards.contains) })
      guard let known = common else {
        common = fixed
        continue
      }
      common = zip(known, fixed).prefix { $0 == $1 }.map(\.0)
    }
    return (common ?? []).joined(separator: "/")
  }
}
