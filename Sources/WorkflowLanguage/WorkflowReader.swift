// Makes a workflow of the nodes of a file: keys to values, lists to needs. Tells every mistake.

import YAML

/// Reads one workflow file.
struct WorkflowReader {
  /// A step as it was read, with the places that messages about its needs point to.
  private struct Draft {
    var step: Step
    let idNode: Node
    var needNodes: [Node] = []
  }

  private var reader: Reader
  private var drafts: [Draft] = []
  private var firstPlaces: [String: Mark] = [:]

  init(file: String, source: SourceText) {
    reader = Reader(file: file, source: source)
  }

  /// Reads a document.
  ///
  /// - Throws: ``WorkflowError`` with every mistake.
  mutating func workflow(
    from document: Document, defaultName: String
  ) throws(WorkflowError) -> Workflow {
    for problem in document.problems {
      reader.tell(problem.message, at: problem.mark, length: problem.length, hint: problem.hint)
    }
    guard let root = document.root, !root.isNull else {
      if document.problems.isEmpty {
        reader.tell(
          "the file is empty", at: Mark(line: 1, column: 1), length: 1,
          hint: "a workflow needs at least: steps: [{ id: hello, run: echo hello }]")
      }
      throw WorkflowError(diagnostics: reader.sortedDiagnostics())
    }
    let workflow = readWorkflow(root, defaultName)
    guard reader.diagnostics.isEmpty, let workflow else {
      throw WorkflowError(diagnostics: reader.sortedDiagnostics())
    }
    return workflow
  }

  private mutating func readWorkflow(_ root: Node, _ defaultName: String) -> Workflow? {
    guard let values = reader.values(of: root, .workflow) else { return nil }
    let name = values["name"].flatMap { reader.nonEmptyText($0.value, "name") }
    let description = values["description"].flatMap { reader.text($0.value, "description") }
    let environment = values["env"].map { reader.environment($0.value) }
    let directory = values["dir"].flatMap { reader.nonEmptyText($0.value, "dir") }
    let shell = values["shell"].flatMap { readShell($0.value) }
    let timeout = values["timeout"].flatMap {
      reader.duration($0.value, "timeout", allowsZero: false)
    }
    let grace = values["grace"].flatMap { reader.duration($0.value, "grace", allowsZero: true) }
    let maxParallel = values["max-parallel"].flatMap {
      reader.number($0.value, "max-parallel", from: 1)
    }
    let concurrency = values["concurrency"].flatMap { reader.concurrency($0.value) }
    guard let steps = values["steps"] else {
      reader.tell("a workflow needs \"steps\"", at: root.mark, length: 1)
      return nil
    }
    let (outline, _) = readList(steps.value, after: [])
    checkGraph()
    guard reader.diagnostics.isEmpty else { return nil }
    do {
      return try Workflow(
        name: name ?? defaultName, description: description, file: reader.file,
        environment: environment ?? [:], directory: directory, shell: shell ?? .standard,
        timeout: timeout, grace: grace, maxParallel: maxParallel, concurrency: concurrency,
        steps: drafts.map(\.step),
        outline: outline)
    } catch {
      preconditionFailure("BUG: the graph was checked, and yet: \(error)")
    }
  }

  // MARK: Lists and groups

  /// Reads steps that run in order.
  ///
  /// - Parameters:
  ///   - node: The list.
  ///   - before: The ids that the first of them needs.
  /// - Returns: Their outline, and the ids that whatever follows needs.
  private mutating func readList(_ node: Node, after before: [String]) -> (Outline, [String]) {
    guard let nodes = reader.list(node, of: "a list of steps is") else {
      return (.sequence([]), before)
    }
    if nodes.isEmpty { reader.tell("there is no step in this list", at: node) }
    var ends = before
    var items: [Outline] = []
    for item in nodes {
      let (outline, newEnds) = readItem(item, after: ends)
      if let outline { items.append(outline) }
      ends = newEnds
    }
    return (.sequence(items), ends)
  }

  private mutating func readItem(_ node: Node, after before: [String]) -> (Outline?, [String]) {
    guard case .mapping(let pairs) = node.content else {
      reader.tell(
        "a step is a map with \"id\" and \"run\", not \(node.kindName)", at: node,
        hint: "write it like: { id: hello, run: echo hello }")
      return (nil, before)
    }
    let names = Set(pairs.compactMap(\.key.text))
    if names.contains("parallel") { return readParallel(node, pairs, after: before) }
    if names.contains("steps") {
      guard let steps = reader.values(of: node, .sequence)?["steps"] else { return (nil, before) }
      let (outline, ends) = readList(steps.value, after: before)
      return (outline, ends)
    }
    return readStep(node, after: before)
  }

  private mutating func readParallel(
    _ node: Node, _ pairs: [(key: Node, value: Node)], after before: [String]
  ) -> (Outline?, [String]) {
    for pair in pairs where pair.key.text == "needs" {
      reader.tell(
        "a parallel group has no \"needs\" of its own", at: pair.key,
        hint: "give it to the steps in the group")
    }
    let others = pairs.filter { !["parallel", "needs"].contains($0.key.text) }
    for pair in others {
      reader.tell(
        "a parallel group has no key \"\(pair.key.text ?? "")\"", at: pair.key,
        hint: "give it to the steps in the group")
    }
    guard let branches = pairs.first(where: { $0.key.text == "parallel" })?.value,
      let nodes = reader.list(branches, of: "a list of branches is")
    else { return (nil, before) }
    if nodes.isEmpty { reader.tell("there is no branch in this group", at: branches) }
    var outlines: [Outline] = []
    var ends: [String] = []
    for branch in nodes {
      let (outline, branchEnds) = readItem(branch, after: before)
      if let outline { outlines.append(outline) }
      ends += branchEnds.filter { !ends.contains($0) }
    }
    return (.parallel(outlines), ends)
  }

  // MARK: One step

  private mutating func readStep(_ node: Node, after before: [String]) -> (Outline?, [String]) {
    guard let values = reader.values(of: node, .step) else { return (nil, before) }
    let needNodes = values["needs"].map { readNeeds($0.value) }
    let id = readID(values["id"]?.value, of: node)
    let action = readAction(values, of: node)
    let environment = values["env"].map { reader.environment($0.value) }
    let directory = values["dir"].flatMap { reader.nonEmptyText($0.value, "dir") }
    let shell = values["shell"].flatMap { readShell($0.value) }
    let timeout = values["timeout"].flatMap {
      reader.duration($0.value, "timeout", allowsZero: false)
    }
    let grace = values["grace"].flatMap { reader.duration($0.value, "grace", allowsZero: true) }
    let retry = values["retry"].flatMap { reader.retry($0.value) }
    guard let id else { return (nil, before) }
    let position = drafts.count
    drafts.append(
      Draft(
        step: Step(
          id: id, needs: needNodes?.compactMap(\.text) ?? before, action: action ?? .run(""),
          environment: environment ?? [:], directory: directory, shell: shell, timeout: timeout,
          grace: grace, retry: retry, line: node.mark.line),
        idNode: values["id"]?.value ?? node, needNodes: needNodes ?? []))
    return (.step(StepIndex(position)), [id])
  }

  private mutating func readID(_ node: Node?, of step: Node) -> String? {
    guard let node else {
      reader.tell(
        "a step needs an \"id\"", at: step.mark, length: 1, hint: "add one, such as: id: build")
      return nil
    }
    guard let id = reader.text(node, "id") else { return nil }
    guard isStepID(id) else {
      reader.tell(
        "\"\(id)\" cannot be an id", at: node,
        hint: "use at most 64 letters, digits, _ and -, beginning with a letter or digit")
      return nil
    }
    if let first = firstPlaces[id] {
      reader.tell(
        "there is a step \"\(id)\" already, at line \(first.line)", at: node,
        hint: "ids must differ")
      return nil
    }
    firstPlaces[id] = node.mark
    return id
  }

  private func isStepID(_ id: String) -> Bool {
    let isRight = id.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || byte == 0x5F || byte == 0x2D
    }
    return isRight && (1...64).contains(id.utf8.count) && !id.hasPrefix("_") && !id.hasPrefix("-")
  }

  private mutating func readNeeds(_ node: Node) -> [Node] {
    if case .scalar = node.content {
      return reader.nonEmptyText(node, "needs") == nil ? [] : [node]
    }
    guard let nodes = reader.list(node, of: "an id or a list of ids is") else { return [] }
    var seen: Set<String> = []
    return nodes.filter { need in
      guard let id = reader.nonEmptyText(need, "needs") else { return false }
      if !seen.insert(id).inserted {
        reader.tell("\"\(id)\" is needed already", at: need, hint: "name it once")
        return false
      }
      return true
    }
  }

  private mutating func readAction(
    _ values: [String: (key: Node, value: Node)], of step: Node
  ) -> Action? {
    switch (values["run"], values["exec"]) {
    case (let run?, let exec?):
      let later = max(run.key.mark, exec.key.mark)
      reader.tell("a step has either \"run\" or \"exec\", not both", at: later, length: 3)
      return nil
    case (let run?, nil):
      return readScript(run.value).map(Action.run)
    case (nil, let exec?):
      guard let words = reader.texts(exec.value, "an argument") else { return nil }
      guard let program = words.first, !program.isEmpty else {
        reader.tell("exec names no program", at: exec.value, hint: "write it like: [git, status]")
        return nil
      }
      return .exec(words)
    case (nil, nil):
      reader.tell(
        "this step does nothing", at: step.mark, length: 1,
        hint: "add \"run\" with a script, or \"exec\" with a program and its arguments")
      return nil
    }
  }

  private mutating func readScript(_ node: Node) -> String? {
    if let text = node.text, text.contains("${{") {
      reader.tell(
        "a value is never pasted into a script, where it could become code", at: node,
        hint: "bind it in env, as in: env: { VALUE: … }, and write \"$VALUE\" in the script")
      return nil
    }
    return reader.nonEmptyText(node, "run")
  }

  private mutating func readShell(_ node: Node) -> Shell? {
    if case .sequence = node.content {
      guard let words = reader.texts(node, "a part of shell") else { return nil }
      guard let program = words.first, !program.isEmpty else {
        reader.tell("shell names no program", at: node, hint: "write it like: [bash, -eu, -c]")
        return nil
      }
      return .arguments(words)
    }
    return reader.nonEmptyText(node, "shell").map(Shell.named)
  }

  // MARK: The graph

  private mutating func checkGraph() {
    let ids = Set(drafts.map(\.step.id))
    var isWhole = true
    for draft in drafts {
      for node in draft.needNodes {
        let need = node.text ?? ""
        if need == draft.step.id {
          reader.tell("step \"\(need)\" needs itself", at: node, hint: "remove it")
          isWhole = false
        } else if !ids.contains(need) {
          let near = nearest(to: need, among: drafts.map(\.step.id))
          reader.tell(
            "step \"\(draft.step.id)\" needs \"\(need)\", which does not exist", at: node,
            hint: near.map { "did you mean \"\($0)\"?" })
          isWhole = false
        }
      }
    }
    guard isWhole else { return }
    do throws(GraphError) {
      _ = try Graph(ids: drafts.map(\.step.id), needs: drafts.map(\.step.needs))
    } catch {
      guard case .cycle(let cycle) = error else { return }
      let place = drafts.first { $0.step.id == cycle.first }
      let node = place?.needNodes.first { $0.text == cycle[1 % cycle.count] } ?? place?.idNode
      if let node {
        reader.tell(error.description, at: node, hint: "one of them must not need the next")
      }
    }
  }
}
