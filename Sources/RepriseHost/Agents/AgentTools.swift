// Performs the requests of agents: calls of tools, and reads of resources.

import Platform
package import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal

/// The tools and resources of a project.
///
/// Thread-safe.
package struct AgentTools: Sendable {
  /// What a model should know before it calls a tool.
  package static let instructions = """
    Reprise runs workflows: steps with dependencies, declared in YAML files in workflows/. Their \
    language is in the resource reprise://reference. Call validate after each edit of a workflow \
    file. When a run has failed, its result has the last lines of the failed steps, and logs has \
    the rest: correct the cause, then call resume with the run and the failed step as "from", \
    instead of running everything again. For a run in progress, call restart with "reload". Only \
    people approve steps, and set results by hand, unless a tool says otherwise.
    """

  /// The maximum size of a text that a tool returns, in bytes.
  static let bytesMax = 64 << 10

  let project: AgentProject

  /// Creates the tools of a project.
  package init(_ project: AgentProject) {
    self.project = project
  }

  /// The rules of a server with these tools.
  package var rules: AgentProtocol {
    AgentProtocol(
      version: project.version, instructions: Self.instructions, tools: AgentTool.all)
  }

  /// Performs a request.
  ///
  /// A call that waits for a run returns early if the task is cancelled; the run goes on.
  ///
  /// - Parameter request: The request.
  /// - Returns: The result; a tool that cannot do what was asked for says so in its result.
  package func perform(_ request: AgentRequest) async -> Result<Value, AgentFailure> {
    do {
      switch request {
      case .callTool(let name, let arguments):
        return .success(await result(of: name, arguments).message)
      case .listResources: return .success(.map(["resources": .list(try await resources())]))
      case .readResource(let uri): return .success(try await contents(of: uri))
      }
    } catch {
      return .failure(
        (error as? AgentFailure)
          ?? AgentFailure(.internalError, Problem(error).text.string.withoutErrorPrefix))
    }
  }

  private func result(of name: String, _ values: [String: Value]) async -> AgentResult {
    do {
      guard let tool = AgentTool.all.first(where: { $0.name == name }) else {
        throw Problem("error: there is no tool \"\(name)\"")
      }
      let arguments = try tool.arguments(values)
      switch name {
      case "list_workflows": return try await workflows()
      case "validate": return try await validate(arguments)
      case "run": return try await run(arguments)
      case "status": return try await status(arguments)
      case "logs": return try await logs(arguments)
      case "restart": return try await restart(arguments)
      case "resume": return try await resume(arguments)
      case "cancel": return try await cancel(arguments)
      case "approve": return try await approve(arguments)
      default: return try explain(arguments)
      }
    } catch {
      return AgentResult(Problem(error))
    }
  }

  // MARK: Files

  private func workflows() async throws -> AgentResult {
    try await blocking { [project] in
      let paths = project.workflowPaths
      let links = paths.flatMap(LoadedWorkflow.all).map(\.path)
      let documents = links.map { link in
        let (file, part) = WorkflowFiles.parts(of: link)
        let name = AgentProject.name(of: file) + (part.map { "#\($0)" } ?? "")
        return Value(WorkflowDocument(path: link, name: name))
      }
      let table = Overview(of: paths, in: ProjectFolders.workflows).table.string
      return AgentResult(
        paths.isEmpty ? "there is no workflow in workflows/" : table,
        ["workflows": .list(documents)])
    }
  }

  private func validate(_ arguments: AgentArguments) async throws -> AgentResult {
    let name = arguments.required("workflow")
    let path = try await blocking { [project] in try project.path(ofWorkflow: name) }
    var found: [Diagnostic] = []
    var texts: [String] = []
    var isValid = true
    for check in await WorkflowCheck.all(in: path) {
      isValid = isValid && check.steps != nil
      // A workflow that another one of the file uses is read with that one, too.
      let new = check.diagnostics.filter { !found.contains($0) }
      found += new
      texts += new.map(\.description)
      if check.diagnostics.isEmpty, let problem = check.problem { texts.append(problem.string) }
    }
    let title = "\(path): \(isValid ? "no errors" : "there are errors; reprise cannot run it")"
    return AgentResult(
      TerminalSafe(lines: ([title] + texts).joined(separator: "\n\n")).string,
      ["valid": .boolean(isValid), "path": .text(path), "diagnostics": Value(found)])
  }

  private func explain(_ arguments: AgentArguments) throws(Problem) -> AgentResult {
    let page = try ErrorPage.found(arguments.required("code"))
    return AgentResult(
      page.text,
      ["code": .text(page.code), "title": .text(page.title), "page": .text(page.text)])
  }
}
