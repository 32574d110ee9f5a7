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
        .named(.identifier, .either([.map(parameter), .text, .list(.anything, minimum: 0)])),
        "parameters of a run"),
      Key("env", environment, "environment variables for every step"),
      Key(
        "dotenv", .either([.text, .list(.either([.text, .map(dotenv)]), minimum: 0)]),
        "files with environment variables"),
      Key("secrets", .named(.identifier, .map(secret)), "values that are never shown or stored"),
      Key(
        "runners", .named(.identifier, .runnerKind),
        "places where steps run, by name: each with its kind and settings"),
      Key("runner", runner, "where steps run, if not as processes on this machine"),
      Key("dir", .template, "the directory in which steps run"),
      Key("shell", shell, "the shell that runs scripts"),
      Key(
        "if", .either([.condition, .map(condition)]),
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
      Key("concurrency", .map(concurrency), "the runs that must not overlap with this one"),
      Key(
        "pools", .named(.identifier, .computed(.whole(1...PoolClaim.sizeMax))),
        "pools that all runs of the project share, by name, with their sizes"),
      Key(
        "durability", .choice(Durability.allCases.map(\.rawValue)),
        "which crash the record of a successful step survives"),
      Key("keep", .map(keep), "which ended runs are kept, and how much of their output"),
      Key(
        "on-end", .either([.script, .list(.text, minimum: 1)]),
        "a command that runs after the end of a run"),
      Key("on", .map(triggers), "the triggers that start runs in watch mode"),
      Key("defaults", .map(defaults), "default settings of steps"),
      Key("steps", .steps, "the steps, in order", isRequired: true),
      Key("finally", .steps, "steps that run last, even if the run failed or was cancelled"),
      Key(
        "outputs", .named(.identifier, .template), "values for a workflow that uses this one"),
      Key(
        "workflows", .named(.identifier, .workflow),
        "further workflows by name, which steps use with uses: \"#NAME\""),
    ])

  static let concurrency = KeyTable(
    place: "concurrency", example: "{ group: %, policy: queue }",
    keys: [
      Key(
        "group", .template, "the group of runs that must not overlap", isRequired: true),
      Key(
        "policy", .choice(Concurrency.Policy.allCases.map(\.rawValue)),
        "what happens to a run while another run of the group is active", isRequired: true),
      Key(
        "limit", .computed(.whole(1...Int(Int32.max))),
        "with the policy queue: the maximum number of runs in progress"),
    ])

  static let keep = KeyTable(
    place: "keep", example: "{ runs: 20, age: 30d, bytes: 1g }",
    keys: [
      Key("runs", .whole(1...Int(Int32.max)), "the maximum number of ended runs"),
      Key("age", .duration, "the maximum time since the end of a run"),
      Key("bytes", .size, "the maximum size of the output of all runs"),
      Key("log", .size, "the maximum size of the output of one attempt"),
    ])

  static let triggers = KeyTable(
    place: "on", example: "{ files: [src/**] } or { schedule: { cron: \"0 5 * * *\" } }",
    oneOf: Triggers.kinds.map { $0.key.name },
    keys: Triggers.kinds.map { $0.key } + [
      Key(
        "when-busy", .choice(BusyPolicy.allCases.map(\.rawValue)),
        "what happens to an event while a run is in progress"),
      Key(
        "restart-from", .choice(["top", "affected"]),
        "which steps a restart runs again: all, or those affected by changed files"),
      Key(
        "debounce", .computed(.duration),
        "the quiet period after the last change or line before a run starts"),
      Key("buffer", .map(buffer), "the buffer for pending events"),
    ])

  static let files = KeyTable(
    place: "files",
    keys: [
      Key("paths", .someTexts, "patterns of the watched files", isRequired: true),
      Key("ignore", .texts, "patterns of files to ignore"),
      Key("gitignore", .boolean, "whether files in .gitignore are ignored"),
    ])

  static let schedule = KeyTable(
    place: "a schedule", example: "{ cron: \"%\" }", oneOf: ["cron", "every"],
    keys: [
      Key("cron", .text, "minute, hour, day of the month, month and day of the week"),
      Key("time-zone", .text, "the time zone of cron, such as Europe/Berlin"),
      Key("every", .computed(.duration), "the interval between two runs"),
      Key(
        "missed", .choice(["once", "skip"]),
        "whether missed times are caught up with one run, or skipped"),
    ])

  static let buffer = KeyTable(
    place: "a buffer", example: "{ size: % }",
    keys: [
      Key("size", .whole(1...100_000), "the maximum number of pending events"),
      Key(
        "when-full", .choice(EventBuffer.FullPolicy.allCases.map(\.rawValue)),
        "what happens to an event if the buffer is full"),
    ])

  static let parameter = KeyTable(
    place: "a parameter",
    keys: [
      Key("type", .choice(Reader.parameterTypes), "the type of its values"),
      Key("default", .anything, "the value if none is passed"),
      Key("min", .decimal(Reader.limits), "the least number or length"),
      Key("max", .decimal(Reader.limits), "the greatest number or length"),
      Key("pattern", .text, "a regular expression that texts must match"),
      Key("required", .boolean, "whether a value must be passed"),
      Key("description", .text, "the purpose of the parameter"),
      Key("options", .list(.text, minimum: 1), "the values of a choice"),
    ])

  static let dotenv = KeyTable(
    place: "a dotenv entry",
    keys: [
      Key("path", .text, "the path of the file", isRequired: true),
      Key("required", .boolean, "whether a missing file is an error"),
    ])

  static let secret = KeyTable(
    place: "a secret", oneOf: ["env", "file", "command"],
    keys: [
      Key("env", .text, "the environment variable that contains the secret"),
      Key("file", .text, "the file that contains the secret"),
      Key("command", .list(.text, minimum: 1), "the program that prints the secret"),
    ])

  static let defaults = KeyTable(
    place: "defaults",
    keys: [
      Key("timeout", .computed(.duration), "the maximum duration of an attempt of a step"),
      Key(
        "retry", .either([.whole(1...Int(Int32.max)), .map(retry)]), "when a failed step is retried"
      ),
      Key("continue-on-error", .computed(.boolean), "whether the run continues if a step fails"),
      Key(
        "if-skipped", .choice(["run", "skip"]),
        "whether the steps that need a skipped step run or are skipped, too"),
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
        "if", .either([.condition, .map(condition)]),
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
        "approval", .either([.template, .map(approval)]), "the question that must be approved",
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
        "retry", .either([.whole(1...Int(Int32.max)), .map(retry)]),
        "when it is retried after a failure", .settings, excludedBy: ["approval"]),
      Key(
        "repeat", .map(repetition), "until when it runs again after a success", .extras,
        excludedBy: ["uses", "approval"]),
      Key(
        "grace", .computed(.duration), "the time between SIGTERM and SIGKILL", .settings,
        excludedBy: ["uses", "approval"]),
      Key(
        "continue-on-error", .computed(.boolean), "whether the run continues if it fails", .extras),
      Key(
        "mutex", .template, "a name; steps with the same mutex never run at once", .extras),
      Key(
        "pool", .either([.template, .map(pool)]), "the pool of which it takes places", .extras,
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
        "ready", .map(readiness), "when a service is ready for the steps that need it", .extras,
        excludedBy: ["uses", "approval"]),
      Key(
        "stop", .choice(ServiceRule.signals.map(\.name)), "the signal that asks a service to end",
        .extras, excludedBy: ["uses", "approval"]),
      Key(
        "restart", .either([.choice(["on-failure"]), .map(retry)]),
        "when a service that ends while steps need it is started again", .extras,
        excludedBy: ["uses", "approval"]),
      Key(
        "priority", .computed(.whole(-1000...1000)),
        "of the ready steps, those with a higher number start first", .extras,
        excludedBy: ["uses"]),
      Key(
        "foreach",
        .either([.template, .list(.anything, minimum: 0), .map(range), .map(itemFiles)]),
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
        "cache", .map(cache), "when the step can be skipped because nothing has changed", .extras,
        excludedBy: ["uses", "approval"]),
      Key(
        "undo", .either([.script, .list(.template, minimum: 1), .map(undo)]),
        "what undoes its work when the run fails", .extras, excludedBy: ["uses"]),
      Key(
        "on",
        .either([
          .choice(RunEnding.allCases.map(\.rawValue)),
          .list(.choice(RunEnding.allCases.map(\.rawValue)), minimum: 1),
        ]),
        "the run endings after which it runs, under finally", .extras, excludedBy: ["uses"]),
    ])

  static let range = KeyTable(
    place: "a range",
    keys: [
      Key(
        "from", .either([.whole(Int(Int32.min)...Int(Int32.max)), .template]), "the first number",
        isRequired: true),
      Key(
        "to", .either([.whole(Int(Int32.min)...Int(Int32.max)), .template]), "the last number",
        isRequired: true),
      Key(
        "by", .either([.whole(Int(Int32.min)...Int(Int32.max)), .template]),
        "the difference between two numbers"),
    ])

  static let itemFiles = KeyTable(
    place: "the files of foreach", example: "{ files: \"src/*.c\" }",
    keys: [
      Key("files", .someTexts, "patterns of the files that are the items", isRequired: true)
    ])

  static let cache = KeyTable(
    place: "cache", example: "{ inputs: [src/**], outputs: [build/app] }",
    oneOf: ["inputs", "key", "max-age", "depfile"],
    keys: [
      Key("inputs", .texts, "patterns of the files that it reads"),
      Key("outputs", .texts, "patterns of the files that it creates"),
      Key("key", .template, "a value for other dependencies"),
      Key("max-age", .computed(.duration), "the maximum time since it last succeeded"),
      Key(
        "depfile", .template, "the file in which it lists its inputs, as gcc -MD and make do"),
    ])

  static let retry = KeyTable(
    place: "retry",
    keys: [
      Key("limit", .whole(1...Int(Int32.max)), "the maximum number of retries", isRequired: true),
      Key("delay", .duration, "the delay before the second attempt"),
      Key("backoff", .choice(Retry.Backoff.allCases.map(\.rawValue)), "how the delay grows"),
      Key("factor", .decimal(1...1000), "the factor of exponential growth"),
      Key("max-delay", .duration, "the maximum delay"),
      Key("jitter", .decimal(0...1), "the random fraction of the delay"),
      Key(
        "on", .either([.whole(1...255), .list(.whole(1...255), minimum: 1)]),
        "the exit statuses after which it is retried"),
    ])
}
