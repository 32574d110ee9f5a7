// What is known of a job before expressions are translated: its steps and the types of its matrix.

import YAML

extension GitHubJob {
  /// Decides what each step becomes, and gives it an id.
  func plan(in file: GitHubFile) {
    readMatrix()
    if let uses = node["uses"]?.text {
      let id = file.stepNames.id(for: self.id, otherwise: "job")
      steps = [GitHubStep(node, id: id, work: .missing(missing ?? "uses: \(uses)"))]
      return
    }
    add(node["steps"]?.elements ?? [], within: nil, in: file)
    refuseReaders()
    planStart(in: file)
    planGroup(in: file)
  }

  /// Makes steps missing that read a file which an action that is left out would have made.
  private func refuseReaders() {
    var makers: [(file: String, action: String)] = []
    for position in steps.indices {
      let step = steps[position]
      switch step.work {
      case .note(let text) where text.hasSuffix("left out"):
        let action = String((step.node["uses"]?.text ?? "").prefix { $0 != "@" })
        for pair in step.node["with"]?.pairs ?? [] {
          let name = pair.key.text ?? ""
          guard ["results_file", "output", "output-file", "output_file"].contains(name),
            let made = pair.value.text, made.count > 3, !made.contains("${{")
          else { continue }
          makers.append((made, action))
        }
      case .script:
        let texts = [step.node["run"]] + (step.node["with"]?.pairs ?? []).map(\.value)
        let maker = makers.first { maker in
          texts.contains { $0?.text?.contains(maker.file) == true }
        }
        guard let maker else { continue }
        steps[position].work = .missing(
          "\(maker.file) is a file of \(maker.action), which is left out")
      case .nothing, .note, .missing: break
      }
    }
  }

  /// Adds steps, and those of the composite actions that they use.
  private func add(_ nodes: [SourceNode], within scope: GitHubScope?, in file: GitHubFile) {
    let prefix = file.jobs.count > 1 ? "\(id)-" : ""
    for step in nodes {
      var work = ActionEquivalent(step)
      do throws(Untranslatable) {
        if scopes.count < GitHubScope.countMax,
          let use = try GitHubScope.use(by: step, work, within: scope, of: self, in: file)
        {
          scopes.append(use)
          add(use.steps, within: use, in: file)
          continue
        }
      } catch {
        work = .missing(error.reason)
      }
      var id: String?
      switch work {
      case .nothing, .note: break
      case .script, .missing:
        let name = step["id"]?.text ?? step["name"]?.text ?? Self.command(of: step)
        id = file.stepNames.id(for: prefix + name.withoutExpressions, otherwise: "step")
      }
      steps.append(
        GitHubStep(
          step, id: id, work: work, scope: scope, canAddVariables: !hasDynamicMatrix,
          programs: file.programs(of: step, within: scope)))
    }
  }

  /// Decides what starts the job: its services, and whether a step of its own has its condition.
  private func planStart(in file: GitHubFile) {
    guard let first = steps.first(where: { $0.id != nil }) else { return }
    let prefix = file.jobs.count > 1 ? "\(id)-" : ""
    if node["container"] == nil {
      for pair in node["services"]?.pairs ?? [] {
        let name = pair.key.text ?? "service"
        let id = file.stepNames.id(for: prefix + name, otherwise: "service")
        services.append(GitHubService(name: name, id: id, pair.value))
      }
    }
    // Later steps ask the first one whether the job runs, so it must have no condition of its own.
    let hasCondition =
      first.node["if"] != nil || first.scope?.chain.contains { $0.step["if"] != nil } == true
    let needsStart =
      testsStatus
      ? hasCondition || !services.isEmpty : first.canFollowFailure(for: nil) && !needs.isEmpty
    if needsStart {
      startID = file.stepNames.id(for: prefix + "start", otherwise: "start")
    }
  }

  /// Returns the step that does not run if the job or the action of a step does not run, because what
  /// it needs has failed: a step that tests the status of others would run here in any case.
  func start(of step: GitHubStep) -> String? {
    let first = startID ?? stepIDs.first
    // A step that opens an action stands for the one that uses it.
    let scope = opened(by: step).map(\.outer) ?? step.scope
    let own = scope.flatMap(firstStep)
    let isCalledFirst = own == nil || own == first
    guard !isCalledFirst || !testsStatus && !needs.isEmpty else { return nil }
    return own ?? first
  }

  /// Returns the id of the first step of a use of an action; nil if nothing of it runs.
  func firstStep(of use: GitHubScope) -> String? {
    steps.first { $0.id != nil && $0.scope?.chain.contains { $0 === use } == true }?.id
  }

  /// Returns the outermost use of an action that begins with a step, and whose condition tests the
  /// status of others; nil if there is none.
  func opened(by step: GitHubStep) -> GitHubScope? {
    step.scope?.chain.first { $0.step.testsStatus && firstStep(of: $0) == step.id }
  }

  /// Decides whether the matrix is that of a group, or of its only step.
  private func planGroup(in file: GitHubFile) {
    guard !matrixKinds.isEmpty, !hasDynamicMatrix,
      stepIDs.count > 1 || !services.isEmpty || startID != nil
        || ["container", "continue-on-error", "timeout-minutes", "name"].contains(where: {
          node[$0]?.mentions("matrix.") == true
        })
    else { return }
    isMatrixGroup = true
    if groupID.isEmpty { groupID = file.stepNames.id(for: id, otherwise: "job") }
    // What needs the group looks at its last step only.
    if steps.last(where: { $0.id != nil })?.canFollowFailure(for: nil) == true {
      endID = file.stepNames.id(for: "\(id)-end", otherwise: "end")
    }
  }

  /// Returns the first words of the script of a step, or the name of its action.
  private static func command(of step: SourceNode) -> String {
    if let run = step["run"]?.text {
      let line = run.split(whereSeparator: \.isNewline).first ?? "run"
      return line.split(separator: " ").prefix(3).joined(separator: " ")
    }
    let uses = step["uses"]?.text ?? "step"
    return String(uses.prefix { $0 != "@" }.split(separator: "/").last ?? "step")
  }

  private func readMatrix() {
    guard let matrix = node["strategy"]?["matrix"] else { return }
    guard matrix.isMap else {
      hasDynamicMatrix = matrix.text?.contains("${{") == true
      return
    }
    let isComputed = matrix.pairs.contains {
      $0.value.text?.contains("${{") == true || $0.value.isComputedList
    }
    hasDynamicMatrix = isComputed
    let lists = matrix.pairs.filter { !["include", "exclude"].contains($0.key.text) }
    let included = matrix["include"]?.elements ?? []
    var values: [String: [SourceNode]] = [:]
    for pair in lists { values[pair.key.text ?? "", default: []] += pair.value.elements }
    for pair in included.flatMap(\.pairs) {
      values[pair.key.text ?? "", default: []].append(pair.value)
    }
    for (name, nodes) in values {
      let kinds = nodes.map(\.translatedKind)
      let isListed = lists.contains { $0.key.text == name && $0.value.isList }
      // A value of some combinations only can be null in the others.
      let isEverywhere = isListed || lists.isEmpty && nodes.count == included.count
      let first = kinds.first ?? .unknown
      matrixKinds[name] =
        isEverywhere && !kinds.contains { $0 != first } ? first : .unknown
    }
  }
}

extension SourceNode {
  /// Whether it is a list with values that other jobs compute.
  var isComputedList: Bool {
    isList && elements.allSatisfy { !$0.isList && !$0.isMap } && mentions("needs.")
  }

  /// The type of the value of a matrix.
  fileprivate var translatedKind: Translated.Kind {
    switch content {
    case .scalar(let text, _):
      text.contains("${{") || isNull
        ? .unknown : boolean != nil ? .boolean : number != nil ? .number : .text
    case .sequence, .mapping: .unknown
    }
  }
}
