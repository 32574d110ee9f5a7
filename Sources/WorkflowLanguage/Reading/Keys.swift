// The keys of the workflow language, one table per kind of map. Validation, suggestions and the
// JSON schema use these tables.

import YAML

extension KeyTable {
  private static let noContainers =
    "did you mean \"runner\"? A step runs in a container with: "
    + "runner: { container: { image: node:20 } }"
  private static let noServices =
    "did you mean a step of its own? Write it like: "
    + "{ id: db, service: ./postgres, ready: { port: 5432 } }"
  static let environment = Shape.named(.variable, .template)
  static let runner = Shape.either([.template, .runnerKind])
  static let shell = Shape.either([.text, .list(.text, minimum: 1)])

  static let workflow = KeyTable(
    place: "a workflow",
    advice: [
      "jobs": "did you mean \"steps\"? GitHub Actions are translated by: reprise import FILE",
      "tasks": "did you mean \"steps\"? A Taskfile is translated by: reprise import FILE",
      "schedule": "write it like on: { schedule: { cron: \"0 5 * * *\" } }",
      "container": Self.noContainers, "image": Self.noContainers, "services": Self.noServices,
    ],
    keys: [
      Key("name", .text, "the name of the workflow"),
      Key("description", .text, "the purpose of the workflow"),
      Key(
        "params",
        .named(
          .identifier, .either([.map(Tables.parameter.keys), .text, .list(.anything, minimum: 0)])),
        "parameters of a run"),
      Key("env", environment, "environment variables for every step"),
      Key(
        "dotenv", .either([.text, .list(.either([.text, .map(Tables.dotenv.keys)]), minimum: 0)]),
        "files with environment variables"),
      Key(
        "secrets", .named(.identifier, .map(Tables.secret.keys)),
        "values that are never shown or stored"),
      Key(
        "runners", .named(.identifier, .runnerKind),
        "places where steps run, by name: each with its kind and settings"),
      Key("runner", runner, "where steps run, if not as processes on this machine"),
      Key("dir", .template, "the directory in which steps run"),
      Key("shell", shell, "the shell that runs scripts"),
      Key(
        "if", .either([.condition, .map(Tables.condition.keys)]),
        "the condition for the run: an expression, or a command"),
      Key("timeout", .computed(.duration), "the maximum duration of one generation of a run"),
      Key("grace", .computed(.duration), "the time between SIGTERM and SIGKILL for a step"),
      Key(
        "max-parallel", .computed(.whole(1...Int(Int32.max))),
        "the maximum number of steps that run at once"),
      Key(
        "fail-fast", .either([.computed(.boolean), .whole(1...Int(Int32.max))]),
        "whether the first failure, or this number of failures, cancels the other steps"),
      Key(
        "order", .choice(StepOrder.allCases.map(\.rawValue)),
        "which of the ready steps of equal priority starts first"),
      Key(
        "concurrency", .map(Tables.concurrency.keys), "the runs that must not overlap with this one"
      ),
      Key(
        "pools", Form<[String: Int]>.pools.shape,
        "pools that all runs of the project share, by name, with their sizes"),
      Key(
        "durability", .choice(Durability.allCases.map(\.rawValue)),
        "which crash the record of a successful step survives"),
      Key(
        "keep", .map(Tables.keep.keys), "which ended runs are kept, and how much of their output"),
      Key(
        "on-end", .either([.script, .list(.text, minimum: 1)]),
        "a command that runs after the end of a run"),
      Key("on", .map(Tables.triggers.keys), "the triggers that start runs in watch mode"),
      Key("defaults", .map(Tables.defaults.keys), "default settings of steps"),
      Key("steps", .steps, "the steps, in order", isRequired: true),
      Key("finally", .steps, "steps that run last, even if the run failed or was cancelled"),
      Key(
        "outputs", .named(.identifier, .template), "values for a workflow that uses this one"),
      Key(
        "workflows", .named(.identifier, .workflow),
        "further workflows by name, which steps use with uses: \"#NAME\""),
    ])

  /// The keys of the step kinds.
  private static let kinds = Workflow.Step.kinds.map {
    Key($0.name, $0.shape, $0.summary, excludedBy: ["uses"])
  }

  static let step = KeyTable(
    place: "a step", oneOf: kinds.map(\.name) + ["uses", "approval"],
    notBoth: kinds.map(\.name) + ["uses"],
    advice: [
      "container": Self.noContainers, "image": Self.noContainers, "services": Self.noServices,
      "parallel": "a step has no branches: write - parallel: […] without \"run\"",
      "steps": "a step has no steps: write - steps: […] without \"run\"",
    ],
    keys: [
      Key("id", .stepID, "the name of the step for commands, needs and expressions"),
      Key("name", .template, "the name of the step in displays", .extras),
      Key(
        "needs",
        .either([.stepID, .list(.stepID, minimum: 0), .needsByResult]),
        "the steps that must finish first, with the expected result of each if written as a map"
      ),
      Key(
        "if", .either([.condition, .map(Tables.condition.keys)]),
        "the condition for the step to run: an expression, or a command", .extras),
      Key(
        "if-skipped", .choice(["run", "skip"]),
        "whether the steps that need it run or are skipped, too, when its condition is false",
        .extras, excludedBy: ["uses"]),
    ] + kinds + [
      Key("uses", .text, "another workflow file, whose steps replace this step", .settings),
      Key(
        "with", .named(.identifier, .anything), "arguments for the action or the other workflow",
        .settings),
      Key(
        "approval", .either([.template, .map(Tables.approval.keys)]),
        "the question that must be approved",
        .extras,
        excludedBy: ["uses"]),
      Key(
        "env", environment, "environment variables for this step", .environment),
      Key("dir", .template, "the directory in which it runs", .settings),
      Key(
        "shell", shell, "the shell that runs its script", .settings,
        excludedBy: ["approval"]),
      Key(
        "timeout", .computed(.duration),
        "the maximum duration of an attempt, or of the wait of a step that only waits for approval",
        .settings),
      Key(
        "retry", Form<Retry>.retry.shape,
        "when it is retried after a failure", .settings, excludedBy: ["approval"]),
      Key(
        "repeat", .map(Tables.roundsOfStep.keys), "until when it runs again after a success",
        .extras,
        excludedBy: ["uses", "approval"]),
      Key(
        "grace", .computed(.duration), "the time between SIGTERM and SIGKILL", .settings,
        excludedBy: ["uses", "approval"]),
      Key(
        "continue-on-error", .computed(.boolean), "whether the run continues if it fails", .extras),
      Key(
        "mutex", .template, "a name; steps with the same mutex never run at once", .extras),
      Key(
        "pool", Form<PoolClaim>.pool.shape, "the pool of which it takes places", .extras,
        excludedBy: ["uses", "approval"]),
      Key(
        "share", .template, "a name; steps with the same name that run at once share one execution",
        .extras, excludedBy: ["uses"]),
      Key(
        "runner", runner, "where it runs, if not as a process on this machine", .extras,
        excludedBy: ["approval"]),
      Key(
        "survive", .boolean, "whether it goes on when its engine dies, to be adopted by resume",
        .extras, excludedBy: ["approval", "uses"]),
      Key(
        "terminal", .boolean,
        "whether it owns the terminal while it runs, to interact with its user",
        .extras, excludedBy: ["approval", "uses"]),
      Key(
        "separate-streams", .boolean,
        "whether events distinguish its standard error from its standard output",
        .extras, excludedBy: ["approval", "uses"]),
      Key(
        "ready", .map(Tables.ready.keys), "when a service is ready for the steps that need it",
        .extras,
        excludedBy: ["uses", "approval"]),
      Key(
        "stop", .choice(ServiceRule.signals.map(\.name)), "the signal that asks a service to end",
        .extras, excludedBy: ["uses", "approval"]),
      Key(
        "restart", Form<Retry>.restart.shape,
        "when a service that ends while steps need it is started again", .extras,
        excludedBy: ["uses", "approval"]),
      Key(
        "priority", .computed(.whole(-1000...1000)),
        "of the ready steps, those with a higher number start first", .extras,
        excludedBy: ["uses"]),
      Key(
        "foreach",
        .either([
          .template, .list(.anything, minimum: 0), .map(Tables.range.keys),
          .map(Tables.itemFiles.keys),
        ]),
        "the items; the step runs once for each", .many),
      Key(
        "matrix", .either([.template, .matrix]), "lists; the step runs once for each combination",
        .many),
      Key("key", .template, "the text in the brackets of the id of each item", .many),
      Key(
        "max-items", .computed(.whole(1...FanStep.limitMax)),
        "the maximum number of items of a foreach or matrix", .many),
      Key(
        "max-parallel", .computed(.whole(1...Int(Int32.max))),
        "the maximum number of steps of a foreach or matrix that run at once", .many),
      Key(
        "fail-fast", .either([.computed(.boolean), .whole(1...Int(Int32.max))]),
        "whether the first failure of a foreach or matrix, or this number, cancels the others",
        .many),
      Key(
        "outputs", .named(.identifier, .template), "values for later steps", .extras,
        excludedBy: ["uses"]),
      Key(
        "cache", .map(Tables.cache.keys),
        "when the step can be skipped because nothing has changed", .extras,
        excludedBy: ["uses", "approval"]),
      Key(
        "undo", .either([.script, .list(.template, minimum: 1), .map(Tables.undo)]),
        "what undoes its work when the run fails", .extras, excludedBy: ["uses"]),
      Key(
        "on",
        .either([
          .choice(RunEnding.allCases.map(\.rawValue)),
          .list(.choice(RunEnding.allCases.map(\.rawValue)), minimum: 1),
        ]),
        "the run endings after which it runs, under finally", .extras, excludedBy: ["uses"]),
    ])
}
