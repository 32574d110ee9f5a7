// The declaration of a step as lines of text, to compare two versions of a workflow.

import WorkflowReading

/// What a file declares for one step, including what the step inherits from the file.
///
/// Contains unevaluated expressions, and the values of the parameters that they name.
package struct StepDeclaration: Sendable, Equatable {
  /// The lines on which the result of the step depends: a finished step whose lines differ has
  /// changed.
  package var result: [String]
  /// The lines that only determine how the step runs, such as its timeout.
  package var settings: [String]
  /// The lines that mean nothing to an attempt in progress, such as its name.
  package var labels: [String]

  /// Creates a declaration; without arguments, that of a step that does not exist.
  package init(result: [String] = [], settings: [String] = [], labels: [String] = []) {
    self.result = result
    self.settings = settings
    self.labels = labels
  }
}

extension Workflow {
  /// Returns the declaration of a step.
  package func declaration(of step: Workflow.Step) -> StepDeclaration {
    StepDeclaration(
      result: resultLines(of: step), settings: settingLines(of: step), labels: labelLines(of: step))
  }

  private func labelLines(of step: Workflow.Step) -> [String] {
    let extras = step.extras
    let isInTolerant = groups(around: step).contains { groups[$0].continuesOnError }
    let lines: [String?] = [
      extras.name.map { "name: \($0)" },
      isInTolerant ? "continue-on-error of a group: true" : nil,
    ]
    return lines.compactMap(\.self) + Tables.lines(of: extras, .label)
  }

  private func resultLines(of step: Workflow.Step) -> [String] {
    let extras = step.extrasIfAny
    var lines = ["needs: [" + step.shownNeeds.joined(separator: ", ") + "]"]
    lines += step.action.kind.declared
    lines += declaredEnvironment(of: step).sorted { $0.key < $1.key }
      .map { "env: \($0.key)=\($0.value)" }
    let directory = declaredDirectories(of: step)
    if !directory.isEmpty { lines.append("dir: " + directory.joined(separator: "/")) }
    switch step.shell ?? shell {
    case .standard: break
    case .named(let name): lines.append("shell: \(name)")
    case .arguments(let words): lines.append("shell: \(words)")
    }
    if let runner = extras?.runner {
      let settings = runner.settings.sorted { $0.key < $1.key }
        .map { "\($0.key)=\($0.value.asText)" }
      lines.append("runner: \(runner.kind) " + settings.joined(separator: ", "))
    }
    lines += (extras?.conditions ?? []).map { "if: \($0.template.source)" }
    if let command = extras?.conditionCommand { lines.append("if: run: \(command.script)") }
    if let rule = extras?.repetition { lines.append("repeat: \(rule.shown)") }
    lines += (extras?.outputs ?? [:]).sorted { $0.key < $1.key }
      .map { "outputs: \($0.key)=\($0.value.source)" }
    if let item = extras?.bindings?.item { lines.append("item: \(item.asText)") }
    lines += (extras?.bindings?.matrix ?? [:]).sorted { $0.key < $1.key }
      .map { "matrix: \($0.key)=\($0.value.asText)" }
    return lines + valueLines(of: step)
  }

  private func settingLines(of step: Workflow.Step) -> [String] {
    let extras = step.extrasIfAny
    let kill = step.grace ?? grace
    var lines: [String?] = [
      step.timeout.map { "timeout: \($0.workflowText)" },
      kill.map { "grace: \($0.workflowText)" },
      extras?.approval.map { "approval: \($0)" },
      extras?.approvalRule.map { "approval: \($0.settings)" },
    ]
    if let extras { lines += Tables.lines(of: extras, .setting) }
    if let rule = extras?.repetition { lines += rule.settings }
    if let service = extras?.service {
      lines += Tables.ready.lines("ready", service)
      if let liveness = service.liveness { lines += Tables.alive.lines("alive", liveness) }
      lines.append("stop: \(service.stopSignal)")
    }
    if let retry = step.retry { lines += Tables.retry.lines("retry", retry) }
    if let cache = extras?.cache { lines += Tables.cache.lines("cache", cache) }
    return lines.compactMap(\.self)
  }

  /// Returns the values of the parameters, and the sources of the secrets, that a step names.
  private func valueLines(of step: Workflow.Step) -> [String] {
    let extras = step.extrasIfAny
    let scope = extras?.scope ?? 0
    // Dotenv files often contain secrets, so show a hash, which differs from process to process.
    var lines = Set(
      scopes[scope].dotenv.map { name, value in
        "dotenv: \(name), value #\(String(UInt(bitPattern: value.hashValue) % 0xFFFF, radix: 16))"
      })
    for template in templates(of: step) { addValues(of: template, scope, to: &lines) }
    for condition in extras?.conditions ?? [] {
      addValues(of: condition.template, condition.scope, to: &lines)
    }
    return lines.sorted()
  }

  private func addValues(of template: Template, _ scope: Int, to lines: inout Set<String>) {
    for (expression, _) in template.expressions {
      for (root, name) in expression.namedMembers {
        switch root {
        case .params:
          switch scopes[scope].parameters[name] {
          case .value(let value): lines.insert("params: \(name)=\(value.asText)")
          case .template(let argument, _):
            lines.insert("params: \(name)=\(argument.source)")
            if let parent = scopes[scope].parent { addValues(of: argument, parent, to: &lines) }
          case .open, nil: break
          }
        case .secrets:
          if let source = scopes[scope].secrets[name] { lines.insert("secrets: \(name)=\(source)") }
        default: break
        }
      }
    }
  }
}
