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
