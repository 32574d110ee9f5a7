// The FILE argument that several subcommands share, and how it becomes a workflow.

import ArgumentParser
import Reprise
import RepriseJournal
import RepriseTerminal

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
  /// Whether the text is in no file.
  private var isText = false

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
      throw Problem(error)
    }
    try self.init(bytes: bytes, file: path, try given(Workflow.parameters(in: bytes, file: path)))
  }

  /// Reads a text that is in no file.
  ///
  /// - Parameters:
  ///   - text: The YAML; files that it uses are looked for in the current folder.
  ///   - arguments: What its parameters are given.
  /// - Throws: ``Problem`` with every mistake of the text.
  init(text: String, _ arguments: Arguments) throws(Problem) {
    try self.init(bytes: Array(text.utf8), file: Self.nameOfText, arguments)
    isText = true
  }

  /// Reads what a recorded run was begun with: its file as it is now, or the text that it was given.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - texts: The parameters that are not recorded, since a secret was in them.
  /// - Throws: ``Problem`` with every mistake, or where such a parameter is missing.
  init(recorded record: RunRecord, _ texts: [String: String] = [:]) throws(Problem) {
    let request = record.request
    let arguments = try Arguments(recorded: record, texts)
    if request.options[Self.optionOfText] != nil {
      try self.init(text: request.source, arguments)
    } else {
      try self.init(path: request.file) { _ throws(Problem) in arguments }
    }
  }

  private init(bytes: [UInt8], file: String, _ arguments: Arguments) throws(Problem) {
    self.arguments = arguments
    text = String(decoding: bytes, as: UTF8.self)
    do throws(WorkflowError) {
      // This command has no actions of its own; a file that is only looked at may be meant for a program that has.
      workflow = try Workflow(
        bytes: bytes, file: file, with: arguments,
        actions: arguments.leavesOpen ? nil : ActionCatalog())
    } catch {
      let sources = Workflow.secretSources(in: bytes, file: file)
      throw Problem(Secrets.hidden(in: error, sources.values))
    }
    path = file.hasPrefix("/") ? file : currentDirectory() + "/" + file
  }

  /// What messages call a text that is in no file.
  private static let nameOfText = "text"
  private static let optionOfText = "text"

  /// What a run of it is made from.
  ///
  /// - Parameters:
  ///   - options: What else was asked for.
  ///   - secrets: What is not kept.
  /// - Returns: The request, as the journal keeps it.
  /// - Throws: ``Problem`` where a secret is in what cannot be kept without it.
  func request(
    _ options: [String: String] = [:], hiding secrets: Secrets
  ) throws(Problem) -> RunRequest {
    if let problem = secrets.problem(with: workflow) { throw Problem("error: \(problem)") }
    var options = options.merging(arguments.recorded) { $1 }.merging(recordedSources) { $1 }
    if isText { options[Self.optionOfText] = "true" }
    let given = RunScope(recorded: options).durability
    return RunRequest(
      workflow: workflow.name, file: path, directory: currentDirectory(), source: text,
      options: options, group: workflow.concurrency?.group,
      durability: given ?? workflow.durability ?? .process
    ).hiding(secrets)
  }
}
