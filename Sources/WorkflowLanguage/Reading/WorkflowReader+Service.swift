// Reads the keys of services: `ready`, `stop` and `restart`.

import YAML

extension WorkflowReader {
  /// The rule for `restart: on-failure`.
  private static let restart = Retry(
    limit: 5, delay: .seconds(1), backoff: .exponential, maxDelay: .seconds(30))

  /// Reads the rules of a service into a step, and reports keys that are not valid for it.
  @inline(never)
  mutating func readService(
    _ fields: Fields, of step: inout Workflow.Step, _ context: Context
  ) {
    let file = context.file
    guard step.action.isService else {
      for name in KeyTable.serviceKeys where fields["service"] == nil {
        // An unknown key may have been read as one that is spelled like it.
        guard let key = fields.key(name), key.says(name) else { continue }
        readers[file].report(.misplaced(.ofService(name)), at: key)
      }
      return
    }
    if step.extras.runner != nil {
      readers[file].report(
        .exclusive("runner", "service", in: "a step"),
        at: fields.key("runner") ?? fields.key("service") ?? fields.node)
    }
    if step.extras.approvalRule?.isAfter == true {
      readers[file].report(
        .exclusive("approval.after", "service", in: "a step"),
        at: fields.key("approval") ?? fields.node)
    }
    var rule = fields["ready"].flatMap { readReadiness($0, context) } ?? ServiceRule()
    if let node = fields["stop"], let number = readSignal(node, context) {
      rule.stopSignal = number
    }
    step.extras.service = rule
    // Defaults for attempts are not meant for what runs until it is stopped.
    step.timeout = nil
    step.retry = fields["restart"].flatMap { readRestart($0, context) }
  }

  private mutating func readReadiness(_ node: Node, _ context: Context) -> ServiceRule? {
    let file = context.file
    guard let fields = readers[file].fields(of: node, .readiness) else { return nil }
    var rule = ServiceRule()
    let probes = KeyTable.readiness.notBoth.filter { fields.key($0) != nil }
    if probes.count > 1 {
      let later = probes.compactMap(fields.key).max { $0.mark < $1.mark }
      readers[file].report(.exclusive(probes[0], probes[1], in: "ready"), at: later ?? node)
    }
    if let node = fields["run"] {
      rule.probe = readers[file].nonEmptyText(node, "run").map { .run($0) }
    } else if let node = fields["port"] {
      rule.probe = number(node, "port", upTo: 65_535, context).map { .port($0) }
    } else if let node = fields["http"] {
      rule.probe = readAddress(node, context)
    } else if let node = fields["line"] {
      rule.probe = text(node, "line", context).map { .line($0) }
    } else if let node = fields["report"] {
      if boolean(node, "report", context) == true { rule.probe = .report }
    } else if KeyTable.readiness.oneOf.allSatisfy(fields.lacks) {
      readers[file].report(.missing(.probe), at: node)
    }
    rule.interval =
      fields["every"].flatMap { duration($0, "every", context, allowsZero: false) }
      ?? rule.interval
    rule.timeout =
      fields["timeout"].flatMap { duration($0, "timeout", context, allowsZero: false) }
      ?? rule.timeout
    return rule
  }

  private mutating func readAddress(_ node: Node, _ context: Context) -> ServiceRule.Probe? {
    guard let text = text(node, "http", context) else { return nil }
    guard let address = HTTPAddress(text) else {
      readers[context.file].report(.notAnAddress(text), at: node)
      return nil
    }
    return .http(address)
  }

  private mutating func readSignal(_ node: Node, _ context: Context) -> Int32? {
    let signals = ServiceRule.signals
    var node = node
    if case .scalar(let text, let isPlain) = node.content, text.hasPrefix("SIG") {
      node.content = .scalar(String(text.dropFirst(3)), isPlain: isPlain)
    }
    let name = readers[context.file].choice(node, "stop", of: signals.map(\.name))
    return signals.first { $0.name == name }?.number
  }

  private mutating func readRestart(_ node: Node, _ context: Context) -> Retry? {
    guard case .scalar = node.content else { return readers[context.file].retry(node) }
    return readers[context.file].choice(node, "restart", of: ["on-failure"]).map { _ in
      Self.restart
    }
  }
}
