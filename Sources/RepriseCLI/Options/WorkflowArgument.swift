// The FILE argument that several subcommands share.

import ArgumentParser
import Reprise
import RepriseHost

struct WorkflowArgument: ParsableArguments {
  @Argument(
    help: "The path of a workflow file, or the name of a file in workflows/.",
    completion: .file(extensions: ["yaml", "yml"]))
  var file: String

  /// Reads the workflow.
  ///
  /// - Parameter given: What its parameters are given; asked for the parameters of the file.
  /// - Returns: The workflow.
  /// - Throws: ``Problem`` with every mistake of the file.
  func load(
    _ given: ([Parameter]) throws(Problem) -> Arguments = { _ throws(Problem) in
      Arguments(leavesOpen: true)
    }
  ) throws(Problem) -> LoadedWorkflow {
    try LoadedWorkflow(path: try WorkflowFiles.path(of: file), given)
  }
}
