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
