// Actions whose own programs run here, and what each of them needs.

extension ActionRule {
  static let programs = [
    ActionRule("actions/github-script") { script($0) },
    program(
      "mislav/bump-homebrew-formula-action", reads: ActionProgram.ofCommit,
      defaults: [
        ("homebrew-tap", "Homebrew/homebrew-core"),
        ("commit-message", "{{formulaName}} {{version}}"),
      ]
    ) { _ in true },
    ActionRule("uraimo/run-on-arch-action") { inputs in
      let actor = [("GITHUB_ACTOR", "${{ github.actor }}")]
      let variables =
        ActionProgram.repository + (inputs["githubToken"] == nil ? [] : actor) + [
          ("GITHUB_WORKFLOW", "${{ github.workflow }}"),
          // It mounts the folder of this file.
          ("GITHUB_EVENT_PATH", "${{ runner.temp }}/event/event.json"),
        ]
      return ActionProgram(
        defaults: [("arch", "aarch64"), ("distro", "ubuntu18.04")],
        variables: variables.map { (name: $0.0, value: $0.1) }
      ).equivalent(inputs, note: ": it installs emulators of other machines with docker")
    },
    program("octokit/request-action", reads: ActionProgram.repository) { $0["route"] != nil },
    program("SimenB/github-actions-cpu-cores") { _ in true },
    program("juliangruber/read-file-action") { $0["path"] != nil },
    program(
      "peter-evans/dockerhub-description", reads: ActionProgram.repository,
      defaults: [("enable-url-completion", "false")]
    ) { _ in true },
    program(
      "anchore/scan-action",
      defaults: [
        ("fail-build", "true"), ("output-format", "sarif"), ("severity-cutoff", "medium"),
        ("only-fixed", "false"), ("add-cpes-if-none", "false"), ("by-cve", "false"),
        ("cache-db", "false"),
      ]
    ) { $0.isUnset("cache-db") },
    program(
      "slackapi/slack-github-action", reads: ActionProgram.ofCommit,
      defaults: [
        ("errors", "false"), ("payload-templated", "false"), ("retries", "5"),
        ("payload-file-path-parsed", "true"),
      ]
    ) { inputs in
      // Otherwise it sends the event.
      ["payload", "payload-file-path", "slack-message"].contains { inputs[$0] != nil }
    },
    program(
      "googleapis/release-please-action", reads: ActionProgram.repository,
      defaults: [("token", ActionProgram.token)]
    ) { _ in true },
    ActionRule("docker/metadata-action") { inputs in
      ActionProgram(
        defaults: [("github-token", ActionProgram.token)], variables: ActionProgram.ofCommit,
        setsVariables: true
      ).equivalent(inputs)
    },
    ActionRule("dorny/paths-filter") { inputs in
      // Without an event, it compares with a branch; there, with that of the pull request.
      let base =
        inputs["base"] ?? "${{ github.base_ref || github.event.repository.default_branch }}"
      return ActionProgram(
        defaults: [("list-files", "none"), ("initial-fetch-depth", "100")],
        variables: []
      ).equivalent(
        inputs, others: [("base", base), ("token", "")],
        note: inputs["base"] == nil
          ? ": it compares with github_base_ref, or the default branch" : "")
    },
  ]

  /// Whether an action is run as its own program, which can have any output.
  static func isProgram(_ step: SourceNode) -> Bool {
    let name = (step["uses"]?.text ?? "").prefix { $0 != "@" }.lowercased()
    return programs.contains { $0.names.contains { $0.lowercased() == name } }
  }

  /// Returns the line of an action whose program gets the inputs of the step.
  private static func program(
    _ name: String, reads variables: [(String, String)] = [],
    defaults: [(String, String)] = [], isKnown: @escaping @Sendable (ActionInputs) -> Bool
  ) -> ActionRule {
    ActionRule(name) {
      guard isKnown($0) else { return nil }
      return ActionProgram(
        defaults: defaults.map { (name: $0.0, value: $0.1) },
        variables: variables.map { (name: $0.0, value: $0.1) }
      ).equivalent($0)
    }
  }
}

// MARK: Scripts

extension ActionRule {
  /// The variables with the properties of `context` that have a value without an event.
  private static let context = [
    "repo": ActionProgram.ofCommit[0], "ref": ActionProgram.ofCommit[1],
    "sha": ActionProgram.ofCommit[2], "eventName": ActionProgram.ofCommit[3],
    "workflow": ("GITHUB_WORKFLOW", "${{ github.workflow }}"),
    "actor": ("GITHUB_ACTOR", "${{ github.actor }}"),
  ]
  /// Parts of a script that do more than to ask GitHub or to tell it something.
  private static let works = [
    "setOutput", "exportVariable", "writeFile", "appendFile", "exec.", "exec(", "execSync", "spawn",
    "pulls.create(", "pulls.merge(",
  ]

  /// Returns the equivalent of a script that uses the API of GitHub.
  private static func script(_ inputs: ActionInputs) -> ActionEquivalent? {
    guard let script = inputs["script"] else { return nil }
    let plain = script.withoutExpressions
    let interfaces = plain.replacing("github.rest.", with: "github.").words(after: "github.")
    let properties = plain.words(after: "context.")
    // One that asks for the issue or pull request of the event works on that.
    let isAboutIssues =
      !interfaces.isEmpty && interfaces.isSubset(of: onIssues)
      || !properties.isDisjoint(with: ["issue", "payload"])
        && interfaces.isSubset(of: onIssues.union(["graphql"]))
    if isAboutIssues, inputs.step["id"] == nil, !works.contains(where: plain.contains) {
      return .note("\(inputs.name): works on issues and pull requests, which stay on GitHub")
    }
    // Otherwise it has the event, or hands everything on.
    guard properties.isSubset(of: context.keys), !plain.contains("addPath"),
      plain.words(after: "context", isWhole: true).isEmpty
    else { return nil }
    return ActionProgram(
      defaults: [
        ("github-token", ActionProgram.token), ("result-encoding", "json"), ("debug", "false"),
        ("user-agent", "actions/github-script"), ("retries", "0"),
        ("retry-exempt-status-codes", "400,401,403,404,422"),
      ], variables: properties.sorted().compactMap { context[$0] },
      setsVariables: plain.contains("exportVariable")
    ).equivalent(inputs)
  }

  private static let onIssues: Set = ["issues", "pulls", "reactions", "search", "paginate"]
}

extension String {
  /// The words that follow a text, or, if it is a whole word, an empty one where no point follows.
  fileprivate func words(after start: String, isWhole: Bool = false) -> Set<String> {
    func isWord(_ character: Character?) -> Bool {
      character.map { $0.isLetter || $0.isNumber || "_$".contains($0) } ?? false
    }
    var words: Set<String> = []
    for range in ranges(of: start) {
      let previous = self[..<range.lowerBound].last
      let rest = self[range.upperBound...]
      guard !isWord(previous), previous != "." else { continue }
      guard isWhole else {
        words.insert(String(rest.prefix(while: isWord)))
        continue
      }
      if !isWord(rest.first), rest.first != "." { words.insert("") }
    }
    return words
  }
}
