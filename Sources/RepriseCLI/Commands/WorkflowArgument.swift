// The FILE argument that several subcommands share, and how it becomes a workflow.

import ArgumentParser
import Reprise

struct WorkflowArgument: ParsableArguments {
  @Argument(
    help: "The path of a workflow file, or the name of a file in workflows/.",
    completion: .file(extensions: ["yaml", "yml"]))
  var file: String

  /// Reads the workflow.
  ///
  /// - Throws: ``Problem`` with every mistake of the file.
  func load() throws(Problem) -> Workflow {
    let path = try WorkflowFiles.path(of: file)
    do {
      return try Workflow(contentsOf: path)
    } catch {
      throw Problem(error.description)
    }
  }
}
