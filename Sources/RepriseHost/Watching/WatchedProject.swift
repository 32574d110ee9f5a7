// What a watch of a project has to watch: its workflows with triggers, as their files are now.

import Reprise
import RepriseTerminal

/// A workflow with triggers, as far as its watch depends on its file.
struct WatchedEntry: Sendable {
  let loaded: LoadedWorkflow
  let triggers: Triggers

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
    let source = try LoadedWorkflow.parse(path)
    var loaded = try LoadedWorkflow(source, Arguments(allowsMissing: true))
    guard let triggers = loaded.workflow.triggers else { return nil }
    guard triggers.standardInput == nil else {
      throw Problem(
        "error: \(name) reads standard input; watch it alone with: reprise watch \(name)")
    }
    if triggers.hasSocket {
      loaded.arguments = Arguments()
    } else {
      loaded = try LoadedWorkflow(source, Arguments())
    }
    return WatchedEntry(loaded: loaded, triggers: triggers)
  }
}
