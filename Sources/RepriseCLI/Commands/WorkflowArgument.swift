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

/// A workflow with the text that it was read from.
struct LoadedWorkflow {
  let workflow: Workflow
  /// The absolute path of the file.
  let path: String
  let text: String
  /// What its parameters were given.
  var arguments: Arguments

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - given: What its parameters are given; asked for the parameters of the file.
  /// - Throws: ``Problem`` with every mistake of the file.
  init(
    path: String, _ given: ([Parameter]) throws(Problem) -> Arguments
  ) throws(Problem) {
    let bytes: [UInt8]
    do throws(WorkflowError) {
      bytes = try Workflow.bytes(of: path)
    } catch {
      throw Problem(error.description)
    }
    arguments = try given(Workflow.parameters(in: bytes, file: path))
    text = String(decoding: bytes, as: UTF8.self)
    do throws(WorkflowError) {
      workflow = try Workflow(bytes: bytes, file: path, with: arguments)
    } catch {
      throw Problem(error.description)
    }
    self.path = path.hasPrefix("/") ? path : currentDirectory() + "/" + path
  }
}
