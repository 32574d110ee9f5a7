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

  static let step = KeyTable(
    place: "a step", oneOf: kinds + ["uses", "approval"], notBoth: kinds + ["uses"],
    advice: [
      "container": Self.noContainers, "image": Self.noContainers, "services": Self.noServices,
      "parallel": "a step has no branches: write - parallel: […] without \"run\"",
      "steps": "a step has no steps: write - steps: […] without \"run\"",
    ],
    keys: Tables.step.map(\.key))

  private static let kinds = Workflow.Step.kinds.map { $0.name }
}
