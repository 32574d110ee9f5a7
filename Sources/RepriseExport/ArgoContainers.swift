// The containers of a manifest for Argo Workflows.

import WorkflowFiles

/// Writes the containers in which steps run.
struct ArgoContainers {
  let values: ArgoValues
  /// The image for steps without a runner; nil if there is none.
  let image: String?
  /// The name of the Kubernetes secret whose keys are the secrets of the workflow.
  let secret: String

  /// The folder with a file for each output.
  static let folder = "/tmp/reprise"

  /// Returns the container of a step, and refuses what it cannot have.
  func container(
    of step: ExportedSteps.Step, _ refusals: inout RefusalList
  ) -> [(String, YAMLValue)] {
    var container = image(of: step, &refusals)
    var words: [String] = []
    for word in step.command ?? [] {
      let key = step.step.action.script == nil ? "exec" : "run"
      words.append(text(word, step, key, &refusals))
    }
    if !values.outputs(of: step).isEmpty {
      let script = kubernetesText(recorder(of: step, &refusals))
      words = ["/bin/sh", "-c", script, "outputs"] + words
    }
    container.append(("command", .texts(Array(words.prefix(1)))))
    if words.count > 1 { container.append(("args", .texts(Array(words.dropFirst())))) }
    let variables = variables(of: step, &refusals)
    if !variables.isEmpty { container.append(("env", .list(variables))) }
    return container
  }

  // MARK: Outputs

  /// Returns the script that runs a step, and writes each of its outputs to a file of its own.
  private func recorder(
    of step: ExportedSteps.Step, _ refusals: inout RefusalList
  ) -> String {
    if step.extras?.runner?.settings["read-only"] == .boolean(true) {
      refusals.add(step.subject, "runner.read-only", "its outputs are files in the container")
    }
    var run = "\"$@\" || exit"
    if !step.outputs.isEmpty {
      run = """
        printed=$("$@") || { status=$?; printf '%s\\n' "$printed"; exit "$status"; }
        printf '%s\\n' "$printed"
        """
    }
    var computed = ""
    for (name, value) in step.outputs {
      if value != .stdout {
        refusals.add(
          step.subject, "outputs.\(name)",
          "in Argo, only the whole standard output can be an output")
      }
      computed += "\nprintf %s \"$printed\" > \"$folder/\(name)\""
    }
    return """
      # Runs a step, and writes each output to a file.
      folder=\(Self.folder)
      export REPRISE_OUTPUT="$folder.outputs"
      mkdir -p "$folder" && : > "$REPRISE_OUTPUT" || exit
      \(run)
      while IFS= read -r line || [ -n "$line" ]; do
        [ -n "$line" ] || continue
        name=${line%%[=<]*}
        value=${line#*[=<]}
        case $name in
          '' | [!A-Za-z_]* | *[!A-Za-z0-9_-]*) echo "not an output: $line" >&2; exit 1 ;;
        esac
        case $line in
          "$name<<"?*)
            end=${value#<}; value=''; separator=''
            while IFS= read -r line || [ -n "$line" ]; do
              if [ "$line" = "$end" ]; then printf %s "$value" > "$folder/$name"; continue 2; fi
              value=$value$separator$line
              separator='
      '
            done
            echo "the output $name has no end" >&2; exit 1 ;;
          "$name="*) printf %s "$value" > "$folder/$name" ;;
          *) echo "not an output: $line" >&2; exit 1 ;;
        esac
      done < "$REPRISE_OUTPUT"\(computed)
      """
  }

  // MARK: Variables

  private func variables(
    of step: ExportedSteps.Step, _ refusals: inout RefusalList
  ) -> [YAMLValue] {
    var variables: [YAMLValue] = []
    func add(_ name: String, _ value: String) {
      variables.append(.map([("name", .text(name)), ("value", .text(value))]))
    }
    var known: Set<String> = []
    for (name, key) in step.variables where known.insert(name).inserted {
      switch name {
      case "REPRISE_RUN_ID": add(name, "{{workflow.uid}}")
      case "REPRISE_STEP_ID":
        add(name, kubernetesText(literal(step.step.id, step.subject, "id", &refusals)))
      case "REPRISE_PROGRESS": add(name, "/dev/null")
      case "REPRISE_OUTPUT":
        // The script that records outputs sets it.
        if values.outputs(of: step).isEmpty { add(name, "/dev/null") }
      default: refusals.add(step.subject, key, "only Reprise sets \(name)")
      }
    }
    for (name, value) in step.environment {
      if case .secret(let key) = value {
        let reference = YAMLValue.map([("name", .text(secret)), ("key", .text(key))])
        variables.append(
          .map([("name", .text(name)), ("valueFrom", .map([("secretKeyRef", reference)]))]))
      } else {
        add(name, text(value, step, "env.\(name)", &refusals))
      }
    }
    return variables
  }

  // MARK: Images

  /// Returns the parts of a container that come from the runner.
  private func image(
    of step: ExportedSteps.Step, _ refusals: inout RefusalList
  ) -> [(String, YAMLValue)] {
    let runner = step.extras?.runner
    let found = runner == nil ? image : runner?.settings["image"]?.asText
    guard let found, runner == nil || runner?.kind == "container" else {
      refusals.add(
        step.subject, "runner",
        "Argo runs steps in containers only; give --image, or write"
          + " runner: { container: { image: … } }")
      return []
    }
    var container = [
      ("image", YAMLValue.text(literal(found, step.subject, "runner.image", &refusals)))
    ]
    if runner?.maxParallel != nil {
      refusals.add(step.subject, "runner.max-parallel", "Argo has no limit for a kind of container")
    }
    var directory: String?
    for value in step.directories {
      let path = text(value, step, "dir", expanded: false, &refusals)
      directory = path.hasPrefix("/") ? path : "\(directory ?? ".")/\(path)"
    }
    for (name, value) in (runner?.settings ?? [:]).sorted(by: { $0.key < $1.key }) {
      switch (name, value) {
      case ("image", _): break
      case ("workdir", .text(let path)): directory = literal(path, step.subject, "dir", &refusals)
      case ("pull", .text("always")): container.append(("imagePullPolicy", .word("Always")))
      case ("pull", .text("missing")): container.append(("imagePullPolicy", .word("IfNotPresent")))
      case ("pull", .text("never")): container.append(("imagePullPolicy", .word("Never")))
      case ("read-only", .boolean(let isReadOnly)):
        container.append(
          ("securityContext", .map([("readOnlyRootFilesystem", .word("\(isReadOnly)"))])))
      case ("mounts", .list(let mounts)) where mounts.isEmpty: break
      default:
        refusals.add(
          step.subject, "runner.\(name)", "a container in Argo has no such setting or value")
      }
    }
    if let directory {
      if !directory.hasPrefix("/") {
        refusals.add(
          step.subject, "dir",
          "a container in Argo has no folder of the project; write a path that begins with /")
      }
      container.append(("workingDir", .text(directory)))
    }
    return container
  }

  // MARK: Texts

  /// Returns the text of a value, with constants that must not be changed.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - step: The step that reads it.
  ///   - key: The key of the value in the workflow file.
  ///   - expanded: Whether Kubernetes replaces variables in the text.
  ///   - refusals: The list for what Argo does not have.
  /// - Returns: The text.
  private func text(
    _ value: ExportedValue, _ step: ExportedSteps.Step, _ key: String, expanded: Bool = true,
    _ refusals: inout RefusalList
  ) -> String {
    let isWhole = value.constant != nil
    var constants: [String] = []
    do throws(ArgoValues.Problem) {
      let text = try values.text(value, in: step) {
        // A brace at the end would be one with those of a reference.
        constants.append(isWhole ? $0 : $0 + "{")
        return expanded ? kubernetesText($0, isWhole: isWhole) : $0
      }
      for constant in constants { _ = literal(constant, step.subject, key, &refusals) }
      return text
    } catch {
      refusals.add(step.subject, key, error.reason)
      return ""
    }
  }

  /// Returns a text, which Argo must not change.
  func literal(
    _ text: String, _ subject: ExportRefusal.Subject, _ key: String, _ refusals: inout RefusalList
  ) -> String {
    if text.utf8.hasPair(UInt8(ascii: "{")) {
      refusals.add(subject, key, "Argo would replace what follows {{")
    }
    return text
  }

  /// Escapes a text so that Kubernetes does not replace `$(NAME)` and `$$` in it.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - isWhole: Whether nothing follows it.
  /// - Returns: The escaped text.
  private func kubernetesText(_ text: String, isWhole: Bool = true) -> String {
    let scalars = Array(text.unicodeScalars)
    var result = String.UnicodeScalarView()
    var position = 0
    while position < scalars.count {
      let end = scalars[position...].firstIndex { $0 != "$" } ?? scalars.count
      let count = end - position
      guard count > 0 else {
        result.append(scalars[position])
        position += 1
        continue
      }
      let isSpecial = count > 1 || (end < scalars.count ? scalars[end] == "(" : !isWhole)
      result.append(contentsOf: repeatElement("$", count: isSpecial ? count * 2 : count))
      position = end
    }
    return String(result)
  }
}

extension String.UTF8View {
  /// Whether it contains a byte twice in a row.
  fileprivate func hasPair(_ byte: UInt8) -> Bool {
    zip(self, dropFirst()).contains { $0 == byte && $1 == byte }
  }
}
