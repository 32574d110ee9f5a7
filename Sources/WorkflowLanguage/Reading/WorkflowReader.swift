// Makes a workflow of the nodes of its files: keys to values, lists to needs. Tells every mistake. Single
// steps are read in WorkflowReader+Step, what is checked of the whole in WorkflowReader+Checks.

import YAML

/// Reads one workflow file, with those that it uses.
struct WorkflowReader {
  /// What a step needs, as it was read.
  enum Need: Equatable {
    /// A step of the graph, by its position.
    case step(Int)
    /// A name that a file gives, by its position in `needNames`.
    case name(Int)
  }

  /// A name under `needs`.
  struct NeedName {
    let text: String
    /// Where it stands.
    let mark: Mark
    let length: Int
    let scope: Int
    let file: Int
  }

  /// The step that a file gives an id to.
  struct Place {
    /// Where the id stands.
    let mark: Mark
    /// The position of the step, if it is one step and could be read; another one's or none if not.
    let step: Int
  }

  /// What a step needs as it was read, with the place that messages about it point to.
  struct Draft {
    var needs: [Need]
    let file: Int
    /// Where its id stands.
    let mark: Mark
    let length: Int
  }

  /// Something with expressions in it, to be checked once all steps are known.
  struct Check {
    let template: Template
    let node: Node
    let place: ExpressionPlace
    let file: Int
    let scope: Int
    let bindings: Bindings?
    /// The position of the step whose needs have to cover what is referred to.
    let draft: Int?
  }

  let sources: SourceFiles
  let arguments: Arguments
  /// One for each file that takes part; a file that is used twice has two.
  var readers: [Reader]
  /// The steps that were read, and what each was read from.
  var steps: [Workflow.Step] = []
  var drafts: [Draft] = []
  var scopes: [Scope] = []
  var checks: [Check] = []
  /// The names under `needs`, as `Need.name` counts them.
  var needNames: [NeedName] = []
  /// Where ids were first given, by scope.
  var places: [[String: Place]] = []
  var usedSources: [String: String] = [:]
  /// The ids of the steps under `finally`.
  var finallyIDs: Set<String> = []
  /// How much the expressions may still make that are computed while the file is read.
  let budget = EvaluationBudget()
  var knownPatterns = KnownPatterns()
  /// How many keys and values the steps have that are made of others.
  var valuesOfMany = 0
  /// How many bytes the files have that are used, each as often as it is.
  var usedBytes = 0
  /// How many bytes the files under `dotenv` have.
  var dotenvBytes = 0
  /// What may be called; nil where that is not known.
  let actions: ActionCatalog?
  /// The closures of a workflow that is declared in Swift: its text calls them by number, as `#0`.
  var works: [InProcessWork] = []

  init(
    file: String, source: SourceText, sources: SourceFiles, arguments: Arguments,
    actions: ActionCatalog?
  ) {
    self.sources = sources
    self.arguments = arguments
    self.actions = actions
    readers = [Reader(file: file, source: source)]
  }

  var mistakeCount: Int { readers.reduce(0) { $0 + $1.mistakeCount } }

  /// All that was told, file by file.
  private var diagnostics: [Diagnostic] {
    var seen: [Diagnostic] = []
    for reader in readers {
      for diagnostic in reader.sortedDiagnostics() where !seen.contains(diagnostic) {
        seen.append(diagnostic)
      }
    }
    return seen
  }

  /// Reads a document.
  ///
  /// - Throws: ``WorkflowError`` with every mistake.
  mutating func workflow(
    from document: consuming Document, defaultName: String
  ) throws(WorkflowError) -> Workflow {
    var header: Header?
    if let root = root(of: document, file: 0) {
      header = readWorkflow(root, defaultName)
    }
    // The tree takes more room than anything, and all that is needed of it has been taken.
    _ = consume document
    guard let header, let graph = checkedGraph(), mistakeCount == 0 else {
      throw WorkflowError(diagnostics: diagnostics, mistakeCount: mistakeCount)
    }
    warn(about: graph)
    var workflow = Workflow(
      name: header.name, description: header.description,
      file: readers[0].file.isEmpty ? nil : readers[0].file,
      shell: header.context.defaults.shell ?? .standard, timeout: header.timeout,
      grace: header.context.defaults.grace, maxParallel: header.maxParallel,
      concurrency: header.concurrency, steps: steps, outline: header.outline, graph: graph)
    workflow.failsFast = header.failsFast ?? false
    workflow.durability = header.durability
    workflow.triggers = header.triggers
    workflow.parameters = header.parameters
    workflow.scopes = scopes
    workflow.sources = usedSources
    workflow.warnings = diagnostics
    return workflow
  }

  /// The root of a document; what is wrong with it as YAML is told.
  mutating func root(of document: Document, file: Int) -> Node? {
    readers[file].report(document.problems)
    guard let root = document.root, !root.isNull else {
      if document.problems.isEmpty {
        readers[file].report(.emptyFile, at: Mark(line: 1, column: 1), length: 1)
      }
      return nil
    }
    return root
  }

  // MARK: The whole

  /// What a file says of the workflow as a whole.
  private struct Header {
    let name: String
    let description: String?
    let timeout: Duration?
    let maxParallel: Int?
    let failsFast: Bool?
    let concurrency: Concurrency?
    let durability: Durability?
    let triggers: Triggers?
    let parameters: [Parameter]
    let context: Context
    let outline: Outline
  }

  /// Reads all keys; the steps are noted, with what has to be checked once all of them are known.
  private mutating func readWorkflow(_ root: Node, _ defaultName: String) -> Header? {
    guard let fields = readers[0].fields(of: root, .workflow) else { return nil }
    let parameters = fields["params"].map { readers[0].parameters($0) } ?? []
    var context = Context()
    addScope(Scope(workflow: defaultName))
    scopes[0].trigger = arguments.leavesOpen ? nil : arguments.trigger
    bindArguments(parameters, fields["params"] ?? root)
    let name = fields["name"].flatMap { readers[0].name($0) } ?? defaultName
    scopes[0].workflow = name
    let description = fields["description"].flatMap { readers[0].text($0, "description") }
    let timeout = fields["timeout"].flatMap {
      duration($0, "timeout", context, allowsZero: false)
    }
    let maxParallel = fields["max-parallel"].flatMap { number($0, "max-parallel", context) }
    let failsFast = fields["fail-fast"].flatMap { boolean($0, "fail-fast", context) }
    let concurrency = fields["concurrency"].flatMap { readConcurrency($0, context) }
    let durability: Durability? = choice(fields["durability"], "durability")
    let triggers = fields["on"].flatMap { readTriggers($0, context) }
    readSettings(fields, &context)
    guard let steps = fields["steps"] else {
      guard fields.lacks("steps") else { return nil }
      readers[0].report(.missing(.steps), at: root.mark, length: 1)
      return nil
    }
    var (outline, _) = readList(steps, after: [], context)
    if let finally = fields["finally"] {
      context.isFinally = true
      let (after, _) = readList(finally, after: [], context)
      outline = .sequence([outline, .group("finally", after)])
    }
    if let outputs = fields["outputs"] { _ = readOutputs(outputs, of: "the workflow", context) }
    return Header(
      name: name, description: description, timeout: timeout, maxParallel: maxParallel,
      failsFast: failsFast, concurrency: concurrency, durability: durability, triggers: triggers,
      parameters: parameters, context: context, outline: outline)
  }

  mutating func addScope(_ scope: Scope) {
    scopes.append(scope)
    places.append([:])
  }

  /// Reads what a file says for all of its steps into its scope and the context of its steps.
  mutating func readSettings(_ fields: Fields, _ context: inout Context) {
    let file = context.file
    if let node = fields["dotenv"] { scopes[context.scope].dotenv = readDotenv(node, context) }
    if let node = fields["secrets"] {
      scopes[context.scope].secrets = readers[file].secrets(node)
    }
    if let node = fields["env"] {
      scopes[context.scope].environment = readEnvironment(
        node, .workflowEnvironment, context, draft: nil)
    }
    if let node = fields["dir"] {
      scopes[context.scope].directory = template(
        node, "dir", .workflowDirectory, context, draft: nil)
    }
    context.defaults.shell = fields["shell"].flatMap { readers[file].shell($0) }
    context.defaults.grace = fields["grace"].flatMap {
      duration($0, "grace", context, allowsZero: true)
    }
    guard let node = fields["defaults"], let defaults = readers[file].fields(of: node, .defaults)
    else { return }
    context.defaults.timeout = defaults["timeout"].flatMap {
      duration($0, "timeout", context, allowsZero: false)
    }
    context.defaults.retry = defaults["retry"].flatMap { readers[file].retry($0) }
    context.defaults.continuesOnError =
      defaults["continue-on-error"].flatMap { boolean($0, "continue-on-error", context) } ?? false
  }

  // MARK: Lists and groups

  /// Reads steps that run in order.
  ///
  /// - Parameters:
  ///   - node: The list.
  ///   - before: What the first of them needs.
  ///   - context: What holds for them.
  /// - Returns: Their outline, and what whatever follows needs.
  mutating func readList(
    _ node: Node, after before: [Need], _ context: Context
  ) -> (Outline, [Need]) {
    guard let nodes = readers[context.file].list(node, of: "a list of steps") else {
      return (.sequence([]), before)
    }
    if nodes.isEmpty { readers[context.file].report(.emptyList(of: "step", .unsearched), at: node) }
    if drafts.isEmpty {
      drafts.reserveCapacity(nodes.count)
      steps.reserveCapacity(nodes.count)
      places[context.scope].reserveCapacity(nodes.count)
      needNames.reserveCapacity(nodes.count)
    }
    var ends = before
    var items: [Outline] = []
    items.reserveCapacity(nodes.count)
    for item in nodes {
      let (outline, newEnds) = readItem(item, after: ends, context)
      if let outline { items.append(outline) }
      ends = newEnds
    }
    return (.sequence(items), ends)
  }

  private mutating func readItem(
    _ node: Node, after before: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    guard case .mapping(let pairs) = node.content else {
      readers[context.file].report(.stepNotAMap(found: node.kindName), at: node)
      return (nil, before)
    }
    // A step begins with its id, mostly: then it is not looked at twice.
    let isStep = Node.position(of: "id", in: pairs) == 0
    if !isStep, Node.position(of: "parallel", in: pairs) != nil {
      return readParallel(node, pairs, after: before, context)
    }
    if !isStep, let (renamed, pairs) = misspeltParallel(node, pairs, context) {
      return readParallel(renamed, pairs, after: before, context)
    }
    if !isStep, Node.position(of: "steps", in: pairs) != nil {
      guard let steps = readers[context.file].fields(of: node, .sequence)?["steps"] else {
        return (nil, before)
      }
      let (outline, ends) = readList(steps, after: before, context)
      return (outline, ends)
    }
    return readStep(node, after: before, context)
  }

  /// A group whose key `parallel` is misspelt, with the right key; nil where it is none.
  private mutating func misspeltParallel(
    _ node: Node, _ pairs: [Node.Pair], _ context: Context
  ) -> (Node, [Node.Pair])? {
    guard pairs.count == 1, let name = pairs[0].key.text, !KeyTable.step.has(name),
      case .sequence = pairs[0].value.content, nearest(to: name, among: ["parallel"]) != nil
    else { return nil }
    readers[context.file].report(
      .unknownKey(name, in: KeyTable.step.place, advice: nil, .nearest("parallel")),
      at: pairs[0].key)
    var renamed = pairs
    renamed[0].key.content = .scalar("parallel", isPlain: true)
    var group = node
    group.content = .mapping(renamed)
    return (group, renamed)
  }

  private mutating func readParallel(
    _ node: Node, _ pairs: [Node.Pair], after before: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    for pair in pairs where pair.key.text != "parallel" {
      readers[context.file].report(.groupKey(pair.key.text ?? ""), at: pair.key)
    }
    guard let branches = pairs.first(where: { $0.key.text == "parallel" })?.value,
      let nodes = readers[context.file].list(branches, of: "a list of branches")
    else { return (nil, before) }
    if nodes.isEmpty {
      readers[context.file].report(.emptyGroup, at: branches)
    }
    var outlines: [Outline] = []
    var ends: [Need] = []
    var areBefore: Bool?
    for branch in nodes {
      let (outline, branchEnds) = readItem(branch, after: before, context)
      if let outline { outlines.append(outline) }
      // A branch that could not be read ends where it began; only once.
      let isBefore = branchEnds == before
      if !(isBefore && areBefore == true) { ends += branchEnds }
      areBefore = isBefore || areBefore == true
    }
    return (.parallel(outlines), ends)
  }
}
