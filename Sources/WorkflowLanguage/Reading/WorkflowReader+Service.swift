// Reads the keys of services: `ready`, `stop` and `restart`.

import YAML

extension WorkflowReader {
  /// The keys of a step that only services have.
  static let serviceKeys = ["ready", "stop", "restart"]

  /// Reads the rules of a service into a step, and reports keys that are not valid for it.
  @inline(never)
  mutating func readService(
    _ fields: Fields, of step: inout Workflow.Step, _ context: Context
  ) {
    let file = context.file
    guard step.action.isService else {
      for name in Self.serviceKeys where fields["service"] == nil {
        // An unknown key may have been read as one that is spelled like it.
        guard let key = fields.key(name), key.says(name) else { continue }
        readers[file].report(.keyOfService(name), at: key)
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
    var rule = read("ready", of: fields, .map(Tables.ready), context) ?? ServiceRule()
    rule.stopSignal = read("stop", of: fields, .signal, context) ?? rule.stopSignal
    step.extras.service = rule
    // Defaults for attempts are not meant for what runs until it is stopped.
    step.timeout = nil
    step.retry = read("restart", of: fields, .restart, context)
  }
}
