// Parses `params`, `secrets`, `shell`, `concurrency` and `retry`.

import YAML

extension Reader {
  /// The maximum length of a workflow name in bytes, since each run records and shows it.
  static let nameBytesMax = 256

  /// Parses the name of a workflow.
  mutating func name(_ node: Node) -> String? {
    guard let name = nonEmptyText(node, "name") else { return nil }
    guard name.utf8.count <= Self.nameBytesMax else {
      report(.longName(bytes: name.utf8.count), at: node)
      return nil
    }
    return name
  }

  /// Parses `params`.
  mutating func parameters(_ node: Node) -> [Parameter] {
    named(node, "params", .identifier).compactMap { name, _, value in parameter(name, value) }
  }

  private mutating func scalarParameter(_ name: String, _ node: Node) -> Parameter? {
    if node.isNull { return Parameter(name: name) }
    // A scalar is a default value, which also determines the type.
    guard text(node, "the default of \"\(name)\"") != nil else { return nil }
    let value = Value(node)
    let kind: Parameter.Kind =
      switch value {
      case .boolean: .boolean
      case .number, .digits: value.asText == node.text ? .number : .string
      default: .string
      }
    return Parameter(
      name: name, kind: kind, defaultValue: kind == .string ? .text(node.text ?? "") : value)
  }

  private mutating func parameter(_ name: String, _ node: Node) -> Parameter? {
    if case .scalar = node.content { return scalarParameter(name, node) }
    if case .sequence = node.content {
      return structure(node).map { Parameter(name: name, kind: .list, defaultValue: $0) }
    }
    guard let fields = fields(of: node, .parameter) else { return nil }
    guard let kind = parameterKind(name, fields) else { return nil }
    var parameter = Parameter(
      name: name, kind: kind,
      description: fields["description"].flatMap { text($0, "description") })
    let isRequired = fields["required"].flatMap { boolean($0, "required") }
    parameter.limits = parameterLimits(name, kind, fields)
    if let node = fields["default"], let written = defaultText(node, kind) {
      if isRequired == true {
        report(.requiredWithDefault, at: fields.key("default") ?? node)
      }
      do throws(ParameterError) {
        parameter.defaultValue = try parameter.value(of: written)
      } catch {
        report(error.kind, at: node)
      }
    } else if isRequired == false {
      if kind == .string {
        parameter.defaultValue = .text("")
      } else {
        report(.optionalWithoutDefault(name), at: fields.key("required") ?? node)
      }
    }
    return parameter
  }

  private mutating func parameterKind(_ name: String, _ fields: Fields) -> Parameter.Kind? {
    let options = fields["options"].flatMap { texts($0, "an option") }
    let kind: String
    if let node = fields["type"] {
      guard let text = typeName(node) else { return nil }
      kind = text
    } else {
      kind = fields["options"] == nil ? "string" : "choice"
    }
    guard kind == "choice" else {
      if let key = fields.key("options") {
        report(.misplaced(.options), at: key)
      }
      let kinds: [Parameter.Kind] = [.string, .number, .boolean, .integer, .list, .map]
      return kinds.first { $0.name == kind } ?? .string
    }
    guard let node = fields["options"] else {
      guard fields.lacks("options") else { return nil }
      report(.missing(.options(of: name)), at: fields.node)
      return nil
    }
    guard let options else { return nil }
    guard !options.isEmpty else {
      report(.emptyList(of: "option", .unsearched), at: node)
      return nil
    }
    return .choice(options)
  }

  /// Parses `secrets`.
  mutating func secrets(_ node: Node) -> [String: SecretSource] {
    var secrets: [String: SecretSource] = [:]
    for (name, key, value) in named(node, "secrets", .identifier) {
      guard case .mapping = value.content else {
        report(.secretValue(name), at: value)
        continue
      }
      guard let fields = fields(of: value, .secret) else { continue }
      let given = ["env", "file", "command"].filter { fields[$0] != nil }
      guard given.count == 1 else {
        guard !given.isEmpty || ["env", "file", "command"].allSatisfy(fields.lacks) else {
          continue
        }
        report(.secretSource(name), at: given.isEmpty ? value : key)
        continue
      }
      if let node = fields["env"] {
        secrets[name] = nonEmptyText(node, "env").map(SecretSource.environment)
      } else if let node = fields["file"] {
        secrets[name] = nonEmptyText(node, "file").map(SecretSource.file)
      } else if let node = fields["command"], let words = texts(node, "a word") {
        if words.first?.isEmpty != false {
          report(.noProgram("command", example: "[pass, token]"), at: node)
        } else {
          secrets[name] = .command(words)
        }
      }
    }
    return secrets
  }

  /// Parses `shell`.
  mutating func shell(_ node: Node) -> Shell? {
    if case .sequence = node.content {
      guard let words = texts(node, "a part of shell") else { return nil }
      guard let program = words.first, !program.isEmpty else {
        var place = node
        if case .sequence(let nodes) = node.content, let first = nodes.first { place = first }
        report(.noProgram("shell", example: "[bash, -eu, -c]"), at: place)
        return nil
      }
      return .arguments(words)
    }
    return nonEmptyText(node, "shell").map(Shell.named)
  }
}

extension Reader {
  /// Parses `concurrency`.
  mutating func concurrency(_ node: Node) -> Concurrency? {
    guard let values = fields(of: node, .concurrency) else { return nil }
    let policies = Concurrency.Policy.allCases.map(\.rawValue)
    guard let groupNode = values["group"], let policyNode = values["policy"] else {
      guard values.lacks("group") || values.lacks("policy") else { return nil }
      report(.missing(.groupAndPolicy), at: node)
      return nil
    }
    let group = nonEmptyText(groupNode, "group")
    guard
      let policy = choice(policyNode, "policy", of: policies).flatMap(
        Concurrency.Policy.init(rawValue:))
    else { return nil }
    let limit = values["limit"].flatMap { number($0, "limit", from: 1) } ?? 1
    if let key = values.key("limit"), policy != .queue {
      report(.misplaced(.limitOfGroup), at: key)
    }
    return group.map { Concurrency(group: $0, policy: policy, limit: limit) }
  }
}

extension Reader {
  /// Parses `retry`, a number or a map.
  mutating func retry(_ node: Node) -> Retry? {
    if case .scalar = node.content {
      return number(node, "retry", from: 1).map { Retry(limit: $0) }
    }
    guard let fields = self.fields(of: node, .retry) else { return nil }
    if fields.lacks("limit") {
      report(.missing(.limit), at: node)
    }
    // Parse the other keys even if the limit is invalid, to report all errors at once.
    var retry = Retry(limit: fields["limit"].flatMap { number($0, "limit", from: 1) } ?? 1)
    if let node = fields["delay"] {
      retry.delay = durationText(node, "delay", allowsZero: true) ?? retry.delay
    }
    if let node = fields["backoff"] { retry.backoff = backoff(node) ?? retry.backoff }
    if let node = fields["factor"] {
      retry.factor = decimal(node, "factor", 1...1000) ?? retry.factor
      if retry.backoff != .exponential, fields["backoff"] == nil || retry.backoff != .constant {
        report(.misplaced(.factor), at: node)
      }
    }
    if let node = fields["max-delay"] {
      retry.maxDelay = durationText(node, "max-delay", allowsZero: false)
    }
    if let node = fields["jitter"] {
      retry.jitter = decimal(node, "jitter", 0...1) ?? retry.jitter
    }
    if let node = fields["on"] { retry.statuses = statuses(node) }
    return retry
  }

  private mutating func durationText(_ node: Node, _ what: String, allowsZero: Bool) -> Duration? {
    guard let text = text(node, what) else { return nil }
    return duration(text, node, what, allowsZero: allowsZero)
  }

  private mutating func backoff(_ node: Node) -> Retry.Backoff? {
    choice(node, "backoff", of: Retry.Backoff.allCases.map(\.rawValue))
      .flatMap(Retry.Backoff.init(rawValue:))
  }

  private mutating func statuses(_ node: Node) -> Set<Int>? {
    let found: [Node]?
    if case .scalar = node.content {
      found = [node]
    } else {
      found = list(node, of: "an exit status or a list of exit statuses")
    }
    guard let nodes = found else { return nil }
    var statuses: Set<Int> = []
    for node in nodes {
      guard let status = number(node, "an exit status", from: 1) else { continue }
      if status > 255 {
        report(.aboveMaximum("an exit status", 255), at: node)
      }
      statuses.insert(status)
    }
    if nodes.isEmpty { report(.emptyList(of: "exit status", .unsearched), at: node) }
    return statuses
  }
}
