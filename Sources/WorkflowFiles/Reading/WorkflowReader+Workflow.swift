// Converts the YAML nodes of a workflow file to a workflow. WorkflowReader+Step reads single steps,
// and WorkflowReader+Checks validates the whole.

import WorkflowReading
import YAML

extension WorkflowReader {
  /// Reads a workflow from a document.
  ///
  /// - Throws: ``WorkflowError`` with all errors.
  mutating func workflow(
    from document: consuming Document, defaultName: String
  ) throws(WorkflowError) -> Workflow {
    var header: Header?
    usedFiles[readers[0].file] = ParsedFile(source: readers[0].source, document: copy document)
    if let root = root(of: document, file: 0).flatMap({ mainWorkflow(in: $0) }) {
      header = readWorkflow(root, defaultName)
    }
    // Free the YAML trees, which take the most memory and are not needed any more.
    _ = consume document
    usedFiles = [:]
    guard let header, let graph = checkedGraph(), errorCount == 0 else {
      throw WorkflowError(diagnostics: diagnostics, errorCount: errorCount)
    }
    warn(about: graph)
    let (outline, folded) = fans.isEmpty ? (header.outline, graph) : foldFans(header.outline)
    let keys = header.keys
    var workflow = Workflow(
      name: header.name, description: keys.description,
      file: readers[0].file.isEmpty ? nil : readers[0].file,
      shell: header.context.defaults.shell ?? .standard, timeout: keys.timeout,
      grace: header.context.defaults.grace, maxParallel: keys.maxParallel,
      concurrency: keys.concurrency, steps: steps, outline: outline, graph: folded)
    workflow.failsFast = keys.failFastCount != nil
    workflow.failFastCount = keys.failFastCount ?? 1
    workflow.order = keys.order
    workflow.durability = keys.durability
    workflow.keep = keys.keep
    workflow.store = keys.store
    workflow.onEnd = keys.onEnd
    workflow.triggers = keys.triggers
    workflow.condition = keys.condition
    workflow.parameters = header.parameters
    workflow.scopes = scopes
    workflow.groups = groups
    workflow.sources = usedSources
    workflow.groupNames = groupNames
    workflow.warnings = diagnostics
    return workflow
  }

  /// Returns the root of a document, and reports YAML errors.
  mutating func root(of document: Document, file: Int) -> Node? {
    readers[file].report(document.problems)
    warn(ofAnchorsIn: document, file)
    guard let root = document.root, !root.isNull else {
      if document.problems.isEmpty {
        readers[file].report(.emptyFile, at: Mark(line: 1, column: 1), length: 1)
      }
      return nil
    }
    return root
  }

  // MARK: Workflow

  /// What a file says of the workflow as a whole.
  private struct Header {
    let name: String
    let keys: Tables.WorkflowKeys
    let parameters: [Parameter]
    let context: Context
    let outline: Outline
  }

  /// Reads all keys, and collects the steps and the templates to check.
  private mutating func readWorkflow(_ root: Node, _ defaultName: String) -> Header? {
    guard let fields = readers[0].fields(of: root, Tables.workflow.keys) else { return nil }
    let parameters = fields["params"].map { readParameters($0, Context()) } ?? []
    var context = Context()
    addScope(Scope(workflow: defaultName))
    scopes[0].folder = SourceFiles.absoluteFolder(of: readers[0].file)
    scopes[0].trigger = arguments.allowsMissing ? nil : arguments.trigger
    scopes[0].arguments = arguments.allowsMissing ? nil : arguments.others
    bindArguments(parameters, fields["params"] ?? root)
    // Other keys can contain the name.
    let name = fields["name"].flatMap(\.text) ?? defaultName
    scopes[0].workflow = name
    let keys = Tables.workflow.read(fields, &self, context)
    readSettings(fields, &context)
    guard let steps = fields["steps"] else {
      guard fields.lacks("steps") else { return nil }
      readers[0].report(.missingSteps, at: root.mark, length: 1)
      return nil
    }
    let staysUp = keys.until != nil || arguments.staysUp
    let outline = readOutline(
      steps, fields["finally"], staysUp ? fields.key("until") ?? root : nil, &context)
    if let node = fields["workflows"] { readWorkflows(node) }
    if let outputs = fields["outputs"] { _ = readOutputs(outputs, of: "the workflow", context) }
    return Header(
      name: name, keys: keys, parameters: parameters, context: context, outline: outline)
  }

  /// Reads the steps, then what undoes them, then those under `finally`.
  ///
  /// A run that stays up has one more step, which uses all services, because it needs all steps, and ends
  /// with the run. The same is true of a run of services alone, which would have nothing to do.
  private mutating func readOutline(
    _ steps: Node, _ finally: Node?, _ staysUp: Node?, _ context: inout Context
  ) -> Outline {
    collectIDs(in: [steps, finally], scope: 0)
    var (outline, ends) = readList(steps, after: [], context)
    let isOnlyServices = !self.steps.isEmpty && self.steps.allSatisfy(\.action.isService)
    if let place = staysUp ?? (isOnlyServices ? steps : nil),
      let last = readItem(.untilStopped(at: place), after: ends, context).0
    {
      outline = .sequence([outline, last])
    }
    let undo = readUndos()
    if let undo { outline = .sequence([outline, undo.0]) }
    if let finally {
      context.isFinally = true
      let (after, _) = readList(finally, after: undo?.1 ?? [], context)
      outline = .sequence([outline, .group("finally", after)])
    }
    return outline
  }

  mutating func addScope(_ scope: Scope) {
    scopes.append(scope)
    places.append([:])
    stepIDs.append(StepIDs())
  }

  /// Reads the settings for all steps of a file into its scope and the context of its steps.
  mutating func readSettings(_ fields: Fields, _ context: inout Context) {
    let file = context.file
    if let node = fields["dotenv"] { scopes[context.scope].dotenv = readDotenv(node, context) }
    if let node = fields["secrets"] {
      scopes[context.scope].secrets = readSecrets(node, context)
    }
    if let node = fields["env"] {
      scopes[context.scope].environment = readEnvironment(
        node, .workflowEnvironment, context, draft: nil)
    }
    if let node = fields["dir"] {
      scopes[context.scope].directory = template(
        node, "dir", .workflowDirectory, context, draft: nil)
    }
    if let node = fields["runners"] { scopes[context.scope].runners = readRunners(node, context) }
    scopes[context.scope].pools = read("pools", of: fields, .pools, context) ?? [:]
    readRunner(fields["runner"], into: &context)
    context.defaults.shell = fields["shell"].flatMap { readers[file].shell($0) }
    context.defaults.grace = fields["grace"].flatMap {
      duration($0, "grace", context, allowsZero: true)
    }
    guard let defaults = read("defaults", of: fields, .map(Tables.defaults), context) else {
      return
    }
    context.defaults.timeout = defaults.timeout
    context.defaults.retry = defaults.retry
    context.defaults.continuesOnError = defaults.continuesOnError
    context.defaults.skipsDependents = defaults.skipsDependents
  }

  // MARK: Lists and groups

  /// Reads a list of steps, which run in order.
  ///
  /// - Parameters:
  ///   - node: The list.
  ///   - before: The needs of the first step.
  ///   - context: The inherited settings.
  /// - Returns: The outline, and the implicit needs of the next step.
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

  mutating func readItem(
    _ node: Node, after before: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    guard case .mapping(let pairs) = node.content else {
      readers[context.file].report(.stepNotAMap(found: node.kindName), at: node)
      return (nil, before)
    }
    // Fast path: most steps have the key `run`, and no group has it.
    guard Node.position(of: "run", in: pairs) == nil else {
      return readStep(node, after: before, context)
    }
    if Node.position(of: "parallel", in: pairs) != nil {
      return Self.isRepeated(pairs)
        ? readRepeated(node, .parallel, after: before, context)
        : readParallel(node, after: before, context)
    }
    if let renamed = misspelledParallel(node, pairs, context) {
      return readParallel(renamed, after: before, context)
    }
    guard Node.position(of: "steps", in: pairs) != nil else {
      return readStep(node, after: before, context)
    }
    return Self.isRepeated(pairs)
      ? readRepeated(node, .sequence, after: before, context)
      : readSequence(node, after: before, context)
  }

  /// Returns a group with a misspelled `parallel` key, corrected; nil if it is not a group.
  private mutating func misspelledParallel(
    _ node: Node, _ pairs: [Node.Pair], _ context: Context
  ) -> Node? {
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
    return group
  }

  private mutating func readParallel(
    _ node: Node, after before: [Need], _ context: Context
  ) -> (Outline?, [Need]) {
    guard let group = openGroup(node, .parallel, after: before, context) else {
      return (nil, before)
    }
    let (outline, ends) = readBranches(group)
    return finish(group, outline, ends, context)
  }
}

extension Node {
  /// The last step of a run that stays up, as it would be written.
  fileprivate static func untilStopped(at place: Node) -> Node {
    func text(_ text: String) -> Node {
      Node(content: .scalar(text, isPlain: true), mark: place.mark, length: 1)
    }
    func map(_ pairs: [(String, Node)]) -> Node {
      Node(
        content: .mapping(pairs.map { Pair(key: text($0.0), value: $0.1) }), mark: place.mark,
        length: 1)
    }
    return map([
      ("id", text(WorkflowReader.idOfStayingUp)), ("if", text("always()")),
      ("wait", map([("until", text(Tables.Moment.stopped))])),
    ])
  }
}
