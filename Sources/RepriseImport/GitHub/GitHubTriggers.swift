// Events and inputs of a workflow of GitHub Actions: triggers, parameters and concurrency here.

import Schedules
import YAML

extension GitHubFile {
  /// Adds the inputs of the workflow as parameters.
  func readInputs() {
    guard let events = root["on"], events.isMap else { return }
    for event in ["workflow_dispatch", "workflow_call"] {
      for pair in events[event]?["inputs"]?.pairs ?? [] {
        guard let name = pair.key.text else { continue }
        let input = pair.value
        let known = StepNames.identifier(name)
        var parameter = Parameter(
          name: known, kind: .text, fallback: input["default"].map { .text($0.text ?? "") },
          description: input["description"]?.text)
        switch input["type"]?.text {
        case "boolean":
          parameter.kind = .boolean
          parameter.fallback = .word(input["default"]?.boolean == true ? "true" : "false")
        case "number" where input["default"]?.isNumber != false:
          parameter.kind = .number
          parameter.fallback = .word(input["default"]?.text ?? "0")
        case "choice":
          parameter.options = (input["options"]?.texts ?? []).map(Draft.text)
          if parameter.fallback == nil { parameter.fallback = parameter.options.first }
        default: break
        }
        parameter.isRequired = input["required"]?.boolean == true && input["default"] == nil
        if !parameter.isRequired, parameter.fallback == nil { parameter.fallback = .text("") }
        self.parameter(parameter)
      }
    }
  }

  /// Returns the triggers; nil if `reprise watch` has none of them.
  func triggers() -> Draft? {
    guard let node = root["on"] else { return nil }
    line = node.mark.line
    let names = node.isMap ? node.pairs.compactMap(\.key.text) : node.texts
    let others = names.filter { !["schedule", "workflow_dispatch", "workflow_call"].contains($0) }
    if !others.isEmpty {
      remark(.note, "on: \(others.joined(separator: ", ")): start the run, or a watch, yourself")
    }
    let schedules = (node["schedule"]?.elements ?? []).compactMap { element -> Draft.Item? in
      guard let cron = element["cron"]?.text, (try? CronExpression(cron)) != nil else {
        return nil
      }
      return Draft.Item(
        "", .map([Draft.Item("cron", .text(cron)), Draft.Item("time-zone", .text("UTC"))]))
    }
    guard let first = schedules.first else { return nil }
    remark(.note, "schedule: needs a \"reprise watch\" that runs")
    return .map([Draft.Item("schedule", schedules.count == 1 ? first.value : .list(schedules))])
  }

  /// Returns the concurrency group of the workflow.
  func concurrency() -> Draft? {
    guard let node = root["concurrency"] else { return nil }
    line = node.mark.line
    guard let group = node.text ?? node["group"]?.text else { return nil }
    do throws(Untranslatable) {
      let text = try ExpressionTranslator(names: GitHubNames(file: self)).template(group)
      let restarts = node["cancel-in-progress"].map { $0.boolean ?? true } ?? false
      return .map([
        Draft.Item("group", .text(text)),
        Draft.Item("policy", .text(restarts ? "restart" : "queue")),
      ])
    } catch {
      remark(.missing, "concurrency: \(error.reason)")
      return nil
    }
  }

  /// Returns the parameters, which are known when everything else has been translated.
  func parametersDraft() -> Draft? {
    guard !parameters.isEmpty else { return nil }
    return .map(
      parameters.map { parameter in
        var draft: [Draft.Item] = []
        switch parameter.kind {
        case .boolean: draft.append(Draft.Item("type", .text("boolean")))
        case .number: draft.append(Draft.Item("type", .text("number")))
        case .text, .null, .unknown: break
        }
        if !parameter.options.isEmpty {
          draft.append(Draft.Item("options", .list(parameter.options.map { Draft.Item("", $0) })))
        }
        if let fallback = parameter.fallback, !parameter.isRequired {
          draft.append(Draft.Item("default", fallback))
        }
        if let description = parameter.description {
          draft.append(Draft.Item("description", .text(description)))
        }
        return Draft.Item(parameter.name, .map(draft))
      })
  }

  /// Returns the secrets.
  func secretsDraft() -> Draft? {
    guard !secrets.isEmpty else { return nil }
    return .map(secrets.map { Draft.Item($0, .map([Draft.Item("env", .text($0))])) })
  }
}
