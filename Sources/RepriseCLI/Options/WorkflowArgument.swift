// The WORKFLOW argument that several subcommands share.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseTerminal

struct WorkflowArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      """
      The name of a workflow in workflows/, or the path of a file; with #NAME, a workflow in it. \
      Default: the workflow with "default: true", else the only one, else a choice on a terminal.
      """,
      valueName: "workflow"),
    completion: .workflow)
  var file: String?

  /// Loads the workflow, and changes to the folder in which it runs.
  ///
  /// - Parameter given: Returns the arguments for the parameters that the file declares.
  /// - Returns: The workflow.
  /// - Throws: ``Problem`` with every error in the file.
  func load(
    _ given: ([Parameter]) throws(Problem) -> Arguments = { _ throws(Problem) in
      Arguments(allowsMissing: true)
    }
  ) throws(Problem) -> LoadedWorkflow {
    try LoadedWorkflow(path: try enterFolder(ofWorkflow: try name()), given)
  }

  /// The name or path that was given, or that is meant if none was.
  func name() throws(Problem) -> String {
    if let file { return file }
    return try Self.obvious()
  }

  /// Returns the name of the workflow that a command means which names none.
  ///
  /// - Throws: ``Problem`` with the names if there are several, and no terminal on which to choose.
  static func obvious() throws(Problem) -> String {
    guard let folder = WorkflowFiles().folder else {
      throw Problem("error: there is no workflow here; create a first one with: reprise init")
    }
    let catalog = WorkflowCatalog(of: folder)
    if let obvious = try catalog.obvious() { return obvious.path }
    guard !catalog.entries.isEmpty else {
      throw Problem("error: there is no workflow in \"\(folder)\"; create one with: reprise init")
    }
    if let display = PromptDisplay(environment: inheritedEnvironment()) {
      let chosen = whileAsking(on: display) {
        display.choice(
          "Which workflow?",
          of: catalog.entries.map { ($0.name, TerminalSafe($0.description)) })
      }
      if let entry = catalog.entries.first(where: { $0.name == chosen }) { return entry.path }
      throw Problem("error: no workflow was chosen")
    }
    throw Problem(
      """
      error: name one of the workflows, or give one "default: true":
      \(catalog.list)
      """)
  }
}

/// The folder in which the command was started; relative paths of options refer to it.
let startFolder = workingFolder()

/// Finds a workflow file, and changes to the folder in which it runs.
///
/// - Parameter name: The name or path.
/// - Returns: The path in that folder.
/// - Throws: ``Problem``.
func enterFolder(ofWorkflow name: String) throws(Problem) -> String {
  // A command that takes several files looks each of them up from the same folder.
  if let startFolder { _ = changeDirectory(to: startFolder) }
  let place = try WorkflowFiles().place(of: name)
  if let folder = place.folder, !changeDirectory(to: folder) {
    throw Problem("error: cannot enter the folder \"\(folder)\"")
  }
  return place.path
}
