// What a watch of a project has to watch: its workflows with triggers, as their files are now.

package import Reprise
import RepriseTerminal

/// A workflow with triggers, as far as its watch depends on its file.
package struct WatchedEntry: Sendable {
  package let loaded: LoadedWorkflow
  package let triggers: Triggers

  /// Loads a parsed file; nil if it has no triggers.
  ///
  /// - Parameters:
  ///   - source: The parsed file.
  ///   - arguments: The arguments of its runs; required ones may be missing if the command that
  ///     starts a run can bring them.
  ///   - check: Called with the triggers before missing arguments are errors.
  /// - Throws: ``Problem`` with every error in the file, or that of the check.
  package init?(
    _ source: WorkflowText, _ arguments: Arguments,
    check: (Triggers) throws(Problem) -> Void = { _ throws(Problem) in }
  ) throws(Problem) {
    var incomplete = arguments
    incomplete.allowsMissing = true
    var loaded = try LoadedWorkflow(source, incomplete)
    guard let triggers = loaded.workflow.triggers else { return nil }
    try check(triggers)
    if triggers.hasSocket {
      loaded.arguments = arguments
    } else {
      loaded = try LoadedWorkflow(source, arguments)
    }
    (self.loaded, self.triggers) = (loaded, triggers)
  }

  var name: String { loaded.workflow.name }

  private var secrets: [String] {
    loaded.workflow.secretSources.map { "\($0.name) \($0.source)" }.sorted()
  }

  /// Whether a watch of this one need not be replaced by a watch of another one: its runs read the file anew.
  func isWatchedLike(_ other: WatchedEntry) -> Bool {
    name == other.name && triggers == other.triggers && secrets == other.secrets
  }
}

/// The workflows of a project that have triggers.
struct WatchedProject: Sendable {
  /// Those that can be watched, by the path of the file and the name in it.
  private(set) var entries: [String: WatchedEntry] = [:]
  /// Why others cannot be watched, in the order of the folder.
  private(set) var problems: [(path: String, text: TerminalSafe)] = []
  /// In the order of the folder.
  private(set) var paths: [String] = []

  /// Reads the workflow files of a folder, which blocks.
  ///
  /// - Parameter folder: The folder `workflows`; the current folder must be its parent.
  init(of folder: String) {
    let catalog = WorkflowCatalog(of: folder)
    var names: [String: String] = [:]
    for (file, problem) in catalog.unreadable { problems.append((file, problem.text)) }
    for entry in catalog.entries {
      do throws(Problem) {
        let path = try WorkflowFiles().place(of: entry.path).path
        guard let watched = try Self.entry(path, entry.name) else { continue }
        if let other = names.updateValue(entry.name, forKey: watched.name) {
          throw Problem(
            "error: the workflows \(other) and \(entry.name) are both called \"\(watched.name)\"; "
              + "give one of them another name, as in: name: \(watched.name)-2")
        }
        paths.append(path)
        entries[path] = watched
      } catch {
        problems.append((entry.path, error.text))
      }
    }
  }

  /// Whether nothing is known of a workflow, since its file has errors.
  func isUncertain(_ path: String) -> Bool {
    let file = WorkflowFiles.parts(of: path).file
    return problems.contains { WorkflowFiles.parts(of: $0.path).file == file }
  }

  /// Returns a workflow; nil if it has no triggers.
  private static func entry(_ path: String, _ name: String) throws(Problem) -> WatchedEntry? {
    try WatchedEntry(try LoadedWorkflow.parse(path), Arguments()) { triggers throws(Problem) in
      guard triggers.standardInput == nil else {
        throw Problem(
          "error: \(name) reads standard input; watch it alone with: reprise watch \(name)")
      }
    }
  }
}
