// Translates a workflow to a Python file for Apache Airflow.

import Schedules
import WorkflowFiles

/// The translation to Apache Airflow.
struct AirflowExport {
  private let steps: ExportedSteps
  private(set) var refusals: RefusalList
  /// The ids of the tasks, by position of the step.
  private let names: [String]
  private let values: PythonValues

  private var workflow: Workflow { steps.workflow }

  init(_ steps: ExportedSteps, _ refusals: RefusalList) {
    self.steps = steps
    self.refusals = refusals
    names = steps.names(allowing: "-_.", taken: [Self.outcomeName])
    values = PythonValues(names: names)
  }

  /// The Python file; refuses what Airflow cannot express.
  mutating func text() -> String {
    let settings = dagSettings()
    var dag = ["with DAG("] + settings.map { "    \($0)," } + ["):", "    steps = {}"]
    for step in steps.all { dag += task(for: step) }
    dag += (steps.all.flatMap(self.dependencies) + outcome).map { "    " + $0 }
    let parts =
      [AirflowRuntime.beginning, AirflowRuntime.run, AirflowRuntime.step, AirflowRuntime.files]
      + AirflowFunction.all(usedBy: dag).map(\.text) + [dag.joined(separator: "\n")]
    return parts.joined(separator: "\n\n\n")
  }

  // MARK: The DAG

  private mutating func dagSettings() -> [String] {
    var settings = [
      "dag_id=" + pythonText(safeName(workflow.name, allowing: "-_.", upTo: 200)),
      "dag_display_name=" + pythonText(workflow.name),
    ]
    if let description = workflow.description {
      settings.append("description=" + pythonText(description))
    }
    settings += schedule()
    if let limit = steps.maxParallel { settings.append("max_active_tasks=\(limit)") }
    if let timeout = workflow.timeout {
      settings.append("dagrun_timeout=" + pythonDuration(timeout))
      if !steps.finally.isEmpty {
        refuse("timeout", "Airflow would not run the steps under finally after that time")
      }
    }
    if workflow.failsFast {
      settings.append("fail_fast=True")
      if steps.all.contains(where: { $0.canBeSkipped || $0.ignoresResults }) {
        refuse(
          "fail-fast", "Airflow cannot combine it with if, continue-on-error or needs that are over"
        )
      }
      if !steps.finally.isEmpty {
        refuse("fail-fast", "Airflow cannot combine it with steps under finally")
      }
    }
    if let policy = workflow.concurrency?.policy, policy != .parallel {
      refuse("concurrency", "Airflow has no groups of runs of several DAGs")
    }
    return settings
  }

  private mutating func refuse(_ key: String, _ reason: String) {
    refusals.add(.workflow, key, reason)
  }

  /// Returns the settings for when runs start; without triggers, only on demand.
  private mutating func schedule() -> [String] {
    guard let triggers = workflow.triggers else { return ["schedule=None"] }
    for source in triggers.sources where !(source is ScheduleTrigger) {
      let name = Triggers.key(of: source) ?? "trigger"
      refuse("on.\(name)", "Airflow starts runs by a schedule or on demand only")
    }
    if triggers.whenBusy != .queue {
      refuse("on.when-busy", "in the file for Airflow, a run waits for the one before it")
    }
    if triggers.restartsAffected { refuse("on.restart-from", "Airflow runs all steps") }
    if triggers.debounce != nil { refuse("on.debounce", "Airflow does not wait before a run") }
    if triggers.buffer != EventBuffer() { refuse("on.buffer", "Airflow has no queue of events") }
    guard let schedule = triggers.schedules.first else { return [] }
    if triggers.schedules.count > 1 { refuse("on.schedule", "only one schedule can be exported") }
    if !schedule.catchesUp {
      refuse("on.schedule.missed", "Airflow makes up for missed times with one run")
    }
    guard case .cron(let cron, let zone) = schedule.times else {
      refuse("on.schedule.every", "only cron can be exported")
      return []
    }
    guard let zone else {
      refuse("on.schedule.time-zone", "without it, the time depends on the machine")
      return []
    }
    guard let fields = airflowFields(of: cron.text) else {
      refuse(
        "on.schedule.cron", "Airflow treats days differently if a field of them begins with */")
      return []
    }
    return [
      "schedule=CronTriggerTimetable(\(pythonText(fields)), timezone=\(pythonText(zone)))",
      "catchup=False", "max_active_runs=1",
    ]
  }

  /// Returns a cron expression as Airflow reads it; nil if Airflow reads it differently.
  private func airflowFields(of text: String) -> String? {
    switch text.lowercased() {
    case "@hourly": return "0 * * * *"
    case "@daily", "@midnight": return "0 0 * * *"
    case "@weekly": return "0 0 * * 0"
    case "@monthly": return "0 0 1 * *"
    case "@yearly", "@annually": return "0 0 1 1 *"
    default: break
    }
    let fields = text.split { $0 == " " || $0 == "\t" }.map(String.init)
    guard fields.count == 5 else { return nil }
    let days = [fields[2], fields[4]]
    if !days.contains("*"), days.contains(where: { $0.hasPrefix("*") }) { return nil }
    return fields.joined(separator: " ")
  }

  // MARK: Tasks

  private mutating func task(for step: ExportedSteps.Step) -> [String] {
    var arguments = [
      "task_id=" + pythonText(names[step.index.position]),
      "task_display_name=" + pythonText(step.step.id),
    ]
    var comment: [String] = []
    if step.neverRuns, let source = step.conditions.first?.source {
      comment = [printable("    # It never runs: \(source) is false.")]
      arguments += ["command=[]", "condition=lambda run: False", "retries=0"]
    } else {
      refuseKeys(of: step)
      arguments += work(of: step) + retrySettings(of: step)
      if let timeout = step.step.timeout {
        arguments.append("execution_timeout=" + pythonDuration(timeout))
      }
    }
    if !step.isFinally {
      if step.ignoresResults {
        arguments.append("trigger_rule=\"all_done\"")
      } else if steps.needs(of: step).contains(where: \.canBeSkipped) {
        arguments.append("trigger_rule=\"none_failed\"")
      }
    }
    return comment + ["    \(variable(step)) = Step("] + arguments.map { "        \($0)," }
      + ["    )"]
  }

  /// Returns the arguments for what a step does.
  private func work(of step: ExportedSteps.Step) -> [String] {
    var arguments = commandLines(of: step)
    func map(_ pairs: [(name: String, value: ExportedValue)], _ write: (ExportedValue) -> String)
      -> String
    {
      let items = pairs.map { "\(pythonText($0.name)): \(write($0.value))" }
      let line = "{\(items.joined(separator: ", "))}"
      guard line.unicodeScalars.count > 80 else { return line }
      return "{\n" + items.map { "            \($0),\n" }.joined() + "        }"
    }
    if !step.environment.isEmpty {
      arguments.append("variables=" + map(step.environment, values.argument))
    }
    if !step.directories.isEmpty {
      let folders = step.directories.map(values.argument).joined(separator: ", ")
      arguments.append("folder=[\(folders)]")
    }
    if let condition = condition(of: step) { arguments.append("condition=" + condition) }
    if !step.outputs.isEmpty {
      arguments.append("computed=" + map(step.outputs, values.function))
    }
    if step.extras?.continuesOnError == true { arguments.append("continues=True") }
    if let grace = step.step.grace ?? workflow.grace {
      arguments.append("grace=" + pythonDuration(grace))
    }
    return arguments
  }

  /// Returns the condition of a step, with how a run ends for a step under `finally`.
  private func condition(of step: ExportedSteps.Step) -> String? {
    var conditions = step.conditions.map(\.value)
    if let endings = step.extras?.finally, endings.contains(.success) != endings.contains(.failure)
    {
      let ending = endings.contains(.success) ? RunEnding.success : .failure
      conditions.insert(.binary(.equal, .ending, .constant(.text(ending.rawValue))), at: 0)
    }
    return conditions.isEmpty ? nil : values.condition(conditions)
  }

  private func variable(_ step: ExportedSteps.Step) -> String {
    "steps[\(pythonText(names[step.index.position]))]"
  }

  /// The variables that the operator sets.
  private static let variables: Set = [
    "REPRISE_RUN_ID", "REPRISE_STEP_ID", "REPRISE_OUTPUT", "REPRISE_ATTEMPT", "REPRISE_PROGRESS",
  ]

  private mutating func refuseKeys(of step: ExportedSteps.Step) {
    let subject = step.subject
    for (name, key) in step.variables where !Self.variables.contains(name) {
      refusals.add(subject, key, "only Reprise sets \(name)")
    }
    guard let extras = step.extras else { return }
    if step.step.action.form == .approval {
      refusals.add(subject, "approval", "the operator of the file does not wait for an approval")
    }
    if let runner = extras.runner {
      refusals.add(
        subject, runner.kind == "survive" ? "survive" : "runner",
        "the operator of the file runs programs on the worker itself")
    }
    if extras.mutex != nil {
      refusals.add(subject, "mutex", "Airflow needs a pool, which a file cannot define")
    }
    if extras.finally == [.cancelled] {
      refusals.add(subject, "when", "a run that is stopped has failed in Airflow")
    }
  }

  /// Returns the command as an argument, with a long last word on lines of its own.
  private func commandLines(of step: ExportedSteps.Step) -> [String] {
    let words = step.command ?? []
    let last = words.last?.constant?.asText ?? ""
    var lines = last.unicodeScalars.split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
    guard lines.count > 1 else {
      return ["command=[\(words.map(values.argument).joined(separator: ", "))]"]
    }
    for position in lines.indices.dropLast() { lines[position] += "\n" }
    if lines.last == "" { lines.removeLast() }
    let quoted = words.dropLast().map { values.argument($0) + "," } + lines.map(pythonText)
    // Adjacent strings are one string in Python.
    let inner = quoted.map { "            \($0)\n" }.joined()
    return ["command=[\n\(inner)        ]"]
  }

  private mutating func retrySettings(of step: ExportedSteps.Step) -> [String] {
    guard let retry = step.step.retry else { return ["retries=0"] }
    let subject = step.subject
    var settings = ["retries=\(retry.limit)", "retry_delay=" + pythonDuration(retry.delay)]
    if let failures = retry.failures {
      let statuses = failures.statuses
      if statuses.count < failures.count {
        refusals.add(
          subject, "retry.for", "Airflow does not say what has ended a step from outside")
      }
      let list = statuses.map(String.init).joined(separator: ", ")
      settings.append("retry_for=[\(list)]")
    }
    if retry.jitter > 0 {
      refusals.add(subject, "retry.jitter", "Airflow has no setting for random delays")
    }
    if retry.backoff == .linear, retry.limit > 1 {
      refusals.add(subject, "retry.backoff", "delays in Airflow do not grow by addition")
    }
    if retry.backoff == .exponential {
      settings.append("retry_exponential_backoff=\(retry.factor)")
    }
    if let limit = retry.maxDelay { settings.append("max_retry_delay=" + pythonDuration(limit)) }
    return settings
  }

  /// A last task that fails if a step has failed; without it, Airflow would ignore the failures of
  /// steps under `finally`, and those after which a step runs with any result.
  private var outcome: [String] {
    let ignored = Set(
      steps.main.filter(\.ignoresResults).flatMap { steps.needs(of: $0).map(\.index) })
    guard !steps.finally.isEmpty || !ignored.isEmpty else { return [] }
    let ends = Set(steps.ends.map(\.index))
    let last =
      steps.main.filter { ends.contains($0.index) || ignored.contains($0.index) }
      + steps.finally.filter { $0.extras?.continuesOnError != true }
    return [
      "outcome = EmptyOperator(task_id=\"\(Self.outcomeName)\", trigger_rule=\"none_failed\")",
      "[\(last.map(variable).joined(separator: ", "))] >> outcome",
    ]
  }

  private static let outcomeName = "outcome"

  /// Returns the lines that say after which tasks a task runs.
  private func dependencies(of step: ExportedSteps.Step) -> [String] {
    let needs = steps.needs(of: step)
    // A first step under `finally` comes after everything else.
    let before = needs.isEmpty && step.isFinally ? steps.ends : needs
    // A teardown runs after every ending, even if the run is marked as failed by hand.
    let lines = step.isFinally ? ["\(variable(step)).as_teardown()"] : []
    guard !before.isEmpty else { return lines }
    let list = before.map(variable).joined(separator: ", ")
    return lines + ["[\(list)] >> \(variable(step))"]
  }
}
