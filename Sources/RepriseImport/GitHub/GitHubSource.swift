// Actions and workflows of other repositories, which are expanded as those of this one.

import YAML

/// The commit of another repository that a workflow or action was read from.
struct GitHubSource {
  let repository: String
  let commit: String
  /// The version that was asked for.
  let version: String
  /// The folder of the action in that repository; empty for the repository itself.
  let folder: String
  /// Whether its steps use files of that repository.
  let usesFiles: Bool

  /// The folder of a run into which steps clone that commit, below `run.dir`.
  var clone: String { "actions/\(repository)/\(commit)" }

  /// Returns a file of that commit.
  ///
  /// - Parameter path: A path relative to the folder of the action.
  /// - Returns: The file; nil if its path is not plain or leaves the repository.
  func file(_ path: String) -> OtherFile? {
    var parts = folder.split(separator: "/")
    for part in path.split(separator: "/") where part != "." {
      if part != ".." {
        parts.append(part)
      } else if parts.popLast() == nil {
        return nil
      }
    }
    return OtherFile(fileOf: repository, path: parts.joined(separator: "/"), version: version)
  }
}

/// The content of a file of another repository.
struct OtherDocument {
  let root: Node
  /// Whether it names the folder of the action.
  let usesFiles: Bool
}

extension GitHubFile {
  /// Returns the file of another repository that `uses` names; nil if it names none.
  ///
  /// `$/` is the repository, at the same commit, of the file that says it, and so is `./` where a job
  /// calls a workflow. In a step, `./` is the folder in which all steps work, so it is this repository.
  ///
  /// - Parameters:
  ///   - uses: The value of `uses`.
  ///   - source: Where the file comes from that says it; nil for this repository.
  ///   - isJob: Whether a job says it, or else a step.
  /// - Returns: The file.
  func other(_ uses: String, from source: GitHubSource?, isJob: Bool) -> OtherFile? {
    if uses.isOfRepository {
      guard let source, isJob || uses.hasPrefix("$/") else { return nil }
      return OtherFile("\(source.repository)/\(uses.dropFirst(2))@\(source.commit)")
    }
    return ownPath(uses) == nil ? OtherFile(uses) : nil
  }

  /// Reads a file of another repository.
  ///
  /// - Parameters:
  ///   - other: The file.
  ///   - hint: The reason if nothing may be fetched.
  /// - Returns: Its map, and where it comes from.
  /// - Throws: ``Untranslatable`` if it is not there, or is no YAML map.
  func read(
    _ other: OtherFile, hint: String
  ) throws(Untranslatable) -> (root: SourceNode, source: GitHubSource) {
    let (bytes, path, commit) = try content(of: other, hint: hint)
    let place = "\(other.repository)/\(path)@\(other.version)"
    guard let document = document(of: other, bytes) else {
      throw Untranslatable("\(path) is no YAML map")
    }
    let source = GitHubSource(
      repository: other.repository, commit: commit, version: other.version,
      folder: path.split(separator: "/").dropLast().joined(separator: "/"),
      usesFiles: document.usesFiles)
    return (SourceNode(document.root, file: place), source)
  }

  /// Returns the content of a file, which is parsed once: many steps can use a large one.
  ///
  /// - Returns: The content; nil if it is no YAML map.
  private func document(of other: OtherFile, _ bytes: [UInt8]) -> OtherDocument? {
    if let known = otherDocuments[other] { return known }
    let document = Document(SourceText(bytes))
    var own: OtherDocument?
    if document.problems.isEmpty, let root = document.root, root.isMap {
      let words = ["action_path", "GITHUB_ACTION_PATH"]
      own = OtherDocument(
        root: root, usesFiles: words.contains(where: SourceNode(root).mentions))
    }
    otherDocuments[other] = .some(own)
    return own
  }

  /// Says at each place which commit a file was read from: a tag or a branch can move.
  private func remark(_ source: GitHubSource, at node: SourceNode) {
    let text = "uses: \(node["uses"]?.text ?? ""): read at commit \(source.commit)"
    remark(.note, text, at: node)
    comment(text)
  }

  /// Says from which commits the workflows were read that begin with a job, the outermost first.
  func remarkSources(of job: GitHubJob) {
    var calls: [GitHubCall] = []
    while let call = calls.first.map(\.job.call) ?? job.call { calls.insert(call, at: 0) }
    for call in calls where jobs.first(where: call.contains) === job {
      if let source = call.source { remark(source, at: call.job.node) }
    }
  }

  /// Says from which commits the actions were read that begin with a step, which follows another one.
  func remarkSources(of step: GitHubStep, after previous: GitHubStep?) {
    let begun = previous?.scope?.chain ?? []
    for use in step.scope?.chain ?? [] where !begun.contains(where: { $0 === use }) {
      guard let source = use.source else { continue }
      remark(source, at: use.step)
      guard use.bringsFiles else { continue }
      remark(
        .note, "the run fetches the files of \(source.repository) from github.com", at: use.step)
    }
    if step.programs.areUnknown {
      remark(
        .note, "if its programs add folders to PATH, later steps do not see them", at: step.node)
    }
  }
}

extension GitHubScope {
  /// Returns the use of a composite action; nil for another step.
  ///
  /// An action of another repository is read only if it is not in the table of the known ones.
  ///
  /// - Throws: ``Untranslatable`` if an action of another repository is missing.
  static func use(
    by step: SourceNode, _ work: ActionEquivalent, within outer: GitHubScope?, of job: GitHubJob,
    in file: GitHubFile
  ) throws(Untranslatable) -> GitHubScope? {
    guard let uses = step["uses"]?.text else { return nil }
    let from = outer == nil ? job.call?.source : outer?.source
    let other = file.other(uses, from: from, isJob: false)
    if other != nil {
      let name = uses.prefix { $0 != "@" }.lowercased()
      guard case .missing("uses: \(uses)") = work, ActionRule.all[name] == nil else { return nil }
    }
    do throws(Untranslatable) {
      let use: GitHubScope? =
        if let other {
          try GitHubScope(step, other, within: outer, in: file)
        } else {
          GitHubScope(step, within: outer, in: file)
        }
      try file.spend(use?.steps.count ?? 0)
      return use
    } catch {
      throw Untranslatable("uses: \(uses): \(error.reason)")
    }
  }

  /// Reads a composite action of another repository.
  ///
  /// - Throws: ``Untranslatable`` if it is missing, or cannot be a part of this workflow.
  private convenience init(
    _ step: SourceNode, _ other: OtherFile, within outer: GitHubScope?, in file: GitHubFile
  ) throws(Untranslatable) {
    try file.spend(1)
    let (action, source) = try file.read(
      other, hint: "reprise import --fetch reads it if it is composite")
    let using = action["runs"]?["using"]?.text ?? ""
    guard !using.isEmpty else { throw Untranslatable("it is no action: it has no runs.using") }
    guard using == "composite" else {
      throw Untranslatable("an action in \(using.hasPrefix("node") ? "JavaScript" : using)")
    }
    self.init(step, action, within: outer, source: source)
    guard depth <= Self.depthMax else {
      throw Untranslatable("actions that use one another, or nest too deep")
    }
  }

  /// Whether its steps use files of another repository.
  var bringsFiles: Bool { source?.usesFiles == true }

  /// A step that fetches the files of another repository, if its steps use them.
  var bringingFiles: SourceNode? {
    guard let source, bringsFiles else { return nil }
    let text = """
      name: files of \(source.repository)
      shell: bash
      run: |
        folder="$REPRISE_RUN_DIR/\(source.clone)"
        if [ ! -d "$folder" ]; then
          mkdir -p "${folder%/*}"
          new="$folder.$$.$RANDOM"
          mkdir "$new"
          trap 'rm -rf "$new"' EXIT
          git -C "$new" init --quiet
          git -C "$new" fetch --quiet --depth 1 "https://github.com/\(source.repository)" \
      \(source.commit)
          git -C "$new" checkout --quiet FETCH_HEAD
          [ -d "$folder" ] || mv "$new" "$folder"
        fi

      """
    return Document(SourceText(Array(text.utf8))).root.map {
      SourceNode($0, file: action.file)
    }
  }
}
