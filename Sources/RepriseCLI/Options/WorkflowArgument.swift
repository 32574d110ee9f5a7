// The WORKFLOW argument that several subcommands share.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseTerminal

struct WorkflowArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The name of a workflow in workflows/, or the path of a file; with #NAME, a workflow in it.",
      valueName: "workflow"),
    completion: .workflow)
  var file: String

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
    try LoadedWorkflow(path: try enterFolder(ofWorkflow: file), given)
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
