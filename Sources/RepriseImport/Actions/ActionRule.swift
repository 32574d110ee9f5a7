// The table of the actions that have an equivalent, by name.

/// A line of the table: what an action is here.
struct ActionRule: Sendable {
  let names: [String]
  /// Inputs that change nothing of what its command does here; a note names them.
  let ignored: Set<String>
  /// Returns the equivalent; nil if these inputs have none.
  let make: @Sendable (ActionInputs) -> ActionEquivalent?

  init(
    _ names: String..., ignoring ignored: Set<String> = [],
    make: @escaping @Sendable (ActionInputs) -> ActionEquivalent?
  ) {
    self.names = names
    self.ignored = ignored
    self.make = make
  }

  /// Actions that are left out, each with the same remark after its name.
  init(_ names: [String], note: String) {
    self.names = names
    ignored = []
    make = { .note("\($0.name): \(note)") }
  }

  /// All lines, by the name of the action in lowercase: GitHub does not look at the case.
  static let all: [String: ActionRule] = {
    let rules =
      tools + builds + checks + containers + files + messages + releases + sites + programs
      + scanners + changes + packages + machines + languages
    let pairs = rules.flatMap { rule in rule.names.map { ($0.lowercased(), rule) } }
    return Dictionary(pairs, uniquingKeysWith: { $1 })
  }()

  /// Returns the equivalent of an action whose name says what it is; nil for others.
  static func named(_ inputs: ActionInputs) -> ActionEquivalent? {
    let name = inputs.name
    guard !name.isOfRepository else { return nil }
    let last = name.split(separator: "/").dropFirst().joined(separator: "/")
    if name.hasPrefix("reviewdog/action-"), !name.hasSuffix("-setup") {
      return fails(inputs) ? nil : .note("\(name): shows results on GitHub, left out")
    }
    // It marks lines of the log for the page of GitHub.
    if last.contains("problem-matcher") {
      return .note("\(name): shows results on GitHub, left out")
    }
    let tool = last.split(separator: "/").last ?? ""
    let isTool =
      last.contains("setup-") || tool == "setup" || tool.hasSuffix("-setup")
      || tool.hasSuffix("-installer") || tool.hasPrefix("install-") && !tool.contains("dep")
    return isTool && works(inputs).isEmpty ? installed(inputs) : nil
  }

  /// Returns the inputs of an action that installs a tool, which do more than that.
  static func works(_ inputs: ActionInputs) -> [String] {
    inputs.names.filter { name in
      let words = name.lowercased().split { "-_".contains($0) }.joined(separator: "-")
      return ofWork.contains(words) && !inputs.isUnset(name)
    }
  }

  private static let ofWork: Set = [
    "after", "args", "auto-install", "before", "bundle-install", "bundler-cache", "command",
    "commands", "install-dependencies", "install-deps", "install-project", "pip-install", "run",
    "run-command", "run-install", "script",
  ]

  /// Inputs that do not change what is installed.
  private static func isSetting(_ name: String) -> Bool {
    let words = name.lowercased().split { "-_".contains($0) }
    return words.contains { word in
      [
        "arch", "architecture", "cache", "cached", "checksum", "latest", "prereleases", "token",
        "version",
      ].contains(word)
    }
  }

  /// A tool that must be there, with the version that the step asks for.
  static func installed(_ inputs: ActionInputs) -> ActionEquivalent {
    let version = inputs.names.first { $0.contains("version") }
    let others = inputs.names.filter { $0 != version && !isSetting($0) && !inputs.isUnset($0) }
    let values = ([version].compactMap(\.self) + others).compactMap { name in
      inputs[name].map { "\(name) \($0.onOneLine)" }
    }
    let text = values.isEmpty ? "" : " (\(values.joined(separator: ", ")))"
    let shared = text.contains("matrix.") ? ", and all combinations use the same one" : ""
    return .note(
      "\(inputs.name)\(text): must be installed on this machine\(place(inputs))\(shared)")
  }

  /// What an installer does for later steps, and this machine must do for all.
  private static func place(_ inputs: ActionInputs) -> String {
    switch inputs.name.lowercased() {
    case "actions/setup-go":
      ", with the folder $(go env GOPATH)/bin in PATH"
        + (inputs.isSince(6) ? ", and GOTOOLCHAIN=local" : "")
    case "astral-sh/setup-uv": ", with the folder $(uv tool dir --bin) in PATH"
    default: ""
    }
  }
}
