// The keys of a workflow.

import WorkflowReading
import YAML

extension Tables {
  /// The settings of a workflow as a whole.
  struct WorkflowKeys: Sendable {
    var name: String?
    var description: String?
    var condition: WorkflowCondition?
    var timeout: Duration?
    var maxParallel: Int?
    /// The number of failures that cancels the other steps.
    var failFastCount: Int?
    var order = StepOrder.file
    var concurrency: Concurrency?
    var durability: Durability?
    var keep: Retention?
    var store: SharedStoreRule?
    var onEnd: EndCommand?
    /// Whether the run goes on until it is stopped: the word `stopped`.
    var until: String?
    /// Whether the workflow runs if none is named; ``WorkflowText/namings`` says which names it has.
    var isDefault = false
    var aliases: [String] = []
    var triggers: Triggers?
  }

  /// A key that is read before or after the settings, or that used files have, too.
  private static func other(
    _ name: String, _ shape: Shape, _ summary: String, isRequired: Bool = false
  ) -> Field<WorkflowKeys> {
    Field(Key(name, shape, summary, isRequired: isRequired)) { _, _, _, _ in }
  }

  static let workflow = Table(
    "a workflow", WorkflowKeys(),
    advice: [
      "jobs": "did you mean \"steps\"? GitHub Actions are translated by: reprise import FILE",
      "tasks": "did you mean \"steps\"? A Taskfile is translated by: reprise import FILE",
      "schedule": "write it like on: { schedule: { cron: \"0 5 * * *\" } }",
      "container": KeyTable.noContainers, "image": KeyTable.noContainers,
      "services": KeyTable.noServices,
    ],
    [
      Field("name", \.name, .workflowName, "the name of the workflow"),
      Field("description", \.description, .anyText, "the purpose of the workflow"),
      other("params", Form<[Parameter]>.parameters.shape, "parameters of a run"),
      other("env", KeyTable.environment, "environment variables for every step"),
      other(
        "dotenv",
        .either([
          .text, .map(dotenv.keys), .list(.either([.text, .map(dotenv.keys)]), minimum: 0),
        ]),
        "files with environment variables"),
      other(
        "secrets", .named(.identifier, .map(secret.keys)), "values that are never shown or stored"),
      other(
        "runners", .named(.identifier, .runnerKind),
        "places where steps run, by name: each with its kind and settings"),
      other("runner", KeyTable.runner, "where steps run, if not as processes on this machine"),
      other("dir", .template, "the directory in which steps run"),
      other("shell", KeyTable.shell, "the shell that runs scripts"),
      Field(
        "if", \.condition, .ofWorkflow, "the condition for the run: an expression, or a command"),
      Field(
        "timeout", \.timeout, .duration.computed, "the maximum duration of one generation of a run"),
      other("grace", .computed(.duration), "the time between SIGTERM and SIGKILL for a step"),
      Field(
        "max-parallel", \.maxParallel, .count.computed,
        "the maximum number of steps that run at once"),
      Field(
        "fail-fast", \.failFastCount, .failFast,
        "whether the first failure, or this number of failures, cancels the other steps"),
      Field(
        "order", \.order, .choice, "which of the ready steps of equal priority starts first"),
      Field(
        "concurrency", \.concurrency, .map(concurrency),
        "the runs that must not overlap with this one"),
      other(
        "pools", Form<[String: Int]>.pools.shape,
        "pools that all runs of the project share, by name, with their sizes"),
      Field(
        "durability", \.durability, .choice,
        "which crash the record of a successful step survives"),
      Field(
        "keep", \.keep, .map(keep), "which ended runs are kept, and how much of their output"),
      Field("store", \.store, .map(store), "where results of steps are shared with other machines"),
      Field("on-end", \.onEnd, .endCommand, "a command that runs after the end of a run"),
      Field(
        "until", \.until, .word(of: [Moment.stopped]),
        "stopped: services stay up until the run is stopped"),
      Field("default", \.isDefault, .boolean, "whether reprise run without a name means this one"),
      Field("aliases", \.aliases, .texts("an alias", minimum: 0), "other names for commands"),
      Field("on", \.triggers, .triggers, "the triggers that start runs in watch mode"),
      other("defaults", .map(defaults.keys), "default settings of steps"),
      other("steps", .steps, "the steps, in order", isRequired: true),
      other("finally", .steps, "steps that run last, even if the run failed or was cancelled"),
      other(
        "outputs", .named(.identifier, .template), "values for a workflow that uses this one"),
      other(
        "workflows", .named(.identifier, .either([.script, .steps, .workflow])),
        "further workflows by name, which steps use with uses: \"#NAME\""),
    ])
}

extension Form where Content == String {
  fileprivate static let workflowName = Form(
    .text, read: { $2.readers[$1.context.file].name($0) }, write: { .text($0) })
}

extension Form where Content == WorkflowCondition {
  /// `if` of a workflow.
  fileprivate static let ofWorkflow = Form(
    .either([.condition, .map(Tables.condition.keys)]),
    read: { $2.readWorkflowCondition($0, $1.context) })
}

extension Form where Content == Int {
  /// `fail-fast`: a number of failures, or whether the first one counts.
  static let failFast = Form(
    .either([.computed(.boolean), .whole(1...Int(Int32.max))]),
    read: { $2.readFailFast($0, $1.context) })
}

extension Form where Content == EndCommand {
  fileprivate static let endCommand = Form(
    .either([.script, .list(.text, minimum: 1)]),
    read: { $2.readers[$1.context.file].endCommand($0) })
}

extension Form where Content == Triggers {
  fileprivate static let triggers = Form(
    .map(Tables.triggers.keys), read: { $2.readTriggers($0, $1.context) })
}
