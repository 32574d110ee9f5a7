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
  /// Why it cannot run as it does there.
  private var refusals: [Refusal]
  /// Whether its condition is never true here.
  private var isNever = false
  /// Whether it is a service, because it leaves a process for the steps after it.
  private var isService = false

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
    refusals = file.refusals + job.refusals
    if let scope = step.scope { self.names.addVariables(of: scope) }
    for (name, value) in variables where value.kind == .text {
      self.names.write(name, value)
    }
    for pair in step.node["env"]?.pairs ?? [] {
      self.names.add(pair, scope: step.scope)
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
    file.place = node
    var items = [Draft.Item("id", .text(step.id ?? ""))]
    if let text = node["name"]?.text, let name = names.label(text), name != step.id {
      items.append(Draft.Item("name", .text(name)))
    }
    if let needs { items.append(Draft.Item("needs", .texts(needs))) }
    guard refusals.isEmpty else { return refused(items) }
    let test = self.condition(condition)
    if let test { items.append(Draft.Item("if", test.draft)) }
    items += matrix
    if let goesOn = continuesOnError() { items.append(Draft.Item("continue-on-error", goesOn)) }
    let work = script()
    let folder = folder()
    let timeout = timeout()
    readOthers()
    guard refusals.isEmpty else { return refused(items, test?.variable) }
    let environment = work.environment + [test?.variable].compactMap(\.self)
    if !environment.isEmpty { items.append(Draft.Item("env", .map(environment))) }
    if let folder { items.append(Draft.Item("dir", .text(folder))) }
    if let shell = work.shell { items.append(Draft.Item("shell", shell)) }
    if let timeout { items.append(Draft.Item("timeout", .text(timeout))) }
    items += Self.work(ScalarText.tidied(work.text), isService: isService)
    return Draft.Item("", .map(items), comments: allComments())
  }

  /// Returns a step that fails in place of one that cannot run as it does there.
  private mutating func refused(_ items: [Draft.Item], _ variable: Draft.Item? = nil) -> Draft.Item
  {
    let reason = refusals.map(\.text).joined(separator: "; ")
    let others = allComments()
    for use in step.scope?.chain ?? [] { use.step.accept() }
    // The keys that were not read are in the original, which is a comment.
    comments = others + ["no equivalent, replace this step:"]
    comments += Draft.list([Draft.Item("", step.node.draft)]).lines().texts.map { "  \($0)" }
    var items = items
    if let variable { items.append(Draft.Item("env", .map([variable]))) }
    if let shell = commandShell { items.append(Draft.Item("shell", shell)) }
    items.append(Draft.Item("run", .text(Draft.failing(reason))))
    return Draft.Item("", .map(items), comments: comments)
  }

  /// Returns the comments of the step with what no comment says yet.
  private mutating func allComments() -> [String] {
    let others = file.takeComments().filter { !comments.contains($0) }
    return comments + others
  }

  /// Reads what is not needed, and refuses the keys that were not read.
  private mutating func readOthers() {
    guard refusals.isEmpty else { return }
    for node in [step.node] + (step.scope?.chain.map(\.step) ?? []) {
      for key in ["id", "name", "uses"] { _ = node[key]?.text }
      node["with"]?.accept()
      for part in node.unread() {
        refuse(Untranslatable("\(part.path): this key has no equivalent", at: part.node))
      }
    }
  }

  /// Reports something without an equivalent, which does not matter in a step that never runs.
  private mutating func refuse(_ error: Untranslatable, at node: SourceNode? = nil) {
    let place = error.place ?? (node ?? step.node).place
    guard !isNever else {
      file.remark(.note, "never runs here: \(error.reason)", at: place)
      return
    }
    file.remark(.missing, error.reason, at: place)
    refusals.append(Refusal(reason: error.reason, place: place))
  }

  // MARK: Conditions

  /// The condition of a step.
  private struct Condition {
    let draft: Draft
    /// The variable with its value, if only a variable can have it.
    var variable: Draft.Item?
  }

  private mutating func condition(_ outer: JobCondition) -> Condition? {
    var whole = outer.value ?? .literal(true)
    let first = job.startID ?? job.stepIDs.first
    var testsStatus = outer.testsStatus
    if testsStatus, step.id != first, let first {
      testsStatus = false
      whole = Translated(
        text: "steps.\(first).result != 'skipped'", kind: .boolean, precedence: 3)
    }
    if step.testsStatus || job.opened(by: step) != nil, let start = job.start(of: step) {
      whole = whole.and(
        Translated(text: "steps.\(start).result != 'cancelled'", kind: .boolean, precedence: 3))
    }
    var (own, isSecret) = (whole, false)
    let node = step.node["if"] ?? step.scope?.chain.compactMap { $0.step["if"] }.first
    do throws(Untranslatable) {
      (own, testsStatus) = try condition(after: whole, testsStatus, names)
    } catch {
      // A secret is known only where variables are.
      var others = names
      others.allowsSecrets = true
      if let (value, tests) = try? condition(after: whole, testsStatus, others), !tests {
        (own, isSecret) = (value, true)
      } else {
        let text = node?.text ?? ""
        refuse(Untranslatable("if: \(text): \(error.reason)", at: error.place ?? node?.place))
      }
    }
    isNever = own.truth == false
    guard own.truth != true else { return nil }
    guard isSecret else { return Condition(draft: .text(own.text)) }
    let name = "STEP_CONDITION"
    return Condition(
      draft: .map([Draft.Item("run", .text("[ \"$\(name)\" = true ]"))]),
      variable: Draft.Item(name, .text("${{ \(own.text) }}")))
  }

  /// Returns the condition of the step and of the actions that it is a part of.
  private func condition(
    after outer: Translated, _ outerTestsStatus: Bool, _ names: GitHubNames
  ) throws(Untranslatable) -> (Translated, testsStatus: Bool) {
    var whole = outer
    var testsStatus = outerTestsStatus
    let uses = try names.condition(ofUsesOf: step)
    whole = whole.and(uses.value)
    testsStatus = testsStatus || uses.testsStatus
    if let goesOn = try names.goesOnInside(step) { whole = whole.and(goesOn) }
    if let text = step.node["if"]?.text {
      let (own, tests) = try ExpressionTranslator(names: names).condition(text)
      whole = whole.and(own)
      testsStatus = testsStatus || tests
    }
    return (whole, testsStatus)
  }

  // MARK: Work

  private mutating func script() -> (text: String, environment: [Draft.Item], shell: Draft?) {
    let shell = self.shell()
    file.place = step.node
    do throws(Untranslatable) {
      var environment = try environment()
      switch step.work {
      case .nothing, .note: return ("", environment, nil)
      case .missing(let text): throw Untranslatable(text)
      case .script(let text, let variables, let note):
        remarkVariables()
        if let note { file.remark(.note, note) }
        if let note { comments.append(note) }
        let isScript = step.node["run"] != nil
        // There is nothing to do, and no equivalent of it but a command that does nothing.
        guard !isScript || !text.trimmed.isEmpty else { return ("true", environment, commandShell) }
        let own = isScript || !step.written.names.isEmpty ? step.written.script : text
        let script = try translated(
          isScript && shell.language == .posix
            ? file.withFolders(own, repository: "$GITHUB_WORKSPACE", home: "$HOME") : own,
          isScript ? shell : GitHubShell("bash"), variables,
          &environment)
        return (script.text, environment, script.shell ?? (isScript ? shell.draft : commandShell))
      }
    } catch {
      let isScript = step.node["run"] != nil
      refuse(isScript ? Untranslatable("run: \(error.reason)", at: error.place) : error)
      return (Draft.failing(error.reason), [], commandShell)
    }
  }

  /// Reports what its variables for later steps mean here.
  private mutating func remarkVariables() {
    let written = step.written
    if written.addsFolders {
      refuse(Untranslatable("GITHUB_PATH: a program adds folders to PATH, which are not known"))
    }
    if written.hasUnknownNames {
      refuse(Untranslatable("GITHUB_ENV: the names of the variables are not in the script"))
    }
    for name in job.uncertainNames(of: step, in: file) {
      file.remark(
        .note,
        "GITHUB_ENV: if this step does not set \(name), or to the empty text, \(name) is not set later, "
          + "but empty in other languages than those of a shell")
    }
    if job.hasDynamicMatrix, !written.names.isEmpty || !written.folders.isEmpty {
      refuse(Untranslatable("GITHUB_ENV: the outputs of a step with a matrix are a list"))
    }
    if written.addsVariables, !job.environment.isEmpty {
      file.remark(
        .note, "GITHUB_ENV: the variables under env of job \(job.id) keep their values")
    }
  }

  /// Returns the variables of the step, with those of its job and of earlier steps.
  private func environment() throws(Untranslatable) -> [Draft.Item] {
    let pairs = step.node["env"]?.pairs ?? []
    let own = Set(pairs.compactMap(\.key.text))
    let outer =
      try step.scope.map { scope throws(Untranslatable) in
        try names.environment(of: scope)
      } ?? []
    let added = own.union(outer.map(\.key))
    var jobNames = names
    jobNames.scope = nil
    var environment = try GitHubEnvironment(file: file, names: jobNames).items(
      job.environment.filter { pair in !added.contains(pair.key.text ?? "") })
    environment += outer.filter { !own.contains($0.key) }
    environment += try GitHubEnvironment(file: file, names: names).items(step.node["env"])
    for (name, value) in variables where !added.contains(name) {
      let text = value.kind == .text ? "${{ \(value.text) }}" : value.text
      environment.removeAll { $0.key == name }
      environment.append(Draft.Item(name, .text(text)))
    }
    return environment
  }

  /// Returns a script of this language with its shell, and adds the variables that it reads.
  private mutating func translated(
    _ text: String, _ shell: GitHubShell, _ variables: [(String, String)],
    _ environment: inout [Draft.Item]
  ) throws(Untranslatable) -> (text: String, shell: Draft?) {
    var names = names
    names.allowsSecrets = true
    let translator = ExpressionTranslator(names: names)
    for (name, value) in variables where !value.isEmpty {
      // The command uses its own variable, also if the job has one of that name.
      environment.removeAll { $0.key == name }
      environment.append(
        Draft.Item(name, .text(GitHubScript.withOwnFiles(try translator.template(value)))))
    }
    // Scripts of users are among them.
    let read =
      text + variables.map { "\n" + $0.1.withoutExpressions }.joined()
      + (step.programs.areOfAction ? "\n" + step.programs.text : "")
    try refuseRemoval([text] + variables.map(\.1), in: shell)
    remarkChanges(of: read)
    let script = try GitHubScript(text, shell, translator, taken: Set(environment.map(\.key)))
    environment += script.bindings.map { Draft.Item($0.name, .text($0.value)) }
    let isLast = job.stepIDs.last == step.id
    if shell.language == .posix, !isLast, ShellQuotes.leavesProcesses(in: script.text) {
      guard canBeService, !script.text.contains("REPRISE_") else {
        throw Untranslatable(
          "it leaves a process in the background, which ends with its step here: write a service")
      }
      isService = true
      file.remark(
        .note, "it leaves a process in the background: a service, which ends with its job")
    }
    let own = GitHubVariables(file: file, translator: translator)
    environment += try own.environment(of: read, known: Set(environment.map(\.key)))
    if !step.programs.areOfAction {
      environment += own.environment(
        ofPrograms: step.programs.text, known: Set(environment.map(\.key)))
    }
    if shell.language == .powerShell { return (shell.whole(script.text), script.shell) }
    guard shell.language == .posix else { return (script.text, script.shell) }
    return (unsets() + exports(for: text) + script.text, script.shell)
  }

  private mutating func shell() -> GitHubShell {
    guard let node = step.node["run"] else { return GitHubShell("bash") }
    // The defaults of a job are not those of a composite action.
    let defaults = step.scope == nil ? job.node["defaults"]?["run"]?["shell"]?.text : "bash"
    let fileShell = file.root["defaults"]?["run"]?["shell"]?.text
    var own = step.node["shell"]?.text ?? defaults
    if own == nil, let call = job.call {
      own = call.root["defaults"]?["run"]?["shell"]?.text ?? (fileShell == nil ? nil : "")
    }
    if own == nil, fileShell == nil, job.isForWindows { own = "pwsh" }
    let given = own ?? fileShell ?? ""
    // It can be an input of an action, which is known.
    let name = (try? ExpressionTranslator(names: names).template(given)) ?? given
    let shell = GitHubShell(name)
    if name.hasPrefix("msys2 ") {
      file.remark(.note, "the shell \(name) of Windows is bash here")
    }
    if shell.language == .powerShell {
      file.remark(.note, "a script for Windows needs \(name) here")
    }
    if shell.draft == nil || shell.language == .command {
      refuse(Untranslatable("shell: \(given)", at: step.node["shell"] ?? node))
    }
    // In a container, it is the one of the job, which can be without bash.
    let isOfContainer = name.isEmpty && job.node["container"] != nil
    return own == nil || isOfContainer ? shell.withoutDraft : shell
  }

  /// The shell of a command that an action is here, unless that of the workflow is one of these.
  private var commandShell: Draft? {
    let name = file.root["defaults"]?["run"]?["shell"]?.text ?? ""
    return GitHubShell(name).language == .posix ? nil : .text("bash")
  }

  private mutating func folder() -> String? {
    let node = folderNode
    guard let text = node?.text, text != ".", text != "./" else { return nil }
    do throws(Untranslatable) {
      return file.withFolders(
        try ExpressionTranslator(names: names).template(text), repository: "${{ run.working-dir }}",
        home: "${{ env.HOME }}")
    } catch {
      refuse(Untranslatable("working-directory: \(error.reason)", at: node))
      return nil
    }
  }

  private mutating func timeout() -> String? {
    guard let node = step.node["timeout-minutes"] else { return nil }
    do throws(Untranslatable) {
      return try node.minutes(ExpressionTranslator(names: names))
    } catch {
      refuse(Untranslatable("timeout-minutes: \(error.reason)", at: node))
      return nil
    }
  }

  private mutating func continuesOnError() -> Draft? {
    do throws(Untranslatable) {
      return try names.goesOn(after: step).flag
    } catch {
      refuse(error)
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
