// What a step of GitHub Actions is here: a script, a remark, nothing, or something that is missing.

/// What a step of GitHub Actions is here.
enum ActionEquivalent {
  /// Nothing to do: the files are there.
  case nothing
  /// Nothing to do, with a remark.
  case note(String)
  /// A script, in the syntax of GitHub Actions, with variables for values that users write.
  case script(String, env: [(String, String)] = [], note: String? = nil)
  /// There is no equivalent.
  case missing(String)

  /// Returns the equivalent of a step.
  init(_ step: SourceNode) {
    if let run = step["run"]?.text {
      self = .script(run)
    } else if let uses = step["uses"]?.text {
      self = Self.action(uses, step)
    } else {
      let keys = step.pairs.compactMap(\.key.text).joined(separator: ", ")
      self = .missing(
        "a step has \"run\" or \"uses\"" + (keys.isEmpty ? "" : ", not only: \(keys)"))
    }
  }

  /// Returns the equivalent of an action: a line of the table, or what its name says.
  private static func action(_ uses: String, _ step: SourceNode) -> ActionEquivalent {
    let inputs = ActionInputs(uses, step)
    if let name = inputs.notTexts.first {
      return .missing("uses: \(uses): \(name): it is no text")
    }
    if uses.hasPrefix("docker://") { return ActionRule.container(inputs) }
    guard let rule = ActionRule.all[inputs.name.lowercased()] else {
      let works = ActionRule.works(inputs)
      let reason = works.isEmpty ? "" : ": \(works.joined(separator: ", ")): no equivalent"
      return ActionRule.named(inputs) ?? .missing("uses: \(uses)\(reason)")
    }
    guard let found = rule.make(inputs) else { return .missing("uses: \(uses)") }
    guard case .script(let text, let environment, let note) = found else { return found }
    // A command does what the action does only if it knows all inputs.
    let unread = inputs.unread.filter { !rule.ignored.contains($0) }
    guard unread.isEmpty else {
      return .missing("uses: \(uses): \(unread.joined(separator: ", ")): no equivalent")
    }
    let ignored =
      inputs.unread.isEmpty
      ? nil : "\(inputs.name): left out: \(inputs.unread.joined(separator: ", "))"
    let notes = [note, ignored].compactMap(\.self)
    return .script(
      text, env: environment, note: notes.isEmpty ? nil : notes.joined(separator: "; "))
  }
}

/// The inputs of an action, which note which of them have been read.
final class ActionInputs {
  /// Inputs about the login of GitHub, which a command does not need.
  private static let ofGitHub: Set = [
    "token", "github-token", "github_token", "GITHUB_TOKEN", "repo-token", "repo_token",
  ]

  /// The action without its version, and with it.
  let name: String
  let uses: String
  let step: SourceNode
  private let node: SourceNode?
  private var read: Set<String> = []

  init(_ uses: String, _ step: SourceNode) {
    self.uses = uses
    self.step = step
    name = String(uses.prefix { $0 != "@" })
    node = step["with"]
  }

  var names: [String] { (node?.pairs ?? []).compactMap(\.key.text) }
  /// The names of the inputs whose values are lists or maps, which GitHub does not accept.
  var notTexts: [String] {
    (node?.pairs ?? []).filter { $0.value.isList || $0.value.isMap }.compactMap(\.key.text)
  }
  /// The names of the inputs that were not read.
  var unread: [String] { names.filter { !read.contains($0) && !Self.ofGitHub.contains($0) } }

  /// The value of an input; nil if it is missing or empty.
  subscript(name: String) -> String? {
    read.insert(name)
    guard let value = node?[name], let text = value.number ?? value.text, !text.isEmpty else {
      return nil
    }
    return text
  }

  /// Whether the step uses a major version or a later one; a commit or a branch is a new one.
  func isSince(_ major: Int) -> Bool {
    let version = (uses.split(separator: "@").last ?? "").drop { $0 == "v" }
    guard version.count < 40, let number = Int(version.prefix { $0 != "." }) else { return true }
    return number >= major
  }

  /// Whether an input has this value.
  func `is`(_ name: String, _ value: String = "true") -> Bool { self[name] == value }

  /// Whether an input is missing, empty or has this value.
  func isUnset(_ name: String, or value: String = "false") -> Bool {
    self[name].map { $0 == value } ?? true
  }

  /// The words of an input on one line, after a blank; empty without it.
  func words(_ name: String) -> String { self[name].map { " " + $0.onOneLine } ?? "" }

  /// An option of a command with the value of an input; empty without it.
  func option(_ name: String, _ option: String) -> String {
    self[name].map { " \(option) \"\($0.inDoubleQuotes)\"" } ?? ""
  }

  /// An option of a command without a value; empty if the input is not true.
  func flag(_ name: String, _ option: String) -> String { self.is(name) ? " \(option)" : "" }

  /// The command that changes to the folder of an input.
  func folder(_ name: String = "working-directory") -> String {
    self[name].map { "cd \"\($0.inDoubleQuotes)\"\n" } ?? ""
  }
}

extension String {
  /// The text between double quotes of a shell, with its expressions.
  var inDoubleQuotes: String {
    quoted { text in
      String(text.flatMap { "\\\"$`".contains($0) ? ["\\", $0] : [$0] })
    }
  }

  /// The text between single quotes of a shell, with its expressions.
  var inSingleQuotes: String { quoted { String($0).replacing("'", with: "'\\''") } }

  /// The text with its parts outside of expressions in another form.
  private func quoted(_ quoted: (Substring) -> String) -> String {
    var result = ""
    var rest = self[...]
    while let start = rest.firstRange(of: "${{"),
      let end = rest[start.upperBound...].firstRange(of: "}}")
    {
      result += quoted(rest[..<start.lowerBound]) + rest[start.lowerBound..<end.upperBound]
      rest = rest[end.upperBound...]
    }
    return result + quoted(rest)
  }
}
