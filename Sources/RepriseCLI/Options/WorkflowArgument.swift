// The FILE argument that several subcommands share.

import ArgumentParser
import Reprise
import RepriseHost

struct WorkflowArgument: ParsableArguments {
  @Argument(
    help: "The path of a workflow file, or the name of a file in workflows/.",
    completion: .file(extensions: ["yaml", "yml"]))
  var file: String

  /// Loads the workflow.
  ///
  /// - Parameter given: Returns the arguments for the parameters that the file declares.
  /// - Returns: The workflow.
  /// - Throws: ``Problem`` with every error in the file.
  func load(
    _ given: ([Parameter]) throws(Problem) -> Arguments = { _ throws(Problem) in
      Arguments(allowsMissing: true)
    }
  ) throws(Problem) -> LoadedWorkflow {
    try LoadedWorkflow(path: try WorkflowFiles.path(of: file), given)
  }
}
