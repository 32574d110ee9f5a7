// A workflow file that was read for a run, with what its parameters were given, and how both are recorded.

import Platform
package import Reprise
package import RepriseJournal
import RepriseTerminal

/// A workflow with the text that it was read from.
package struct LoadedWorkflow: Sendable {
  /// The workflow; a part of it where only that is run.
  package var workflow: Workflow
  /// The absolute path of the file.
  package let path: String
  /// The file as it was parsed.
  package let source: WorkflowText
  /// The text of the file.
  package var text: String { String(decoding: source.bytes, as: UTF8.self) }
  /// What its parameters were given.
  package var arguments: Arguments
  /// Whether the text is in no file.
  private var isText = false

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - given: What its parameters are given; asked for the parameters of the file.
  /// - Throws: ``Problem`` with every error of the file.
  package init(
    path: String, _ given: ([Parameter]) throws(Problem) -> Arguments
  ) throws(Problem) {
    let source = try Self.parse(path)
    try self.init(source, try given(source.parameters))
  }

  /// Reads a text that is in no file.
  ///
  /// - Parameters:
  ///   - text: The YAML; files that it uses are looked for in the current folder.
  ///   - arguments: What its parameters are given.
  /// - Throws: ``Problem`` with every error of the text.
  package init(text: String, _ arguments: Arguments) throws(Problem) {
    try self.init(WorkflowText(Array(text.utf8), file: Self.nameOfText), arguments)
    isText = true
  }

  /// Parses a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - known: The file as it was parsed before, which is used where it has not changed.
  /// - Returns: The file, to be read for any arguments.
  /// - Throws: ``Problem`` when it cannot be read.
  package static func parse(
    _ path: String, ifNot known: WorkflowText? = nil
  ) throws(Problem) -> WorkflowText {
    do throws(WorkflowError) {
      let bytes = try Workflow.bytes(of: path)
      if let known, known.bytes == bytes { return known }
      return WorkflowText(bytes, file: path)
    } catch {
      throw Problem(error)
    }
  }

  /// Reads what a recorded run was begun with: its file as it is now, or the text that it was given.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - texts: The parameters that are not recorded, since a secret was in them.
  /// - Throws: ``Problem`` with every mistake, or where such a parameter is missing.
  package init(recorded record: RunRecord, _ texts: [String: String] = [:]) throws(Problem) {
    let request = record.request
    let arguments = try Arguments(recorded: record, texts)
    if request.options[Self.optionOfText] != nil {
      try self.init(text: request.source, arguments)
    } else {
      try self.init(path: request.file) { _ throws(Problem) in arguments }
    }
  }

  /// Reads a file that was parsed.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - arguments: What its parameters are given.
  /// - Throws: ``Problem`` with every error of the file.
  package init(_ source: WorkflowText, _ arguments: Arguments) throws(Problem) {
    self.source = source
    self.arguments = arguments
    do throws(WorkflowError) {
      // This command has no actions of its own; a file that is only looked at may be meant for a program that has.
      workflow = try source.workflow(
        with: arguments, actions: arguments.leavesOpen ? nil : ActionCatalog())
    } catch {
      throw Problem(Secrets.hidden(in: error, source.secretSources.values))
    }
    path = source.file.hasPrefix("/") ? source.file : try currentDirectory() + "/" + source.file
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
  package func request(
    _ options: [String: String] = [:], hiding secrets: Secrets
  ) throws(Problem) -> RunRequest {
    if let problem = secrets.problem(with: workflow) { throw Problem("error: \(problem)") }
    var options = options.merging(arguments.recorded) { $1 }.merging(recordedSources) { $1 }
    if isText { options[Self.optionOfText] = "true" }
    let given = RunScope(recorded: options).durability
    return RunRequest(
      workflow: workflow.name, file: path, directory: try currentDirectory(), source: text,
      options: options, group: workflow.concurrency?.group,
      durability: given ?? workflow.durability ?? .process
    ).hiding(secrets)
  }
}

extension Arguments {
  /// What a recorded run was given.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - texts: The parameters that are not recorded, since a secret was in them.
  /// - Throws: ``Problem`` where one is missing, or given although it is recorded.
  package init(recorded record: RunRecord, _ texts: [String: String]) throws(Problem) {
    let (request, hidden) = (record.request, record.request.hiddenParameters)
    guard !request.hidesTrigger else {
      throw Problem(
        "error: the event that started run \(record.id) had a secret in it, which the journal does not "
          + "keep; start a new run instead")
    }
    if let name = texts.keys.sorted().first(where: { !hidden.contains($0) }) {
      throw Problem(
        "error: run \(record.id) keeps what its parameter \"\(name)\" was given; leave it out, or start "
          + "a new run")
    }
    guard hidden.allSatisfy({ texts[$0] != nil }) else {
      let again = hidden.map { " -p '\($0)=…'" }.joined()
      throw Problem(
        "error: the journal does not keep what has a secret in it; give it again: "
          + "reprise resume \(record.id)\(again)")
    }
    self.init(request.parameters.merging(texts) { $1 })
    if let trigger = request.options[RunRequest.optionOfTrigger].flatMap(Trigger.init(json:)) {
      self.trigger = trigger
    }
  }

  /// What was given, as the record keeps it.
  var recorded: [String: String] {
    var recorded = Dictionary(
      uniqueKeysWithValues: texts.map { (RunRequest.parameterPrefix + $0.key, $0.value) })
    if !trigger.time.isEmpty { recorded[RunRequest.optionOfTrigger] = trigger.json }
    return recorded
  }
}

extension LoadedWorkflow {
  /// The texts of the files that it uses, as the record keeps them.
  var recordedSources: [String: String] {
    Dictionary(uniqueKeysWithValues: workflow.sources.map { ("source:" + $0.key, $0.value) })
  }

  /// The texts of the files that a recorded run used.
  package static func sources(recorded: [String: String]) -> [String: String] {
    var texts: [String: String] = [:]
    for (key, value) in recorded where key.hasPrefix("source:") {
      texts[String(key.dropFirst(7))] = value
    }
    return texts
  }
}

extension Secrets {
  /// Fetches the secrets of a workflow.
  ///
  /// - Throws: ``Problem`` when one cannot be had.
  package static func gathered(for workflow: Workflow) async throws(Problem) -> Secrets {
    do throws(SecretError) {
      return try await gather(for: workflow)
    } catch {
      throw Problem("error: \(error)")
    }
  }
}

/// The folder that this process is in.
///
/// - Throws: ``Problem`` where it has been deleted: relative paths lead nowhere then, and the nearest
///   project must not be looked for anywhere else.
package func currentDirectory() throws(Problem) -> String {
  guard let folder = workingFolder() else {
    throw Problem(
      "error: the working directory does not exist any more; change to one that does",
      cause: .cannotGoOn)
  }
  return folder
}

extension Workflow {
  /// Checks that it can be run without a record.
  ///
  /// - Throws: ``Problem`` when it is in a group, whose other runs cannot be seen then.
  package func expectNeedsNoJournal() throws(Problem) {
    guard let concurrency, concurrency.policy != .parallel else { return }
    throw Problem(
      "error: the workflow is in the concurrency group \"\(concurrency.group)\", which --no-journal "
        + "cannot see; leave --no-journal out")
  }
}
