// Writes a step of GitHub Actions.

import YAML

/// Writes one step.
struct GitHubStepWriter {
  let file: GitHubFile
  let job: GitHubJob
  let step: GitHubStep
  var names: GitHubNames
  /// The variables that earlier steps have set.
  private let variables: [(name: String, value: Translated)]
  private var comments: [String] = []
  /// Whether its condition is never true here.
  private var isNever = false

  init(
    file: GitHubFile, job: GitHubJob, step: GitHubStep, names: GitHubNames,
    variables: [(name: String, value: Translated)]
  ) {
    self.variables = variables
    self.file = file
    self.job = job
    self.step = step
    self.names = names
    self.names.scope = step.scope
    for (name, value) in variables where value.kind == .text {
      self.names.written[name] = value
      self.names.variables[name] = nil
    }
    for pair in step.node["env"]?.pairs ?? [] {
      self.names.variables[pair.key.text ?? ""] = pair.value
    }
  }

  /// Returns the step.
  ///
  /// - Parameters:
  ///   - needs: The steps that it needs, if the order of the list is not enough.
  ///   - condition: The condition of the job.
  ///   - matrix: The keys of the matrix of the job.
  /// - Returns: The step as an element of a list.
  mutating func item(
    needs: [String]?, condition: JobCondition, matrix: [Draft.Item]
  ) -> Draft.Item {
    let node = step.node
    var items = [Draft.Item("id", .text(step.id ?? ""))]
    if let name = node["name"]?.text?.label, name != step.id {
      items.append(Draft.Item("name", .text(name)))
    }
    if let needs { items.append(Draft.Item("needs", .texts(needs))) }
    if let text = self.condition(condition) { items.append(Draft.Item("if", .text(text))) }
    items += matrix
    let work = script()
    if !work.environment.isEmpty { items.append(Draft.Item("env", .map(work.environment))) }
    if let folder = folder() { items.append(Draft.Item("dir", .text(folder))) }
    if let shell = work.shell { items.append(Draft.Item("shell", shell)) }
    if let timeout = timeout(node["timeout-minutes"]) {
      items.append(Draft.Item("timeout", .text(timeout)))
    }
    if let goesOn = continuesOnError() { items.append(Draft.Item("continue-on-error", goesOn)) }
    items.append(Draft.Item("run", .text(ScalarText.tidied(work.text))))
    if case .missing(let text) = step.work {
      miss(text)
      comments.append("no equivalent, replace this step:")
      comments += Draft.list([Draft.Item("", node.draft)]).lines().texts.map { "  \($0)" }
    }
    return Draft.Item("", .map(items), comments: comments)
  }

  /// Reports something without an equivalent, which does not matter in a step that never runs.
  private func miss(_ text: String) {
    file.remark(isNever ? .note : .missing, isNever ? "never runs here: \(text)" : text)
  }

  // MARK: Conditions

  private mutating func condition(_ outer: JobCondition) -> String? {
    var own: Translated?
    if let text = step.node["if"]?.text {
      file.line = step.node["if"]?.mark.line ?? file.line
      do throws(Untranslatable) {
        (own, _) = try ExpressionTranslator(names: names).condition(text)
      } catch {
        file.remark(.missing, "if: \(text): \(error.reason)")
        comments.append("if: \(text): \(error.reason)")
      }
    }
    var whole = outer.value ?? .literal(true)
    let first = job.startID ?? job.stepIDs.first
    if outer.testsStatus, step.id != first, let first {
      whole = Translated(
        text: "steps.\(first).result != 'skipped'", kind: .boolean, precedence: 3)
    }
    if let scope = step.scope {
      do throws(Untranslatable) {
        if let condition = try names.condition(of: scope) { whole = whole.and(condition) }
      } catch {
        file.remark(.missing, "if: \(error.reason)")
        comments.append("if: \(error.reason)")
      }
    }
    if let own { whole = whole.and(own) }
    isNever = whole.truth == false
    return whole.truth == true ? nil : whole.text
  }

  // MARK: Work

  private mutating func script() -> (text: String, environment: [Draft.Item], shell: Draft?) {
    let shell = self.shell()
    var environment = environment()
    file.line = step.node.mark.line
    switch step.work {
    case .nothing, .note: return ("", environment, nil)
    case .missing(let text):
      let word = text.split(separator: " ").joined(separator: " ").replacing("'", with: "")
      return ("echo 'replace this step: \(word.withoutExpressions)' >&2\nexit 1\n", [], nil)
    case .script(let text, let variables, let note):
      if step.written.hasUnknownNames {
        miss("GITHUB_ENV: the names of the variables are not in the script")
      }
      if step.written.addsVariables, file.jobs.contains(where: { $0.needs.contains(job.id) }) {
        file.remark(.note, "GITHUB_ENV: jobs that need \(job.id) get its variables, too")
      }
      if let note {
        file.remark(.note, note)
        comments.append(note)
      }
      do throws(Untranslatable) {
        let isScript = step.node["run"] != nil
        let script = try translated(
          isScript ? step.written.script : text, isScript ? shell.language : .posix, variables,
          &environment)
        return (script, environment, isScript ? shell.draft : commandShell)
      } catch {
        miss("run: \(error.reason)")
        comments.append("run: \(error.reason)")
        comments += text.split(whereSeparator: \.isNewline).map { "  \($0)" }
        return ("echo 'replace this step' >&2\nexit 1\n", environment, nil)
      }
    }
  }

  /// Returns the variables of the step, with those of its job and of earlier steps.
  private func environment() -> [Draft.Item] {
    let pairs = step.node["env"]?.pairs ?? []
    let own = Set(pairs.compactMap(\.key.text))
    var environment =
      GitHubEnvironment(file: file, names: names).draft(
        job.environment.filter { pair in !pairs.contains { $0.key.text == pair.key.text } }
          + pairs)?.items ?? []
    for variable in step.scope.map(names.environment) ?? []
    where !environment.contains(where: { $0.key == variable.key }) { environment.append(variable) }
    for (name, value) in variables where !own.contains(name) {
      let text = value.kind == .text ? "${{ \(value.text) }}" : value.text
      environment.removeAll { $0.key == name }
      environment.append(Draft.Item(name, .text(text)))
    }
    return environment
  }

  /// Returns a script of this language, and adds the variables that it reads.
  private func translated(
    _ text: String, _ language: GitHubScript.Language, _ variables: [(String, String)],
    _ environment: inout [Draft.Item]
  ) throws(Untranslatable) -> String {
    var names = names
    names.allowsSecrets = true
    let translator = ExpressionTranslator(names: names)
    for (name, value) in variables where !value.isEmpty {
      environment.append(Draft.Item(name, .text(try translator.template(value))))
    }
    let script = try GitHubScript(text, language, translator, taken: Set(environment.map(\.key)))
    environment += script.bindings.map { Draft.Item($0.name, .text($0.value)) }
    let own = GitHubVariables(file: file, translator: translator)
    let result = own.rewritten(script.text, known: Set(environment.map(\.key)))
    environment += result.environment
    return result.text
  }

  private mutating func shell() -> (draft: Draft?, language: GitHubScript.Language) {
    guard step.node["run"] != nil else { return (nil, .posix) }
    // The defaults of a job are not those of a composite action.
    let defaults = step.scope == nil ? job.node["defaults"]?["run"]?["shell"]?.text : "bash"
    let fileShell = file.root["defaults"]?["run"]?["shell"]?.text
    var own = step.node["shell"]?.text ?? defaults
    if own == nil, let call = job.call {
      own = call.root["defaults"]?["run"]?["shell"]?.text ?? (fileShell == nil ? nil : "")
    }
    if own == nil, fileShell == nil, job.isForWindows { own = "pwsh" }
    let shell = GitHubShell(own ?? fileShell ?? "")
    let name = own ?? fileShell ?? ""
    if shell.language == .powerShell {
      file.remark(.note, "a script for Windows needs \(name) here")
    }
    if shell.draft == nil || shell.language == .command {
      miss("shell: \(name)")
      comments.append("shell: \(name)")
    }
    return (own == nil ? nil : shell.draft, shell.language)
  }

  /// The shell of a command that an action is here, unless that of the workflow is one of these.
  private var commandShell: Draft? {
    let name = file.root["defaults"]?["run"]?["shell"]?.text ?? ""
    return GitHubShell(name).language == .posix ? nil : .text("bash")
  }

  private mutating func folder() -> String? {
    guard step.node["run"] != nil else { return nil }
    let defaults =
      job.node["defaults"]?["run"]?["working-directory"]
      ?? (job.call?.root ?? file.root)["defaults"]?["run"]?["working-directory"]
    let node = step.node["working-directory"] ?? (step.scope == nil ? defaults : nil)
    guard let text = node?.text, text != ".", text != "./" else { return nil }
    do throws(Untranslatable) {
      return try ExpressionTranslator(names: names).template(text)
    } catch {
      miss("working-directory: \(error.reason)")
      return nil
    }
  }

  private func timeout(_ node: Node?) -> String? {
    guard let node else { return nil }
    guard let minutes = node.minutes else {
      file.remark(.missing, "timeout-minutes: \(node.text ?? "")", at: node.mark.line)
      return nil
    }
    return minutes
  }

  private func continuesOnError() -> Draft? {
    let uses = step.scope?.chain.compactMap { $0.step["continue-on-error"] } ?? []
    if !uses.isEmpty {
      file.remark(.note, "continue-on-error of a composite action: each of its steps runs")
    }
    guard let node = step.node["continue-on-error"] ?? uses.first else { return nil }
    if let boolean = node.boolean { return boolean ? .word("true") : nil }
    do throws(Untranslatable) {
      let (value, _) = try ExpressionTranslator(names: names).condition(node.text ?? "")
      return value.truth == false ? nil : .text("${{ \(value.text) }}")
    } catch {
      file.remark(.missing, "continue-on-error: \(error.reason)", at: node.mark.line)
      return nil
    }
  }
}

extension String {
  /// A name without expressions, for displays; nil if nothing is left, or it is too long.
  var label: String? {
    let text = withoutExpressions.onOneLine
    return text.isEmpty || text.utf8.count > 256 ? nil : text
  }
}
