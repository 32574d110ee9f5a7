// What starts before the steps of a job: its services, and the step that decides whether it runs.

import YAML

extension GitHubJob {
  /// Whether all of its machines have Windows.
  var isForWindows: Bool {
    let labels = (node["runs-on"]?.texts ?? []).joined(separator: " ").lowercased()
    return labels.contains("windows") && !labels.contains("${{")
  }
}

extension GitHubJobWriter {
  /// Returns the services of the job.
  func services(_ condition: JobCondition) -> [Draft.Item] {
    var items: [Draft.Item] = []
    for service in job.services {
      file.line = job.node["services"]?.mark.line ?? file.line
      do throws(Untranslatable) {
        let needs = file.lastSteps(neededBy: job)
        let text = condition.value.flatMap { $0.truth == true ? nil : $0.text }
        let names = GitHubNames(file: file, job: job.isMatrixGroup ? job : nil)
        items.append(try service.step(needs: needs, condition: text, names: names))
        file.remark(.note, "services: run in docker")
        if job.hasDynamicMatrix {
          file.remark(.note, "job \(job.id): all combinations use the same services")
        } else if job.isMatrixGroup {
          file.remark(
            .note, "job \(job.id): one combination at a time, because of the ports of its services")
        }
      } catch {
        file.remark(.missing, "job \(job.id): service \(service.name): \(error.reason)")
        job.services.removeAll { $0.id == service.id }
      }
    }
    return items
  }

  /// Returns the step that decides whether the job runs.
  func start(_ condition: JobCondition) -> Draft.Item? {
    guard let id = job.startID else { return nil }
    let needs = file.lastSteps(neededBy: job) + job.services.map(\.id)
    var items = [Draft.Item("id", .text(id)), Draft.Item("needs", .texts(needs))]
    if let value = condition.value, value.truth != true {
      items.append(Draft.Item("if", .text(value.text)))
    }
    items.append(Draft.Item("if-skipped", .text("skip")))
    items.append(Draft.Item("run", .text("true")))
    return Draft.Item("", .map(items))
  }

  /// Returns the step that fails if a step before it has failed.
  func end() -> Draft.Item? {
    guard let id = job.endID else { return nil }
    var items = [Draft.Item("id", .text(id))]
    if let needs = needs(ofStepAt: job.steps.count) {
      items.append(Draft.Item("needs", .texts(needs)))
    }
    items.append(Draft.Item("run", .text("true")))
    return Draft.Item("", .map(items))
  }

  /// Returns the group of the steps, with the settings of the job.
  func group(_ steps: [Draft.Item], matrix: [Draft.Item], runner: Draft?) -> [Draft.Item] {
    var group: [Draft.Item] = []
    if !job.groupID.isEmpty { group.append(Draft.Item("id", .text(job.groupID))) }
    if file.jobs.count > 1, let name = job.node["name"]?.text?.label, name != job.groupID {
      group.append(Draft.Item("name", .text(name)))
    }
    if job.isMatrixGroup { group += matrix }
    if let timeout = job.node["timeout-minutes"]?.minutes {
      group.append(Draft.Item("timeout", .text(timeout)))
    }
    if job.node["continue-on-error"]?.boolean == true {
      group.append(Draft.Item("continue-on-error", .word("true")))
    }
    if let runner { group.append(Draft.Item("runner", runner)) }
    if let environment = GitHubEnvironment(file: file, names: GitHubNames(file: file, job: job))
      .draft(job.node["container"]?["env"]?.pairs ?? [])
    {
      group.append(Draft.Item("env", environment))
    }
    return group + [Draft.Item("steps", .list(steps))]
  }
}

extension Node {
  /// A number of minutes as a duration.
  var minutes: String? {
    guard isNumber, let minutes = Double(text ?? ""), minutes > 0, minutes < 1e6 else { return nil }
    return minutes == minutes.rounded() ? "\(Int(minutes))m" : "\(Int(minutes * 60))s"
  }
}
