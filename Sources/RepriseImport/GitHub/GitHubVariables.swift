// The variables that GitHub sets for each step, such as GITHUB_SHA, and their equivalents.

/// Provides the variables of GitHub that a script reads.
struct GitHubVariables {
  let file: GitHubFile
  let translator: ExpressionTranslator

  /// Returns the variables of GitHub that a script reads.
  ///
  /// - Parameters:
  ///   - script: The script.
  ///   - known: Variables that the step sets itself.
  /// - Returns: The variables with their values.
  /// - Throws: ``Untranslatable`` if one of them has no equivalent.
  func environment(
    of script: String, known: Set<String>
  ) throws(Untranslatable) -> [Draft.Item] {
    var environment: [Draft.Item] = []
    let others = known.union(file.variables)
    for name in Self.ofService where script.contains(name) && !others.contains(name) {
      throw Untranslatable("\(name) is known to a run on GitHub only")
    }
    for name in names(in: script) where !known.contains(name) && !file.variables.contains(name) {
      switch name {
      case "GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH": continue
      case "GITHUB_STEP_SUMMARY":
        file.remark(.note, "GITHUB_STEP_SUMMARY: the summary is not shown")
        environment.append(Draft.Item(name, .text("/dev/null")))
      case "GITHUB_ACTIONS", "GITHUB_TOKEN":
        file.remark(.note, "\(name) is not set, except by you")
      case "GITHUB_EVENT_PATH", "GITHUB_STATE":
        throw Untranslatable("\(name) is a file that is not there here")
      default:
        let words = name.split(separator: "_", maxSplits: 1).map { $0.lowercased() }
        guard words.count == 2 else { continue }
        let path = GitHubExpression.path(words[0], [.name(words[1])])
        let value = try translator.value(of: path)
        environment.append(
          Draft.Item(name, .text(value.constant ?? "${{ \(value.text) }}")))
      }
    }
    return environment
  }

  /// Returns the variables of GitHub that programs of the repository read.
  ///
  /// What is not known here is a note: a program can do without it, and a script says what it needs.
  ///
  /// - Parameters:
  ///   - programs: The text of the programs.
  ///   - known: Variables that the step has already.
  /// - Returns: The variables with their values.
  func environment(ofPrograms programs: String, known: Set<String>) -> [Draft.Item] {
    var environment: [Draft.Item] = []
    var others: [String] = []
    for name in names(in: programs) where !known.contains(name) && !file.variables.contains(name) {
      guard Self.ofPrograms.contains(name),
        let items = try? self.environment(of: name, known: known)
      else {
        if Self.areUnknown.contains(name) { others.append(name) }
        continue
      }
      environment += items
    }
    others += Self.ofService.filter { programs.contains($0) && !known.contains($0) }
    if !others.isEmpty {
      file.remark(
        .note, "a program of this step reads \(others.joined(separator: ", ")): not set here")
    }
    return environment
  }

  private static let ofPrograms: Set = [
    "GITHUB_ACTOR", "GITHUB_API_URL", "GITHUB_BASE_REF", "GITHUB_EVENT_NAME", "GITHUB_HEAD_REF",
    "GITHUB_JOB", "GITHUB_REF", "GITHUB_REF_NAME", "GITHUB_REF_TYPE", "GITHUB_REPOSITORY",
    "GITHUB_REPOSITORY_OWNER", "GITHUB_RUN_ATTEMPT", "GITHUB_RUN_ID", "GITHUB_RUN_NUMBER",
    "GITHUB_SERVER_URL", "GITHUB_SHA", "GITHUB_STEP_SUMMARY", "GITHUB_TRIGGERING_ACTOR",
    "GITHUB_WORKFLOW", "GITHUB_WORKSPACE", "RUNNER_ARCH", "RUNNER_OS", "RUNNER_TEMP",
  ]
  private static let areUnknown: Set = [
    "GITHUB_ACTIONS", "GITHUB_ACTOR_ID", "GITHUB_EVENT_PATH", "GITHUB_GRAPHQL_URL",
    "GITHUB_REF_PROTECTED", "GITHUB_REPOSITORY_ID", "GITHUB_REPOSITORY_OWNER_ID",
    "GITHUB_RETENTION_DAYS", "GITHUB_STATE", "GITHUB_TOKEN", "GITHUB_WORKFLOW_REF",
    "GITHUB_WORKFLOW_SHA", "RUNNER_DEBUG", "RUNNER_ENVIRONMENT", "RUNNER_NAME",
    "RUNNER_TOOL_CACHE", "RUNNER_WORKSPACE",
  ]

  /// The variables that lead to services for runs: their logins, caches and artifacts.
  private static let ofService = [
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_RUNTIME_TOKEN",
    "ACTIONS_RUNTIME_URL", "ACTIONS_RESULTS_URL", "ACTIONS_CACHE_URL",
  ]

  private func names(in script: String) -> [String] {
    guard script.contains("GITHUB_") || script.contains("RUNNER_") else { return [] }
    var found: [String] = []
    let words = script.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
    for word in words.map(String.init) {
      guard word.hasPrefix("GITHUB_") || word.hasPrefix("RUNNER_"),
        word.count > 7, word == word.uppercased(), !found.contains(word)
      else { continue }
      found.append(word)
    }
    return found
  }
}
