// Decides which files matter to a watched workflow, and to which of its steps. Does not access the
// file system.

package import Paths
package import WorkflowFiles

/// The files whose changes matter to a workflow.
///
/// All paths are relative to the directory in which the engine runs, with slashes and without `.`
/// or `..`; those of sources that are not below it are absolute.
package struct WatchedFiles: Sendable {
  private struct StepInputs: Sendable {
    let step: String
    /// The directory in which the step runs.
    let directory: String
    /// What `cache.inputs` matches; nil if the step learns its inputs.
    let search: FileSearch?

    /// Whether a change of a file matters to the step.
    func include(_ path: String, _ learnt: [String: StepTrace]) -> Bool {
      guard let search else {
        let traces = learnt.filter { $0.key == step || $0.key.hasPrefix(step + "[") }
        return traces.isEmpty || traces.values.contains { $0.isAffected(by: path) }
      }
      guard !directory.isEmpty else { return search.names(path) }
      let prefix = directory + "/"
      return path.hasPrefix(prefix) && search.names(String(path.dropFirst(prefix.count)))
    }
  }

  /// Patterns of temporary files that editors and file managers create next to files.
  package static let passing = [
    "**/*~", "**/*.sw[a-p]", "**/.*.sw[a-p]", "**/4913", "**/.#*", "**/#*#", "**/.DS_Store",
    "**/.dat.nosync*",
  ]

  private let search: FileSearch
  private let sources: Set<String>
  private let inputs: [StepInputs]

  /// Computes which files matter.
  ///
  /// The `cache.makes` of steps and their depfiles do not matter, because each run would trigger the next one;
  /// what steps with `cache: auto` make must be left out of the changes before.
  /// Neither do temporary files of editors.
  ///
  /// - Parameters:
  ///   - trigger: The file patterns under `on`.
  ///   - workflow: The workflow.
  ///   - sources: The paths of the files that the workflow is read from; their changes matter, too.
  /// - Throws: ``GlobError`` if a pattern is invalid.
  package init(
    _ trigger: FileTrigger, of workflow: Workflow, sources: Set<String> = []
  ) throws(GlobError) {
    var patterns = trigger.patterns + Self.passing.map { "!" + $0 }
    var inputs: [StepInputs] = []
    let searches = FileSearches()
    var ignored: Set<[UInt8]> = []
    for (step, owner) in workflow.stepsWithTemplates {
      guard let rule = step.extrasIfAny?.cache,
        let directory = Self.directory(workflow.declaredDirectories(of: step))
      else { continue }
      for pattern in rule.expected where !pattern.hasPrefix("!") {
        let ignoring = "!" + Self.joined(directory, pattern)
        // Steps expanded from the same declaration have the same outputs.
        if ignored.insert(Array(ignoring.utf8)).inserted { patterns.append(ignoring) }
      }
      if rule.learning != nil {
        inputs.append(StepInputs(step: owner.id, directory: directory, search: nil))
      }
      if !rule.inputs.isEmpty {
        inputs.append(
          StepInputs(
            step: owner.id, directory: directory, search: try searches.search(for: rule.inputs)))
      }
    }
    search = try FileSearch(patterns)
    self.sources = sources
    self.inputs = inputs
  }

  /// The names of the sources that are not below the directory, by their folders.
  package var sourcesElsewhere: [String: Set<String>] {
    var names: [String: Set<String>] = [:]
    for path in sources where path.hasPrefix("/") {
      let slash = path.lastIndex(of: "/") ?? path.startIndex
      let folder = slash == path.startIndex ? "/" : String(path[..<slash])
      names[folder, default: []].insert(String(path[path.index(after: slash)...]))
    }
    return names
  }

  /// Returns whether changes of a file matter.
  package func wants(_ path: String) -> Bool { sources.contains(path) || search.names(path) }

  /// Returns whether any file below a folder may matter.
  package func enters(_ folder: String) -> Bool {
    search.mayName(below: folder) || sources.contains { $0.hasPrefix(folder + "/") }
  }

  /// Returns the steps whose inputs are among the changed files, in file order.
  ///
  /// The cost is the number of paths times the number of steps with inputs.
  ///
  /// - Parameters:
  ///   - paths: The changed files.
  ///   - learnt: What steps with `cache: auto` have learnt, by their ids; any file matters to one that
  ///     has learnt nothing.
  /// - Returns: The ids of the steps; nil for all steps, if the workflow itself has changed.
  package func steps(
    affectedBy paths: [String], learnt: [String: StepTrace] = [:]
  ) -> [String]? {
    guard !paths.contains(where: sources.contains) else { return nil }
    var seen: Set<String> = []
    return inputs.filter { input in paths.contains { input.include($0, learnt) } }
      .map(\.step).filter { seen.insert($0).inserted }
  }

  /// Returns the directory in which a step runs; nil if it is outside of the engine's directory, or
  /// unknown before the step runs.
  private static func directory(_ written: [String]) -> String? {
    var parts: [Substring] = []
    for directory in written {
      guard !directory.hasPrefix("/"), !directory.contains("${{") else { return nil }
      for part in directory.split(separator: "/") where part != "." {
        if part != ".." {
          parts.append(part)
        } else if parts.popLast() == nil {
          return nil
        }
      }
    }
    return parts.joined(separator: "/")
  }

  private static func joined(_ directory: String, _ pattern: String) -> String {
    directory.isEmpty ? pattern : GlobParser.escaping(directory) + "/" + pattern
  }
}
