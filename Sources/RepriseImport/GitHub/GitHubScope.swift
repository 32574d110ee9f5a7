// Composite actions of the repository, whose steps become steps of the job that uses them.

import YAML

/// One use of a composite action.
final class GitHubScope {
  /// How deep actions that use actions are followed.
  static let depthMax = 8
  /// The maximum number of uses in a job.
  static let countMax = 200

  /// The step that uses the action.
  let step: SourceNode
  /// The file of the action.
  let action: SourceNode
  /// The folder of the action, relative to the repository; empty for the repository itself.
  let path: String
  /// The use of the action that contains the step; nil for a step of a job.
  let outer: GitHubScope?
  /// The commit of another repository that the action was read from; nil for this repository.
  let source: GitHubSource?
  let depth: Int

  /// The use of an action of another repository.
  init(_ step: SourceNode, _ action: SourceNode, within outer: GitHubScope?, source: GitHubSource) {
    self.step = step
    self.action = action
    self.outer = outer
    self.source = source
    path = source.folder
    depth = (outer?.depth ?? 0) + 1
  }

  /// Returns the composite action of this repository that a step uses; nil if it uses none, or its
  /// file is not there.
  init?(_ step: SourceNode, within outer: GitHubScope?, in file: GitHubFile) {
    guard let uses = step["uses"]?.text, let own = file.ownPath(uses),
      let action = file.action(own),
      action["runs"]?["using"]?.text == "composite", (outer?.depth ?? 0) < Self.depthMax
    else { return nil }
    self.step = step
    self.action = action
    self.outer = outer
    source = nil
    path = (uses.isOfRepository ? uses : own).folderOfAction
    if !uses.isOfRepository { file.remark(.note, "uses: \(uses): the file here", at: step) }
    depth = (outer?.depth ?? 0) + 1
  }

  private(set) lazy var steps: [SourceNode] =
    [bringingFiles ?? start].compactMap(\.self) + (action["runs"]?["steps"]?.elements ?? [])

  /// A step that says whether the action runs, if some of its steps or the one that uses it test the
  /// status of others, and its first step cannot say it.
  private var start: SourceNode? {
    let own = action["runs"]?["steps"]?.elements ?? []
    guard let first = own.first else { return nil }
    let isTested = own.contains(where: \.testsStatus) && (first["run"] == nil || first.testsStatus)
    let tests = step.testsStatus && (first["run"] == nil || first["if"] != nil)
    guard isTested || tests else { return nil }
    let text = "{ name: start of an action, shell: bash, run: 'true' }"
    return Document(SourceText(Array(text.utf8))).root.map { SourceNode($0, file: action.file) }
  }

  /// The version of an action of another repository; nil for one of this repository.
  var version: String? {
    guard let source, let uses = step["uses"]?.text else { return nil }
    return uses.firstIndex(of: "@").map { String(uses[uses.index(after: $0)...]) } ?? source.commit
  }

  /// The value of an input: that of the step, or the default.
  func input(_ name: String) -> SourceNode? {
    step["with"]?.member(name) ?? action["inputs"]?.member(name)?["default"]
  }

  /// This use and those that contain it, the outermost first.
  var chain: [GitHubScope] { (outer?.chain ?? []) + [self] }
}

extension GitHubFile {
  /// Reads the file of an action of the repository.
  func action(_ uses: String) -> SourceNode? {
    let folder = uses.folderOfAction
    guard !folder.isEmpty, !folder.contains("..") else { return nil }
    return document("\(folder)/action.yml") ?? document("\(folder)/action.yaml")
  }
}

extension String {
  /// The folder of an action that begins with `./` or `$/`, relative to its repository.
  fileprivate var folderOfAction: String {
    var folder = dropFirst(2)
    while folder.last == "/" { folder.removeLast() }
    return String(folder)
  }
}

extension GitHubNames {
  /// The names in the place of the step that uses the action.
  func outside(of scope: GitHubScope) -> GitHubNames {
    var names = self
    names.scope = scope.outer
    return names
  }

  /// Returns the value of an input of a composite action, which is a text.
  func input(_ name: String, of scope: GitHubScope) throws(Untranslatable) -> Translated {
    guard let node = scope.input(name) else { return .literal(text: "") }
    guard let text = node.number ?? node.text else {
      throw Untranslatable("the input \(name) is no text")
    }
    return try ExpressionTranslator(names: outside(of: scope)).expression(text).asText
  }

  /// Returns the value of an output of a composite action.
  func output(_ path: ArraySlice<String>, of scope: GitHubScope) throws(Untranslatable)
    -> Translated
  {
    guard path.first == "outputs", path.count == 2, let name = path.last else {
      throw Untranslatable("only outputs of a composite action are values")
    }
    guard let text = scope.action["outputs"]?.member(name)?["value"]?.text else {
      return .literal(text: "")
    }
    var names = self
    names.scope = scope
    return try ExpressionTranslator(names: names).expression(text).asText
  }

  /// Returns the conditions of the steps that use the actions which a step is a part of.
  ///
  /// One that tests the status of others is that of the first step, and later steps ask whether this
  /// one has run: they look only at the steps of the action.
  func condition(
    ofUsesOf step: GitHubStep
  ) throws(Untranslatable) -> (value: Translated, testsStatus: Bool) {
    var whole = (value: Translated.literal(true), testsStatus: false)
    for use in step.scope?.chain ?? [] {
      guard let text = use.step["if"]?.text else { continue }
      if use.step.testsStatus, let first = job?.firstStep(of: use), first != step.id {
        let ran = Translated(
          text: "steps.\(first).result != 'skipped'", kind: .boolean, precedence: 3)
        whole.value = whole.value.and(ran)
        continue
      }
      let translator = ExpressionTranslator(names: outside(of: use))
      let (value, testsStatus) = try translator.condition(text)
      whole.value = whole.value.and(value)
      whole.testsStatus = whole.testsStatus || testsStatus
    }
    return whole
  }

  /// Returns whether what follows a step goes on after its failure.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - use: The use of an action that goes on; nil if that is the job. A failure of a step fails
  ///     the actions that it is a part of, up to the first that says the contrary.
  /// - Returns: The condition.
  /// - Throws: ``Untranslatable`` if a setting has no equivalent.
  func goesOn(
    after step: GitHubStep, in use: GitHubScope? = nil
  ) throws(Untranslatable) -> Translated {
    var parts: [(node: SourceNode, scope: GitHubScope?)] = [(step.node, step.scope)]
    var scope = step.scope
    while let inner = scope, inner !== use {
      parts.append((inner.step, inner.outer))
      scope = inner.outer
    }
    var whole = Translated.literal(false)
    for (node, scope) in parts {
      guard let flag = node["continue-on-error"] else { continue }
      var names = self
      names.scope = scope
      do throws(Untranslatable) {
        whole = whole.or(try flag.condition(ExpressionTranslator(names: names)))
      } catch {
        throw Untranslatable("continue-on-error: \(error.reason)", at: error.place ?? flag.place)
      }
    }
    return whole
  }

  /// Returns the condition that no earlier step has ended an action that a step is a part of, after
  /// whose failure the job goes on; nil if there is no such action.
  func goesOnInside(_ step: GitHubStep) throws(Untranslatable) -> Translated? {
    var whole: Translated?
    for use in step.scope?.chain ?? [] {
      guard let flag = use.step["continue-on-error"], flag.boolean != false else { continue }
      let text = step.node["if"]?.text ?? ""
      guard !text.contains("failure(") else {
        throw Untranslatable("failure() in an action with continue-on-error", at: step.node["if"])
      }
      for other in job?.steps.prefix(while: { $0.node !== step.node || $0.scope !== step.scope })
        ?? []
      where other.scope?.chain.contains(where: { $0 === use }) == true {
        guard let id = other.id, !step.testsStatus || text.contains("success(") else { continue }
        let succeeded = Translated(
          text: "steps.\(id).result != 'failure'", kind: .boolean, precedence: 3)
        let goesOn = succeeded.or(try goesOn(after: other, in: use))
        whole = whole?.and(goesOn) ?? goesOn
      }
    }
    return whole
  }

  /// Returns the variables that the steps that use the action set.
  func environment(of scope: GitHubScope) throws(Untranslatable) -> [Draft.Item] {
    var items: [Draft.Item] = []
    for use in scope.chain {
      items += try GitHubEnvironment(file: file, names: outside(of: use)).items(use.step["env"])
    }
    return items
  }

  /// Adds the variables that the steps that use an action set, for the steps of the action.
  mutating func addVariables(of scope: GitHubScope) {
    for use in scope.chain {
      for pair in use.step["env"]?.pairs ?? [] {
        add(pair, scope: use.outer)
      }
    }
  }
}
