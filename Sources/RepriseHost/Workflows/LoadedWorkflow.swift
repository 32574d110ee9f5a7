// A workflow loaded for a run, with its source and arguments, and their conversion to the record.

import Platform
package import Reprise
package import RepriseJournal
import RepriseRunners
package import RepriseTerminal

/// A workflow with its source text and arguments.
package struct LoadedWorkflow: Sendable {
  /// The workflow, or the selected part of it.
  package var workflow: Workflow
  /// The absolute path of the file; for a workflow in it, followed by `#` and the name.
  package let path: String
  /// The parsed file.
  package let source: WorkflowText
  /// The text of the file.
  package var text: String { String(decoding: source.bytes, as: UTF8.self) }
  /// The arguments for the parameters.
  package var arguments: Arguments
  /// Whether the text came from a request rather than a file.
  package private(set) var isText = false
  /// The part of the file that the run executes.
  package private(set) var scope = RunScope()

  /// Loads a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file, as in ``parse(_:ifNot:)``.
  ///   - given: Returns the arguments for the parameters that the file declares.
  /// - Throws: ``Problem`` with every error in the file.
  package init(
    path: String, _ given: ([Parameter]) throws(Problem) -> Arguments
  ) throws(Problem) {
    let source = try Self.parse(path)
    try self.init(source, try given(source.parameters))
  }

  /// Loads YAML text that does not come from a file.
  ///
  /// - Parameters:
  ///   - text: The YAML; paths of files that it uses are relative to the current folder.
  ///   - arguments: The arguments for the parameters.
  ///   - files: The source of the files that it uses.
  /// - Throws: ``Problem`` with every error in the text.
  package init(
    text: String, _ arguments: Arguments, from files: SourceFiles = .disk
  ) throws(Problem) {
    try self.init(WorkflowText(Array(text.utf8), file: Self.nameOfText), arguments, from: files)
    isText = true
  }

  /// Loads the workflow of a recorded run: the current content of its file, or the text of the
  /// request.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - texts: The parameters that were not recorded because they contain secrets.
  /// - Throws: ``Problem`` with every error in the file, or if such a parameter is missing.
  package init(recorded record: RunRecord, _ texts: [String: String] = [:]) throws(Problem) {
    let request = record.request
    if let program = request.program {
      throw Problem(
        "error: the workflow of run \(record.id) contains code of the program that has recorded it; "
          + "only that program can resume it: \(program)")
    }
    let arguments = try Arguments(recorded: record, texts)
    // Items that are files stay those that the run began with.
    let files = SourceFiles.disk(listedIn: request.definition.uses)
    if request.isText {
      try self.init(text: request.source, arguments, from: files)
    } else {
      try self.init(try Self.parse(request.path, part: request.part), arguments, from: files)
    }
  }

  /// Loads a parsed file.
  ///
  /// - Parameters:
  ///   - source: The parsed file.
  ///   - arguments: The arguments for the parameters.
  ///   - files: The source of the files that it uses.
  /// - Throws: ``Problem`` with every error in the file.
  package init(
    _ source: WorkflowText, _ arguments: Arguments, from files: SourceFiles = .disk
  ) throws(Problem) {
    self.source = source
    self.arguments = arguments
    if source.part == nil, source.hasOnlyParts { throw Self.choice(in: source) }
    if !arguments.others.isEmpty, !String(decoding: source.bytes, as: UTF8.self).contains("args") {
      throw Problem(
        "error: \(source.file) does not use the arguments after \"--\"; pass them on, as in: "
          + "exec: [npm, test, \"${{ args }}\"]")
    }
    do throws(WorkflowError) {
      // The command provides no actions. A file that is only inspected may be meant for a program
      // that does, so do not check its actions.
      var catalog = StandardRunners.catalog
      catalog.isComplete = !arguments.allowsMissing
      workflow = try source.workflow(from: files, with: arguments, actions: catalog)
    } catch {
      throw Problem(Secrets.hidden(in: error, source.secretSources.values))
    }
    path = source.file.hasPrefix("/") ? source.link : try currentDirectory() + "/" + source.link
  }

  /// Returns the workflow reduced to the part that a run executes.
  ///
  /// - Throws: ``Problem`` if a step does not exist, or reads values of a step that would not run.
  package func selecting(_ scope: RunScope) throws(Problem) -> LoadedWorkflow {
    var selected = self
    selected.scope = scope
    selected.workflow = try scope.applied(to: workflow)
    return selected
  }

  /// A warning, if the file uses names or words of earlier versions; nil if it does not.
  package var warningOfFormerNames: TerminalSafe? {
    guard workflow.warnings.contains(where: { $0.code == Diagnostic.codeOfFormerNames }) else {
      return nil
    }
    return TerminalSafe(
      "warning: \(source.file) uses names of earlier versions; see them, and correct them, with: "
        + "reprise validate --fix \(source.file)")
  }

  /// The text of the file and of the files that it uses, for the record.
  package var definition: WorkflowDefinition {
    WorkflowDefinition(source: text, uses: workflow.sources)
  }

  /// The name of the text of a request in messages.
  private static let nameOfText = "text"

  /// Returns the request that the journal records for a run.
  ///
  /// - Parameters:
  ///   - options: The options of the run.
  ///   - secrets: The secrets, which are not recorded.
  /// - Returns: The request.
  /// - Throws: ``Problem`` if a secret is in a part of the workflow that must be recorded.
  package func request(
    _ options: [String: String] = [:], hiding secrets: Secrets
  ) throws(Problem) -> RunRequest {
    if let problem = secrets.problem(with: workflow) { throw Problem("error: \(problem)") }
    var options = options.merging(arguments.recorded) { $1 }
    if isText { options[RunRequest.optionOfText] = "true" }
    options[RunRequest.optionOfPart] = source.part
    let given = RunScope(recorded: options).durability
    var request = RunRequest(
      workflow: workflow.name, file: path, directory: try currentDirectory(), source: text,
      options: options, group: workflow.concurrency?.group,
      durability: given ?? workflow.durability ?? .process)
    request.definition = definition
    request.logBytesMax = workflow.keep?.logBytes
    return request.hiding(secrets)
  }
}

extension Arguments {
  /// Restores the arguments of a recorded run.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - texts: The parameters that were not recorded because they contain secrets.
  /// - Throws: ``Problem`` if one of these is missing, or if a recorded parameter is given.
  package init(recorded record: RunRecord, _ texts: [String: String]) throws(Problem) {
    let (request, hidden) = (record.request, record.request.hiddenParameters)
    guard !request.hidesTrigger else {
      throw Problem(
        "error: the event that started run \(record.id) contained a secret, which is not recorded; "
          + "start a new run instead")
    }
    if let name = texts.keys.sorted().first(where: { !hidden.contains($0) }) {
      throw Problem(
        "error: the parameter \"\(name)\" of run \(record.id) is recorded and cannot be changed; "
          + "omit it, or start a new run")
    }
    guard hidden.allSatisfy({ texts[$0] != nil }) else {
      let again = hidden.map { " -p '\($0)=…'" }.joined()
      throw Problem(
        "error: parameters that contain secrets are not recorded; give them again: "
          + "reprise resume \(record.id)\(again)")
    }
    guard !request.hidesArguments else {
      throw Problem(
        "error: the arguments of run \(record.id) contained a secret, which is not recorded; "
          + "start a new run instead")
    }
    self.init(request.parameters.merging(texts) { $1 })
    if let text = request.options[RunRequest.optionOfArguments],
      case .list(let values)? = try? Value(json: text)
    {
      others = values.map(\.asText)
    }
    staysUp = request.options[RunRequest.optionOfStayingUp] != nil
    if let trigger = request.trigger {
      self.trigger = trigger
    }
  }

  /// The arguments as recorded options.
  var recorded: [String: String] {
    var recorded = Dictionary(
      uniqueKeysWithValues: texts.map { (RunRequest.parameterPrefix + $0.key, $0.value) })
    if !trigger.time.isEmpty { recorded[RunRequest.optionOfTrigger] = trigger.json }
    if staysUp { recorded[RunRequest.optionOfStayingUp] = "true" }
    if !others.isEmpty {
      recorded[RunRequest.optionOfArguments] = Value.list(others.map(Value.text)).json
    }
    return recorded
  }
}

extension Secrets {
  /// Fetches the secrets of a workflow.
  ///
  /// - Throws: ``Problem`` if one cannot be fetched.
  package static func gathered(for workflow: Workflow) async throws(Problem) -> Secrets {
    do throws(SecretError) {
      return try await gather(for: workflow)
    } catch {
      throw Problem("error: \(error)")
    }
  }
}

/// Returns the current folder of this process.
///
/// - Throws: ``Problem`` if it has been deleted: relative paths are invalid then, and another
///   folder would select the wrong project.
package func currentDirectory() throws(Problem) -> String {
  guard let folder = workingFolder() else {
    throw Problem(
      "error: the working directory no longer exists; change to another one",
      cause: .internalFailure)
  }
  return folder
}

extension Workflow {
  /// Checks that the workflow can run without a journal.
  ///
  /// - Throws: ``Problem`` if it is in a concurrency group, whose other runs are in the journal.
  package func expectNeedsNoJournal() throws(Problem) {
    guard let concurrency, concurrency.policy != .parallel else { return }
    throw Problem(
      "error: the workflow is in the concurrency group \"\(concurrency.group)\", which needs the "
        + "journal; omit --no-journal")
  }
}
