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
    return isTool ? installed(inputs) : nil
  }

  /// A tool that must be there, with the version that the step asks for.
  static func installed(_ inputs: ActionInputs) -> ActionEquivalent {
    let version = inputs.names.first { $0.contains("version") }
    let text = version.flatMap { name in inputs[name].map { " (\(name) \($0.onOneLine))" } } ?? ""
    return .note("\(inputs.name)\(text): must be installed on this machine")
  }
}
