// Which files matter to a watched workflow, and to which of its steps. Looks at no file.

package import Paths
package import WorkflowLanguage

/// The files whose changes matter to a workflow.
///
/// All paths are relative to the directory in which the engine runs, with slashes and without `.` or `..`.
package struct WatchedFiles: Sendable {
  private struct StepInputs: Sendable {
    let step: String
    /// Where it runs.
    let directory: String
    let search: FileSearch
  }

  /// What editors and file managers leave beside files for a while.
  package static let passing = [
    "**/*~", "**/*.sw[a-p]", "**/.*.sw[a-p]", "**/4913", "**/.#*", "**/#*#", "**/.DS_Store",
    "**/.dat.nosync*",
  ]

  private let search: FileSearch
  private let sources: Set<String>
  private let inputs: [StepInputs]

  /// Finds out which files matter.
  ///
  /// What steps name under `cache.outputs` does not: a run would start the next one. Nor does what
  /// editors leave beside files for a while.
  ///
  /// - Parameters:
  ///   - trigger: The files that are named under `on`.
  ///   - workflow: The workflow.
  ///   - sources: The paths of the files that it is read from: their changes matter, too.
  /// - Throws: ``GlobError`` when a pattern makes no sense.
  package init(
    _ trigger: FileTrigger, of workflow: Workflow, sources: Set<String> = []
  ) throws(GlobError) {
    var patterns = trigger.patterns + Self.passing.map { "!" + $0 }
    var inputs: [StepInputs] = []
    let searches = FileSearches()
    var ignored: Set<[UInt8]> = []
    for step in workflow.steps {
      guard let rule = step.extrasIfAny?.cache,
        let directory = Self.directory(workflow.declaredDirectories(of: step))
      else { continue }
      for pattern in rule.outputs where !pattern.hasPrefix("!") {
        let ignoring = "!" + Self.joined(directory, pattern)
        // Steps that were made of one have the same outputs.
        if ignored.insert(Array(ignoring.utf8)).inserted { patterns.append(ignoring) }
      }
      if !rule.inputs.isEmpty {
        inputs.append(
          StepInputs(
            step: step.id, directory: directory, search: try searches.search(for: rule.inputs)))
      }
    }
    search = try FileSearch(patterns)
    self.sources = sources
    self.inputs = inputs
  }

  /// Whether changes of a file matter.
  package func wants(_ path: String) -> Bool { sources.contains(path) || search.names(path) }

  /// Whether files may matter that are below a folder.
  package func enters(_ folder: String) -> Bool {
    search.mayName(below: folder) || sources.contains { $0.hasPrefix(folder + "/") }
  }

  /// The steps whose `cache.inputs` name a file that has changed, in file order.
  ///
  /// Costs as much as there are paths times steps with inputs.
  ///
  /// - Parameter paths: The files that have changed.
  /// - Returns: The ids of the steps; nil for all, when the workflow itself has changed.
  package func steps(affectedBy paths: [String]) -> [String]? {
    guard !paths.contains(where: sources.contains) else { return nil }
    return inputs.filter { input in
      paths.contains { path in
        guard !input.directory.isEmpty else { return input.search.names(path) }
        let prefix = input.directory + "/"
        return path.hasPrefix(prefix) && input.search.names(String(path.dropFirst(prefix.count)))
      }
    }.map(\.step)
  }

  /// Where a step runs; nil when that is not known before it does, or is elsewhere.
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
    directory.isEmpty ? pattern : directory + "/" + pattern
  }
}
