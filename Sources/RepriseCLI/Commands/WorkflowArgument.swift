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
  func load() throws(Problem) -> LoadedWorkflow {
    try LoadedWorkflow(path: try WorkflowFiles.path(of: file))
  }
}

/// A workflow with the text that it was read from.
struct LoadedWorkflow {
  let workflow: Workflow
  /// The absolute path of the file.
  let path: String
  let text: String

  /// Reads a file.
  ///
  /// - Throws: ``Problem`` with every mistake of the file.
  init(path: String) throws(Problem) {
    do {
      let bytes = try Workflow.bytes(of: path)
      workflow = try Workflow(bytes: bytes, file: path)
      text = String(decoding: bytes, as: UTF8.self)
    } catch {
      throw Problem(error.description)
    }
    self.path = path.hasPrefix("/") ? path : currentDirectory() + "/" + path
  }
}
