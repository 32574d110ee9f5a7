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
        for key in ["description", "deprecationMessage"] { input[key]?.accept() }
        _ = input["required"]?.boolean
        let known = StepNames.identifier(name)
        var parameter = Parameter(
          name: known, kind: .text,
          fallback: input["default"].map { .text($0.number ?? $0.text ?? "") },
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
    place = node
    let names = node.isMap ? node.pairs.compactMap(\.key.text) : node.texts
    let others = names.filter { !["schedule", "workflow_dispatch", "workflow_call"].contains($0) }
    if !others.isEmpty {
      remark(.note, "on: \(others.joined(separator: ", ")): start the run, or a watch, yourself")
    }
    // The events themselves are in the remark, with what they are limited to.
    for name in others { node[name]?.accept() }
    let declared = node["workflow_call"]
    declared?["secrets"]?.accept()
    if let outputs = declared?["outputs"]?.accept() {
      let names = outputs.pairs.compactMap(\.key.text).joined(separator: ", ")
      remark(
        .note, "on: workflow_call: outputs: \(names): left out: write \"outputs\" for its callers",
        at: outputs)
    }
    let schedules = (node["schedule"]?.elements ?? []).compactMap { element -> Draft.Item? in
      guard let cron = element["cron"]?.text, (try? CronExpression(cron)) != nil else {
        remark(.missing, "schedule: \(element["cron"]?.text ?? "it has no cron")", at: element)
        return nil
      }
      return Draft.Item(
        "", .map([Draft.Item("cron", .text(cron)), Draft.Item("time-zone", .text("UTC"))]))
    }
    guard let first = schedules.first else { return nil }
    let needed = parameters.filter(\.isRequired).map { "-p \($0.name)=…" }.joined(separator: " ")
    remark(
      .note,
      "schedule: needs a \"reprise watch\" that runs"
        + (needed.isEmpty ? "" : ", with values for all its runs: \(needed)"), at: node["schedule"])
    return .map([Draft.Item("schedule", schedules.count == 1 ? first.value : .list(schedules))])
  }

  /// Returns the concurrency group of the workflow.
  func concurrency() -> Draft? {
    guard let node = root["concurrency"] else { return nil }
    place = node
    let cancel = node["cancel-in-progress"]
    let restarts = cancel?.boolean
    do throws(Untranslatable) {
      guard let group = node.text ?? node["group"]?.text else {
        throw Untranslatable("it has no group")
      }
      var names = GitHubNames(file: self)
      names.isGroup = true
      let text = try ExpressionTranslator(names: names).template(group)
      guard !text.contains("run.id") else {
        remark(
          .note, "concurrency: \(group): each run has a group of its own, or that of its branch")
        return nil
      }
      if let cancel, restarts == nil {
        remark(
          .note, "cancel-in-progress: \(cancel.text ?? ""): a run waits until the earlier one ends")
      }
      return .map([
        Draft.Item("group", .text(text)),
        Draft.Item("policy", .text(restarts == true ? "restart" : "queue")),
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
    return .map(
      secrets.map {
        // GitHub has the empty text for a secret that is not set.
        Draft.Item(
          $0, .map([Draft.Item("env", .text($0)), Draft.Item("required", .word("false"))]))
      })
  }
}

extension GitHubFile {
  /// Whether the event that a run has by default belongs to a tag.
  var startsOnTag: Bool {
    let push = root["on"]?["push"]
    return eventName == "release"
      || eventName == "push" && (push?["branches"] ?? push?["branches-ignore"]) == nil
        && !hasBranch("push")
  }

  /// Whether `github.ref` has no default value: that is a branch, which not every event has.
  ///
  /// - Parameter isValue: Whether it is used as a value, not only in a comparison.
  /// - Returns: Whether the event that a run has by default has no branch, or, for a value, another
  ///   one has always a tag.
  func needsRef(asValue isValue: Bool) -> Bool {
    !hasBranch(eventName)
      || isValue && events.contains { !hasBranch($0) && !$0.hasPrefix("pull_request") }
  }

  /// Whether an event can belong to the branch that is the default.
  private func hasBranch(_ event: String) -> Bool {
    switch event {
    case "release", "create", "delete", "merge_group", "registry_package": return false
    case "pull_request", "pull_request_review", "pull_request_review_comment": return false
    case "push":
      let push = root["on"]?["push"]
      let isForTags = (push?["tags"] ?? push?["tags-ignore"]) != nil
      guard let branches = push?["branches"]?.texts else {
        return !isForTags || push?["branches-ignore"] != nil
      }
      return branches.contains { name in
        ["*", "**"].contains(name) || !name.contains { "*?[!+".contains($0) }
      }
    default: return true
    }
  }
}
