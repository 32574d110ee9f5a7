// What a step does: its script, or a service if the script leaves a process for later steps.

import YAML

extension GitHubStepWriter {
  /// Returns the keys with the script.
  static func work(_ script: String, isService: Bool) -> [Draft.Item] {
    guard isService else { return [Draft.Item("run", .text(script))] }
    // The steps after it wait for the script, and what it has started goes on.
    let whole = """
      (
      \(script.trimmed)
      )
      echo ready >> "$REPRISE_PROGRESS"
      exec tail -f /dev/null

      """
    return [
      Draft.Item("service", .text(whole)),
      Draft.Item(
        "ready",
        .map([
          Draft.Item("report", .word("true")), Draft.Item("timeout", .text(longest)),
        ])),
    ]
  }

  /// How long a job may take on GitHub.
  private static let longest = "6h"

  /// Whether its keys are those of a service, too.
  var canBeService: Bool {
    let hasLimits = ["continue-on-error", "timeout-minutes"].contains { step.node[$0] != nil }
    return !hasLimits && !job.hasDynamicMatrix && job.node["container"] == nil
      && step.scope?.chain.contains { $0.step["continue-on-error"] != nil } != true
  }

  /// The folder where its script runs; nil for that of the repository.
  var folderNode: SourceNode? {
    guard step.node["run"] != nil else { return nil }
    let defaults =
      job.node["defaults"]?["run"]?["working-directory"]
      ?? (job.call?.root ?? file.root)["defaults"]?["run"]?["working-directory"]
    return step.node["working-directory"] ?? (step.scope == nil ? defaults : nil)
  }

  /// Returns the lines for variables that are not set there, because the steps which set them were
  /// skipped.
  func unsets() -> String {
    let uses = [step.node] + (step.scope?.chain.map(\.step) ?? [])
    return job.hasDynamicMatrix
      ? ""
      : job.uncertainNames(before: step, in: file).filter { name in
        !uses.contains { $0["env"]?[name] != nil }
      }.map { "[ -n \"$\($0)\" ] || unset \($0)\n" }.joined()
  }

  /// Returns the lines that give files their names there, for programs that write to them.
  func exports(for script: String) -> String {
    (needsOutputFile(script) ? "export \(GitHubScript.ownOutput)\n" : "")
      + (step.written.isForPrograms ? "export GITHUB_ENV=\"$REPRISE_ENV\"\n" : "")
  }

  /// Whether a program that the script starts sets outputs, because the script itself does not.
  func needsOutputFile(_ script: String) -> Bool {
    guard step.node["run"] != nil else { return false }
    guard !["GITHUB_OUTPUT", "::set-output"].contains(where: script.contains) else { return false }
    if step.programs.areOfAction, step.programs.text.contains("GITHUB_OUTPUT") { return true }
    guard let id = step.originalID else { return false }
    return (step.scope?.action ?? job.node).mentions("steps.\(id).outputs.")
  }
}

// MARK: What is made for a machine that is thrown away

extension GitHubStepWriter {
  /// Refuses a script that removes the folder of the repository.
  ///
  /// - Throws: ``Untranslatable`` with the command.
  func refuseRemoval(_ scripts: [String], in shell: GitHubShell) throws(Untranslatable) {
    guard shell.language != .other || step.node["run"] == nil else { return }
    let isHere = folderNode?.text.map(isWorkspace) ?? true
    let variables = workspaceVariables
    let found =
      scripts.firstValue {
        GitHubRemoval.command(in: $0, startsHere: isHere, variables: variables)
      }
      ?? step.programs.scripts.firstValue {
        GitHubRemoval.command(in: $0, variables: variables)
      }
    guard let found else { return }
    throw Untranslatable(
      "it removes the folder of the repository, which is a clone for one run there, and yours here: "
        + found.onOneLine)
  }

  /// Whether a folder is that of the repository.
  private func isWorkspace(_ folder: String) -> Bool {
    let plain = folder.filter { !$0.isWhitespace }
    return [".", "./", "", "${{github.workspace}}", "${{github.workspace}}/"].contains(plain)
  }

  /// The names of the variables whose value is the folder of the repository.
  private var workspaceVariables: [String] {
    let pairs =
      (step.node["env"]?.pairs ?? []) + job.environment + (file.root["env"]?.pairs ?? [])
    return pairs.compactMap { pair in
      guard let text = pair.value.text, text.contains("github.workspace"), isWorkspace(text) else {
        return nil
      }
      return pair.key.text
    }
  }

  /// Commands that change more than the files of a run, on a machine that is not thrown away.
  private static let changing = [
    "git config --global": "your settings of git", "git clean -": "files that are not committed",
    "git config user.": "your settings of git in this repository",
    "git config --local user.": "your settings of git in this repository",
    "git reset --hard": "changes that are not committed",
    "git remote add": "the remotes of this repository",
    "git remote set-url": "the remotes of this repository",
    "docker system prune": "what docker has on this machine",
    "docker image prune": "what docker has on this machine",
    "docker volume prune": "what docker has on this machine",
    "docker volume rm": "what docker has on this machine",
    "docker container prune": "what docker has on this machine",
    "docker builder prune": "what docker has on this machine",
    "docker rmi": "what docker has on this machine",
    "pkill ": "processes of this machine with that name",
    "killall ": "processes of this machine with that name",
    "rm -rf /usr": "programs of this machine",
    "rm -rf /opt": "programs of this machine",
  ]

  /// Says what a script, or a program in it, changes that is yours here, and thrown away after the
  /// run there.
  func remarkChanges(of script: String) {
    guard step.node["run"] != nil else { return }
    for text in [script] + step.programs.scripts {
      for (command, subject) in Self.changing.sorted(by: { $0.key < $1.key })
      where text.contains(command) {
        file.remark(.note, "\(command.trimmed): it changes or removes \(subject)")
      }
      let all = /docker (?:container )?(?:rm|stop|kill)[^\n;&|]*\$+\(docker [^\n;&|)]*\)/
      if let found = text.firstMatch(of: all) {
        file.remark(.note, "\(found.output): it takes all containers of this machine")
      }
      if let found = text.firstMatch(of: /rm -[rRf]+ "?(?:~|\$+\{?HOME\}?)\/[^\s;&|]+/) {
        file.remark(.note, "\(found.output): it removes files of your home folder")
      }
    }
    if script.contains("/home/runner/") {
      file.remark(.note, "/home/runner is a folder of the machines there, and not of this one")
    }
    remarkState(of: script.replacing("\\\n", with: " "))
  }

  /// Says what a script takes for granted: a clone without other changes, and a machine that asks no
  /// questions.
  private func remarkState(of script: String) {
    let all = /git add (?:-A|--all|\.)(?![\w\/.*-])|git commit (?:-a|--all)/
    if let found = script.firstMatch(of: all) {
      file.remark(.note, "\(found.output): it takes what you have not committed, too")
    }
    let test = /git status (?:--porcelain|-s)|git diff [^\n;|&]*--(?:exit-code|quiet)|git stash/
    if let found = script.firstMatch(of: test) {
      file.remark(.note, "\(found.output): it sees what you have not committed, too")
    }
    if let found = script.firstMatch(
      of: /git (?:checkout|switch|merge|rebase|pull|cherry-pick)(?= (?!-- ))/)
    {
      let others = file.jobs.count > 1 ? ", in which other jobs work, too" : ""
      file.remark(.note, "\(found.output): it changes the files of your clone\(others)")
    }
    let installs = script.matches(of: /apt(?:-get)?(?: [^\n;&|]*)? install [^\n;&|]*/)
    if installs.contains(where: { !$0.output.contains(#/ (?:-q*y|--yes|--assume-yes)/#) }) {
      file.remark(.note, "apt install without -y asks here, and the machines there answer yes")
    }
    if script.contains("HEAD^2"), file.events.contains(where: { $0.hasPrefix("pull_request") }) {
      file.remark(.note, "HEAD^2: HEAD is a merge of a pull request there, and your commit here")
    }
  }
}

extension Sequence {
  /// Returns the first value that a closure finds.
  fileprivate func firstValue<Value>(_ find: (Element) -> Value?) -> Value? {
    for element in self {
      if let value = find(element) { return value }
    }
    return nil
  }
}
