// A workflow of GitHub Actions while it is translated: its jobs, and what its parts have in common.

import YAML

/// A workflow of GitHub Actions while it is translated.
///
/// A class, because expressions anywhere in the file add parameters, secrets and remarks.
final class GitHubFile {
  /// A parameter of the workflow that is written.
  struct Parameter {
    var name: String
    var kind: Translated.Kind
    var fallback: Draft?
    var description: String?
    var options: [Draft] = []
    var isRequired = false
    /// Whether its value is one that GitHub knows, and the person who starts a run gives here.
    var isOfGitHub = false
  }

  let root: SourceNode
  private(set) var parameters: [Parameter] = []
  private(set) var secrets: [String] = []
  private(set) var remarks: [ImportRemark] = []
  /// What would behave differently if it was copied, and is translated with the same meaning.
  private(set) var differences: [ImportRemark] = []
  var jobs: [GitHubJob] = []
  /// The calls of other workflows of the repository.
  var calls: [GitHubCall] = []
  var stepNames = StepNames()
  /// The variables of the workflow, which all steps see; none if each job has them by itself.
  let variables: Set<String>
  /// Whether jobs call other workflows, which do not see the variables of this one.
  let isCaller: Bool
  /// The name of the event that starts the workflow, for conditions on it.
  let eventName: String
  /// The names of all events that start it.
  let events: [String]
  /// The repository, and what has been fetched of others.
  private let folder: ImportFolder
  /// The repository that the files were cloned from, `OWNER/NAME`; nil if it is not known.
  let origin: String?

  init(_ root: SourceNode, folder: ImportFolder) {
    self.root = root
    self.folder = folder
    origin = Self.origin(folder.read)
    isCaller = (root["jobs"]?.pairs ?? []).contains { $0.value["uses"] != nil }
    variables = isCaller ? [] : Set((root["env"]?.pairs ?? []).compactMap(\.key.text))
    events = root["on"].map { $0.isMap ? $0.pairs.compactMap(\.key.text) : $0.texts } ?? []
    eventName = events.first { $0 != "pull_request" } ?? events.first ?? "workflow_dispatch"
  }

  /// Reads a file of the repository.
  func files(_ path: String) -> [UInt8]? { folder.read(path) }

  /// The YAML files of the repository that were read, by path; nil for those that are none.
  private var documents: [String: Node?] = [:]

  /// Returns a YAML file of the repository, which is parsed only once.
  ///
  /// Each use of it notes by itself what has been read of it.
  ///
  /// - Parameter path: The path in the repository.
  /// - Returns: The file; nil if it is not there, or cannot be read.
  func document(_ path: String) -> SourceNode? {
    if documents[path] == nil {
      let document = files(path).map { Document(SourceText($0)) }
      documents[path] = .some(document?.problems.isEmpty == true ? document?.root : nil)
    }
    return documents[path]?.map { SourceNode($0, file: path) }
  }

  /// Returns what has been fetched of a file of another repository.
  ///
  /// - Throws: ``Untranslatable`` without a place, if nothing may be fetched, or it cannot be.
  func content(
    of other: OtherFile, hint: String
  ) throws(Untranslatable) -> (bytes: [UInt8], path: String, commit: String) {
    guard let others = folder.others else { throw Untranslatable(hint) }
    switch others[other] {
    case .read(let bytes, let path, let commit): return (bytes, path, commit)
    case .failed(let reason): throw Untranslatable(reason)
    case nil:
      guard others.count + wanted.count < OtherFile.countMax || wanted.contains(other) else {
        throw Untranslatable("there are too many files of other repositories")
      }
      if !wanted.contains(other) { wanted.append(other) }
      throw Untranslatable("it has not been fetched")
    }
  }

  /// Counts jobs or steps of another file that become a part of this one, which could use itself.
  ///
  /// - Throws: ``Untranslatable`` if there are too many of them.
  func spend(_ count: Int) throws(Untranslatable) {
    parts += count
    guard parts <= Self.partsMax else {
      throw Untranslatable("too many jobs and steps of other files")
    }
  }

  private static let partsMax = 2000
  private var parts = 0
  /// The files of other repositories that were asked for, and are not fetched yet.
  private(set) var wanted: [OtherFile] = []
  /// The files of other repositories that have been read; nil for those that are no YAML map.
  var otherDocuments: [OtherFile: OtherDocument?] = [:]
  /// The part that is translated, for remarks; nil for the whole file.
  var place: SourceNode?
  /// Reasons why no step of the workflow can run as it does there.
  var refusals: [Refusal] = []
  /// What no comment of the result says yet.
  private var untold: [String] = []

  /// Notes that a part would behave differently if it was copied.
  func differ(_ text: String, at place: SourceNode) {
    let remark = ImportRemark(weight: .note, line: place.mark.line, text: text)
    if !differences.contains(remark) { differences.append(remark) }
  }

  /// Adds a remark about the part that is translated, or another one.
  func remark(_ weight: ImportRemark.Weight, _ text: String, at node: SourceNode? = nil) {
    remark(weight, text, at: (node ?? place)?.place)
  }

  /// Adds a remark about a place.
  func remark(_ weight: ImportRemark.Weight, _ text: String, at place: SourcePlace?) {
    let isElsewhere = place?.file.isEmpty == false
    let start = isElsewhere ? place.map { "\($0.file):\($0.line): " } ?? "" : ""
    let isNew = add(
      ImportRemark(weight: weight, line: isElsewhere ? 0 : place?.line ?? 0, text: start + text))
    // A note is written once, what is missing at each place.
    let comment = weight == .missing ? "missing: \(text)" : text
    if isNew || weight == .missing { self.comment(comment) }
  }

  /// Adds a comment to what is written next.
  func comment(_ text: String) {
    if !untold.contains(text) { untold.append(text) }
  }

  /// Adds a remark about the whole file.
  func remarkOfFile(_ weight: ImportRemark.Weight, _ text: String) {
    _ = add(ImportRemark(weight: weight, line: 0, text: text))
  }

  private func add(_ remark: ImportRemark) -> Bool {
    // What is true of the whole file is said once.
    guard
      !remarks.contains(where: {
        $0.text == remark.text && $0.weight == remark.weight
          && (remark.weight == .note || $0.line == remark.line)
      })
    else { return false }
    remarks.append(remark)
    return true
  }

  /// Returns what no comment says yet.
  func takeComments() -> [String] {
    defer { untold = [] }
    return untold
  }

  /// Adds a parameter unless there is one of that name, and returns it.
  @discardableResult
  func parameter(_ parameter: Parameter) -> Parameter {
    if let position = parameters.firstIndex(where: { $0.name == parameter.name }) {
      // One use that needs a value is enough.
      if parameters[position].isOfGitHub, parameter.isRequired {
        parameters[position].isRequired = true
      }
      return parameters[position]
    }
    parameters.append(parameter)
    return parameter
  }

  /// Adds a secret and returns its name.
  func secret(_ name: String) -> String {
    let name = StepNames.identifier(name)
    if !secrets.contains(name) {
      secrets.append(name)
      remarkOfFile(.note, "the secret \(name) is read from the variable \(name), or is empty")
    }
    return name
  }

  func job(_ id: String) -> GitHubJob? { jobs.first { $0.id == id } }
}

/// Why a step, job or workflow cannot run as it does there, and where that is written.
struct Refusal {
  let reason: String
  let place: SourcePlace?

  /// The reason with its place.
  var text: String { (place.map { "\($0): " } ?? "") + reason }
}

/// A job while it is translated.
final class GitHubJob {
  let id: String
  let node: SourceNode
  /// The ids of the jobs that it needs.
  var needs: [String] = []
  /// The call of another workflow that the job is a part of.
  let call: GitHubCall?
  /// Why the workflow that it calls is missing.
  var missing: String?
  var steps: [GitHubStep] = []
  /// The variables of the job.
  let environment: [SourceNode.Pair]
  /// The types of the values of its matrix, by name.
  var matrixKinds: [String: Translated.Kind] = [:]
  /// Whether all of its steps together run for each combination of its matrix.
  var isMatrixGroup = false
  /// Whether its matrix is known only during the run.
  var hasDynamicMatrix = false
  /// The composite actions that its steps use.
  var scopes: [GitHubScope] = []
  var services: [GitHubService] = []
  /// The id of the group of its steps.
  var groupID = ""
  /// The id of the step that decides whether the job runs, if none of its steps can.
  var startID: String?
  /// The id of the step that fails if any step of a group has failed.
  var endID: String?
  /// Reasons why none of its steps can run as it does there.
  var refusals: [Refusal] = []

  /// Reads a job.
  ///
  /// - Parameters:
  ///   - id: Its id.
  ///   - node: The job.
  ///   - call: The call of a workflow that it is a part of; nil for one of the file itself.
  ///   - variables: The variables of its workflow, if not all steps of the result see them.
  init(id: String, _ node: SourceNode, call: GitHubCall? = nil, variables: SourceNode? = nil) {
    self.id = id
    self.node = node
    self.call = call
    let own = node["env"]?.pairs ?? []
    let outer = (variables?.pairs ?? []).filter { pair in
      !own.contains { $0.key.text == pair.key.text }
    }
    environment = outer + own
  }

  /// The id in its own file.
  var name: String { String(id.dropFirst(call?.prefix.count ?? 0)) }

  /// The ids of its steps that are written.
  var stepIDs: [String] { steps.compactMap(\.id) }

  /// Whether its condition tests the status of other jobs.
  var testsStatus: Bool {
    if let call, node["needs"] == nil, call.job.testsStatus { return true }
    return node.testsStatus
  }
}

/// A step while it is translated.
struct GitHubStep {
  let node: SourceNode
  /// The id in the workflow that is written; nil if there is nothing to do.
  var id: String?
  /// What it does.
  var work: ActionEquivalent
  /// The variables that it sets for later steps.
  private(set) var written: GitHubEnvironmentFile
  /// The use of the composite action that it is a part of.
  let scope: GitHubScope?
  /// The programs that its script starts.
  let programs: GitHubPrograms
  /// Whether other steps need its id.
  var originalID: String? { node["id"]?.text }

  init(
    _ node: SourceNode, id: String?, work: ActionEquivalent, scope: GitHubScope? = nil,
    canAddVariables: Bool = true, programs: GitHubPrograms = GitHubPrograms()
  ) {
    self.node = node
    self.id = id
    self.work = work
    self.scope = scope
    self.programs = programs
    var script = node["run"]?.text ?? ""
    // The command or program of an action can set variables, too.
    if node["run"] == nil, case .script(let text, _, _) = work {
      script = text.contains("GITHUB_ENV=\"$REPRISE_ENV\"") ? "GITHUB_ENV" : text
    }
    written = GitHubEnvironmentFile(script, canAddVariables: canAddVariables)
    written.read(programs: programs.text, canAddVariables: canAddVariables)
  }

  /// Whether the step that is written can have an output.
  func hasOutput(_ name: String) -> Bool {
    switch work {
    case .script where node["run"] == nil:
      ActionRule.isProgram(node) || ActionRule.outputs(node).contains(name)
    case .nothing, .note, .script, .missing: true
    }
  }

  /// The script of the workflow that writes its outputs, with the programs that it starts; empty if
  /// its language writes booleans in another way, and nil for an action.
  func script(in job: GitHubJob, of file: GitHubFile) -> String? {
    guard let script = node["run"]?.text else { return nil }
    let shell =
      node["shell"]?.text ?? job.node["defaults"]?["run"]?["shell"]?.text
      ?? file.root["defaults"]?["run"]?["shell"]?.text ?? (job.isForWindows ? "pwsh" : "")
    let isPowerShell = ["pwsh", "powershell"].contains { shell.hasPrefix($0) }
    return isPowerShell ? "" : script + programs.text
  }

  /// Whether its script leaves a process that goes on beside the steps after it.
  var leavesProcesses: Bool {
    node["run"]?.text.map { ShellQuotes.leavesProcesses(in: $0) } ?? false
  }

  /// Whether its condition tests the status of other steps.
  var testsStatus: Bool { node.testsStatus }

  /// Whether it can run after a failure of steps before it, as a later step sees it.
  ///
  /// A step of an action sees only the steps of the action; nil is a step outside of all actions.
  func canFollowFailure(for other: GitHubStep?) -> Bool {
    let common = other?.scope?.chain ?? []
    return testsStatus
      || scope?.chain.contains { use in
        use.step.testsStatus && !common.contains { $0 === use }
      } == true
  }
}

extension SourceNode {
  /// Whether its condition tests the status of others.
  var testsStatus: Bool {
    guard let text = self["if"]?.text else { return false }
    return ["always(", "failure(", "cancelled(", "success("].contains { text.contains($0) }
  }
}
