// The patterns under `cache.inputs` that match no file now, for `reprise validate`.

import Paths
import Platform
package import Reprise

/// The patterns of inputs that match nothing, as far as it is no other step that makes the files.
///
/// A misspelled pattern makes a step up to date forever.
package struct InputReport: Sendable {
  private struct Inputs: Hashable {
    let folder: String
    let patterns: [String]
  }

  private let workflow: Workflow

  /// Creates a report on the steps of a workflow, in the current folder.
  package init(_ workflow: Workflow) {
    self.workflow = workflow
  }

  /// The problems, in the order of the steps.
  ///
  /// Searches each folder once for the same patterns, and reads no file.
  package var problems: [CommandProblem] {
    var known: [Inputs: [String]] = [:]
    var reported: Set<String> = []
    var problems: [CommandProblem] = []
    for (step, owner) in workflow.stepsWithTemplates {
      guard let rule = step.extrasIfAny?.cache, !rule.inputs.isEmpty,
        let folder = folder(of: step)
      else { continue }
      let inputs = Inputs(folder: folder, patterns: rule.inputs)
      let unmatched = known[inputs] ?? Self.unmatched(inputs)
      known[inputs] = unmatched
      for pattern in unmatched
      where isMisspelled(pattern, in: folder) || !mayBeMade(pattern, before: owner.id) {
        guard reported.insert(pattern).inserted else { continue }
        problems.append(CommandProblem(.unmatchedInput, step: owner.id, text: pattern))
      }
    }
    return problems
  }

  /// Returns the folder in which a step runs; nil if it is not known before the run.
  private func folder(of step: Workflow.Step) -> String? {
    let directories = workflow.declaredDirectories(of: step)
    guard !directories.contains(where: { $0.contains("${{") }) else { return nil }
    return directories.reduce(".") { $1.hasPrefix("/") ? $1 : joinedPath($0, $1) }
  }

  private static func unmatched(_ inputs: Inputs) -> [String] {
    guard let search = try? FileSearch(inputs.patterns),
      let found = try? search.contents(in: inputs.folder)
    else { return [] }
    return search.unmatched(among: found.map(\.path)).map { inputs.patterns[$0] }
  }

  /// Returns whether a pattern begins with a name that does not exist, but a similar one does.
  private func isMisspelled(_ pattern: String, in folder: String) -> Bool {
    guard let name = pattern.split(separator: "/").first.map(String.init), name != "~" else {
      return true
    }
    let names = FolderReader.names(in: folder)
    return !names.contains(name) && nearest(to: name, among: names) != nil
  }

  /// Returns whether a step that runs before another may make the files of a pattern.
  private func mayBeMade(_ pattern: String, before step: String) -> Bool {
    guard let index = workflow.graph.index(of: step) else { return true }
    return workflow.graph.withNeeds([index]).contains { $0 != index }
  }
}
