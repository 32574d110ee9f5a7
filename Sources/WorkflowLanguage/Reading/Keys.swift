// The keys of the language, in one table for each place where keys stand. Checking, suggestions and
// the JSON schema come from here.

import YAML

extension KeyTable {
  private static let noContainers =
    "steps run on this machine: start one with exec, as in: exec: [docker, run, --rm, node:20, …]"
  private static let environment = Shape.named(.variable, .template)
  private static let shell = Shape.either([.text, .list(.text, minimum: 1)])

  static let workflow = KeyTable(
    place: "a workflow",
    advice: [
      "jobs": "did you mean \"steps\"? This looks like GitHub Actions: see Examples/coming-from",
      "tasks": "did you mean \"steps\"? This looks like a Taskfile: see Examples/coming-from",
      "services": Self.noContainers, "container": Self.noContainers, "image": Self.noContainers,
    ],
    keys: [
      Key("name", .text, "the name of the workflow"),
      Key("description", .text, "what it is for"),
      Key(
        "params", .named(.identifier, .either([.map(parameter), .text])), "what a run may be given"),
      Key("env", environment, "environment variables for every step"),
      Key(
        "dotenv", .either([.text, .list(.either([.text, .map(dotenv)]), minimum: 0)]),
        "files with environment variables"),
      Key("secrets", .named(.identifier, .map(secret)), "values that are never shown nor stored"),
      Key("dir", .template, "where steps run"),
      Key("shell", shell, "what runs scripts"),
      Key("timeout", .computed(.duration), "how long a run may take"),
      Key("grace", .computed(.duration), "how long a step may take to end once it is told to"),
      Key("max-parallel", .computed(.whole(1...Int(Int32.max))), "how many steps may run at once"),
      Key(
        "fail-fast", .computed(.boolean), "whether the first failure cancels what runs beside it"),
      Key("concurrency", .map(concurrency), "which other runs it may not meet"),
      Key(
        "durability", .choice(Durability.allCases.map(\.rawValue)),
        "what the record of a step's success survives"),
      Key("on", .map(triggers), "what starts runs while it is watched"),
      Key("defaults", .map(defaults), "settings for every step that does not have its own"),
      Key("steps", .steps, "the steps, in order", isRequired: true),
      Key("finally", .steps, "steps that run however the run ended"),
      Key(
        "outputs", .named(.identifier, .template), "what a workflow that uses this one gets of it"),
    ])

  static let concurrency = KeyTable(
    place: "concurrency", example: "{ group: %, policy: queue }",
    keys: [
      Key("group", .template, "the runs that exclude each other", isRequired: true),
      Key(
        "policy", .choice(Concurrency.Policy.allCases.map(\.rawValue)),
        "what happens to a run that meets another", isRequired: true),
    ])

  static let triggers = KeyTable(
    place: "on", example: "{ files: [src/**] } or { schedule: { cron: \"0 5 * * *\" } }",
    oneOf: Triggers.kinds.map { $0.key.name },
    keys: Triggers.kinds.map { $0.key } + [
      Key(
        "when-busy", .choice(BusyPolicy.allCases.map(\.rawValue)),
        "what happens to an event that comes while a run is under way"),
      Key(
        "restart-from", .choice(["top", "affected"]),
        "which steps a restart takes again: all, or those that changed files matter to"),
      Key(
        "debounce", .computed(.duration),
        "how long it has to be quiet before files or lines start a run"),
      Key("buffer", .map(buffer), "how many events may wait"),
    ])

  static let files = KeyTable(
    place: "files",
    keys: [
      Key("paths", .someTexts, "the files", isRequired: true),
      Key("ignore", .texts, "files among them that do not count"),
      Key("gitignore", .boolean, "whether files that .gitignore names do not count"),
    ])

  static let schedule = KeyTable(
    place: "a schedule", example: "{ cron: \"%\" }", oneOf: ["cron", "every"],
    keys: [
      Key("cron", .text, "minute, hour, day of the month, month and day of the week"),
      Key("time-zone", .text, "the time zone of cron, such as Europe/Berlin"),
      Key("every", .computed(.duration), "the time between two runs"),
      Key(
        "missed", .choice(["once", "skip"]),
        "whether what was missed while nobody watched is made up for once"),
    ])

  static let buffer = KeyTable(
    place: "a buffer", example: "{ size: % }",
    keys: [
      Key("size", .whole(1...100_000), "how many events may wait"),
      Key(
        "when-full", .choice(EventBuffer.FullPolicy.allCases.map(\.rawValue)),
        "what happens to an event that finds it full"),
    ])

  static let parameter = KeyTable(
    place: "a parameter",
    keys: [
      Key("type", .choice(["string", "number", "boolean", "choice"]), "what values it takes"),
      Key("default", .text, "what it is where it is not given"),
      Key("required", .boolean, "whether it has to be given"),
      Key("description", .text, "what it is for"),
      Key("options", .list(.text, minimum: 1), "the values of a choice"),
    ])

  static let dotenv = KeyTable(
    place: "a dotenv entry",
    keys: [
      Key("path", .text, "the path of the file", isRequired: true),
      Key("required", .boolean, "whether it has to be there"),
    ])

  static let secret = KeyTable(
    place: "a secret", oneOf: ["env", "file", "command"],
    keys: [
      Key("env", .text, "the variable that it is in"),
      Key("file", .text, "the file that it is in"),
      Key("command", .list(.text, minimum: 1), "the program that writes it"),
    ])

  static let defaults = KeyTable(
    place: "defaults",
    keys: [
      Key("timeout", .computed(.duration), "how long a step may take"),
      Key(
        "retry", .either([.whole(1...Int(Int32.max)), .map(retry)]), "when a step is tried again"),
      Key("continue-on-error", .computed(.boolean), "whether the run goes on when a step fails"),
    ])

  /// The keys that say what a step does.
  private static let kinds = Workflow.Step.kinds.map {
    Key($0.name, $0.shape, $0.summary, excludedBy: ["uses"])
  }

  static let step = KeyTable(
    place: "a step", oneOf: kinds.map(\.name) + ["uses", "approval"],
    notBoth: kinds.map(\.name) + ["uses"],
    advice: [
      "name": "names are ids here: write id: build",
      "container": Self.noContainers, "services": Self.noContainers, "image": Self.noContainers,
      "parallel": "a parallel group has no \"id\" and no other key: write - parallel: […]",
      "steps": "a nested list has no \"id\" and no other key: write - steps: […]",
    ],
    keys: [
      Key("id", .stepID, "the name of the step", isRequired: true),
      Key(
        "needs", .either([.stepID, .list(.stepID, minimum: 0)]),
        "the steps that must be over before"),
      Key("if", .condition, "whether it runs", .extras),
    ] + kinds + [
      Key("uses", .text, "another workflow file, whose steps it stands for", .settings),
      Key(
        "with", .named(.identifier, .anything), "what the action or the other workflow is given",
        .settings),
      Key(
        "approval", .template, "what somebody has to approve before it starts", .extras,
        excludedBy: ["uses"]),
      Key(
        "env", environment, "environment variables for this step", .environment,
        excludedBy: ["uses"]),
      Key("dir", .template, "where it runs", .settings, excludedBy: ["uses"]),
      Key(
        "shell", shell, "what runs its script", .settings, excludedBy: ["uses", "approval"]),
      Key(
        "timeout", .computed(.duration), "how long it may take", .settings,
        excludedBy: ["uses", "approval"]),
      Key(
        "retry", .either([.whole(1...Int(Int32.max)), .map(retry)]),
        "when it is tried again after a failure", .settings, excludedBy: ["uses", "approval"]),
      Key(
        "grace", .computed(.duration), "how long it may take to end once it is told to", .settings,
        excludedBy: ["uses", "approval"]),
      Key(
        "continue-on-error", .computed(.boolean), "whether the run goes on when it fails", .extras,
        excludedBy: ["uses"]),
      Key(
        "mutex", .template, "steps of the same name never run at once", .extras,
        excludedBy: ["uses"]),
      Key(
        "share", .template, "steps of the same name that meet are carried out once, for all",
        .extras, excludedBy: ["uses"]),
      Key(
        "foreach", .either([.template, .list(.anything, minimum: 0), .map(range)]),
        "once for each of these", .many),
      Key("matrix", .matrix, "once for each combination", .many),
      Key(
        "max-parallel", .computed(.whole(1...Int(Int32.max))),
        "how many of a foreach or matrix may run at once", .many),
      Key(
        "fail-fast", .computed(.boolean),
        "whether the first failure of a foreach or matrix cancels the others", .many),
      Key(
        "outputs", .named(.identifier, .template), "results for later steps", .extras,
        excludedBy: ["uses"]),
      Key(
        "cache", .map(cache), "when it need not run again", .extras,
        excludedBy: ["uses", "approval"]),
      Key(
        "on",
        .either([
          .choice(RunEnding.allCases.map(\.rawValue)),
          .list(.choice(RunEnding.allCases.map(\.rawValue)), minimum: 1),
        ]),
        "after which endings it runs, under finally", .extras, excludedBy: ["uses"]),
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
        "the distance between two"),
    ])

  static let cache = KeyTable(
    place: "cache", example: "{ inputs: [src/**], outputs: [build/app] }",
    oneOf: ["inputs", "key"],
    keys: [
      Key("inputs", .texts, "the files that it reads"),
      Key("outputs", .texts, "the files that it makes"),
      Key("key", .template, "what else it depends on"),
    ])

  static let retry = KeyTable(
    place: "retry",
    keys: [
      Key("limit", .whole(1...Int(Int32.max)), "how often it is tried again", isRequired: true),
      Key("delay", .duration, "the time before the second attempt"),
      Key("backoff", .choice(Retry.Backoff.allCases.map(\.rawValue)), "how the time grows"),
      Key("factor", .decimal(1...1000), "by what it grows exponentially"),
      Key("max-delay", .duration, "what it does not grow beyond"),
      Key("jitter", .decimal(0...1), "the part of the time that is random"),
      Key(
        "on", .either([.whole(1...255), .list(.whole(1...255), minimum: 1)]),
        "the failures after which it is tried again"),
    ])

  static let parallel = KeyTable(
    place: "a parallel group",
    keys: [Key("parallel", .branches, "what runs side by side", isRequired: true)])

  static let sequence = KeyTable(
    place: "a nested list",
    keys: [Key("steps", .steps, "steps that run in order", isRequired: true)])

  /// What other tools call things.
  private static let synonyms = [
    "depends": "needs", "depends_on": "needs", "depends-on": "needs", "dependencies": "needs",
    "deps": "needs", "after": "needs", "command": "run", "cmd": "run", "cmds": "run",
    "script": "run", "working-directory": "dir", "working_dir": "dir", "workdir": "dir",
    "cwd": "dir", "directory": "dir", "jobs": "steps", "tasks": "steps",
    "timeout-minutes": "timeout", "timeout_sec": "timeout", "environment": "env", "vars": "env",
    "parallelism": "max-parallel", "cancel-in-progress": "policy", "args": "exec",
    "name": "id", "desc": "description", "retries": "retry", "attempts": "limit", "max": "limit",
    "interval": "delay", "interval_sec": "delay", "retry_policy": "retry", "exit_codes": "on",
    "inputs": "params", "parameters": "params", "when": "if", "condition": "if",
    "preconditions": "if", "precondition": "if", "sources": "cache", "generates": "cache",
    "strategy": "matrix", "loop": "foreach", "with_items": "foreach", "withItems": "foreach",
    "withParam": "foreach", "for": "foreach", "items": "foreach",
    "ignore_error": "continue-on-error",
    "allow_failure": "continue-on-error", "on_failure": "finally", "on_exit": "finally",
    "handler_on": "finally", "handlers": "finally", "handlerOn": "finally", "onExit": "finally",
    "include": "uses", "template": "uses", "action": "call", "function": "call",
    "env_file": "dotenv",
    "output": "outputs",
    "choices": "options", "enum": "options", "values": "options", "value": "default", "var": "env",
    "path": "file", "prompt": "approval", "lock": "mutex", "synchronization": "mutex",
    "max_active_steps": "max-parallel", "maxActiveSteps": "max-parallel", "start": "from",
    "end": "to",
    "step": "by", "triggers": "on", "trigger": "on", "watch": "files", "timezone": "time-zone",
    "tz": "time-zone", "catchup": "missed", "overlap_policy": "when-busy", "on-busy": "when-busy",
    "on-busy-update": "when-busy", "limit": "size", "when_full": "when-full", "exclude": "ignore",
  ]

  /// A key that was probably meant.
  struct Suggestion {
    let name: String
    /// Whether it is a word of other tools, whose values may differ.
    let isSynonym: Bool

    /// Whether a value that was written for the other word can be read as that of the key.
    func hasValue(like value: Node) -> Bool {
      guard isSynonym else { return true }
      switch (name, value.content) {
      case ("needs", .scalar), ("needs", .sequence), ("env", .mapping): return true
      case ("run", .scalar), ("dir", .scalar), ("description", .scalar), ("timeout", .scalar),
        ("limit", .scalar), ("retry", .scalar):
        return true
      case ("id", .scalar(let text, _)): return text.isStepID
      default: return false
      }
    }
  }

  /// Finds the key that was probably meant by one that does not exist here.
  func suggestion(for name: String) -> Suggestion? {
    let kebab = name.reduce(into: "") { result, letter in
      if letter.isUppercase && !result.isEmpty { result += "-" }
      result += letter == "_" ? "-" : letter.lowercased()
    }
    if has(kebab) { return Suggestion(name: kebab, isSynonym: false) }
    if let known = Self.synonyms[name] ?? Self.synonyms[name.lowercased()] ?? Self.synonyms[kebab],
      has(known)
    {
      return Suggestion(name: known, isSynonym: true)
    }
    return nearest(to: name, among: keys.map(\.name)).map {
      Suggestion(name: $0, isSynonym: false)
    }
  }
}
