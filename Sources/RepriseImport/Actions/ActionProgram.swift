// Actions that are programs of node: the program itself, from its repository.

/// An action whose program runs here as it does there: it needs files, a token and the network,
/// and nothing of the event.
struct ActionProgram {
  /// The values of inputs that are not given, as the action declares them.
  let defaults: [(name: String, value: String)]
  /// The variables of GitHub that it reads, with their values.
  let variables: [(name: String, value: String)]
  /// Whether it sets variables for later steps.
  var setsVariables = false

  /// The variables with what an action asks of the repository and the commit.
  static let ofCommit = [
    ("GITHUB_REPOSITORY", "${{ github.repository }}"), ("GITHUB_REF", "${{ github.ref }}"),
    ("GITHUB_SHA", "${{ github.sha }}"), ("GITHUB_EVENT_NAME", "${{ github.event_name }}"),
  ]
  static let repository = [ofCommit[0]]
  private static let temporary = "${{ machine.temp }}"
  private static let ofMachine = [
    ("GITHUB_WORKSPACE", "${{ github.workspace }}"), ("RUNNER_TEMP", temporary),
    ("RUNNER_TOOL_CACHE", temporary), ("GITHUB_STEP_SUMMARY", "/dev/null"),
  ]
  static let token = "${{ github.token }}"

  /// Returns the script that fetches the program at its version and runs it.
  ///
  /// - Parameters:
  ///   - inputs: The inputs, all of which the program gets.
  ///   - others: Inputs with values that are not those of the step.
  ///   - note: The end of the note.
  /// - Returns: The script; nil if the action has no version.
  func equivalent(
    _ inputs: ActionInputs, others: [(name: String, value: String)] = [], note: String = ""
  ) -> ActionEquivalent? {
    guard let mark = inputs.uses.firstIndex(of: "@") else { return nil }
    let version = inputs.uses[inputs.uses.index(after: mark)...]
    let isPlain = version.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "._-/".contains($0))
    }
    guard isPlain, !version.isEmpty else { return nil }
    let parts = inputs.name.split(separator: "/")
    guard parts.count == 2 else { return nil }
    var given = others
    for name in inputs.names where !given.contains(where: { $0.name == name }) {
      given.append((name, inputs[name] ?? ""))
    }
    given += defaults.filter { fallback in !given.contains { $0.name == fallback.name } }
    var environment = Self.ofMachine + variables
    var settings = ""
    for (name, value) in given where !value.isEmpty {
      let original = "INPUT_" + name.replacing(" ", with: "_").uppercased()
      let variable = StepNames.identifier(original)
      environment.append((variable, value))
      // No shell can name a variable with a minus.
      if original != variable { settings += " \"\(original)=$\(variable)\"" }
    }
    return .script(
      script(parts.joined(separator: "/"), String(version), settings), env: environment,
      note: "\(inputs.name): its program is fetched from github.com, and run by the node of this "
        + "machine, without an event" + note)
  }

  private func script(_ name: String, _ version: String, _ settings: String) -> String {
    """
    action=$(mktemp -d)
    trap 'rm -rf "$action"' EXIT
    git -C "$action" init --quiet
    git -C "$action" fetch --quiet --depth 1 "https://github.com/\(name)" "\(version)"
    git -C "$action" checkout --quiet FETCH_HEAD
    main=$(sed -n "s/^ *main: *//p" "$action"/action.y*ml | tr -d "\\042\\047\\015")
    [ -n "$main" ] || { echo "\(name) at \(version) is no program of node" >&2; exit 1; }
    export GITHUB_OUTPUT="$REPRISE_OUTPUT" GITHUB_ENV=\(setsVariables ? "\"$REPRISE_ENV\"" : "/dev/null")
    env\(settings) node "$action/$main"

    """
  }
}
