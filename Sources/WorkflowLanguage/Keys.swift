// The keys of the language, in one table for each place where keys stand. Checking and suggestions
// come from here, and so will the JSON schema.

/// A key that may stand in a map.
struct Key: Sendable {
  let name: String
  let type: String
  let summary: String

  init(_ name: String, _ type: String, _ summary: String) {
    self.name = name
    self.type = type
    self.summary = summary
  }
}

/// The keys that may stand in one kind of map.
struct KeyTable: Sendable {
  /// What such a map is called in messages.
  let place: String
  let keys: [Key]

  var names: [String] { keys.map(\.name) }

  static let workflow = KeyTable(
    place: "a workflow",
    keys: [
      Key("name", "text", "the name of the workflow"),
      Key("description", "text", "what it is for"),
      Key("env", "map of texts", "environment variables for every step"),
      Key("dir", "text", "where steps run"),
      Key("shell", "text or list of texts", "what runs scripts"),
      Key("timeout", "duration", "how long a run may take"),
      Key("grace", "duration", "how long a step may take to end once it is told to"),
      Key("max-parallel", "number from 1", "how many steps may run at once"),
      Key("concurrency", "map", "which other runs it may not meet"),
      Key("steps", "list of steps", "the steps, in order"),
    ])

  static let concurrency = KeyTable(
    place: "concurrency",
    keys: [
      Key("group", "text", "the runs that exclude each other"),
      Key(
        "policy", "parallel, queue, restart or reject", "what happens to a run that meets another"),
    ])

  static let step = KeyTable(
    place: "a step",
    keys: [
      Key("id", "text", "the name of the step"),
      Key("needs", "id or list of ids", "the steps that must have succeeded before"),
      Key("run", "text", "a script to run"),
      Key("exec", "list of texts", "a program with its arguments, run without a shell"),
      Key("env", "map of texts", "environment variables for this step"),
      Key("dir", "text", "where it runs"),
      Key("shell", "text or list of texts", "what runs its script"),
      Key("timeout", "duration", "how long it may take"),
      Key("retry", "number or map", "when it is tried again after a failure"),
      Key("grace", "duration", "how long it may take to end once it is told to"),
    ])

  static let retry = KeyTable(
    place: "retry",
    keys: [
      Key("limit", "number from 1", "how often it is tried again"),
      Key("delay", "duration", "the time before the second attempt"),
      Key("backoff", "constant, linear or exponential", "how the time grows"),
      Key("factor", "number from 1", "by what it grows exponentially"),
      Key("max-delay", "duration", "what it does not grow beyond"),
      Key("jitter", "number from 0 to 1", "the part of the time that is random"),
      Key("on", "list of exit statuses", "the failures after which it is tried again"),
    ])

  static let parallel = KeyTable(
    place: "a parallel group", keys: [Key("parallel", "list of branches", "what runs side by side")]
  )

  static let sequence = KeyTable(
    place: "a nested list", keys: [Key("steps", "list of steps", "steps that run in order")])

  /// What other tools call things.
  private static let synonyms = [
    "depends": "needs", "depends_on": "needs", "depends-on": "needs", "dependencies": "needs",
    "deps": "needs", "after": "needs", "command": "run", "cmd": "run", "cmds": "run",
    "script": "run", "working-directory": "dir", "working_dir": "dir", "workdir": "dir",
    "cwd": "dir", "directory": "dir", "jobs": "steps", "tasks": "steps",
    "timeout-minutes": "timeout",
    "timeout_sec": "timeout", "environment": "env", "vars": "env",
    "parallelism": "max-parallel", "cancel-in-progress": "policy", "args": "exec",
    "desc": "description",
    "retries": "retry", "attempts": "limit", "max": "limit", "interval": "delay",
    "interval_sec": "delay", "retry_policy": "retry", "exit_codes": "on",
  ]

  /// What somebody probably meant by a key that does not exist here.
  func suggestion(for name: String) -> String? {
    let kebab = name.reduce(into: "") { result, letter in
      if letter.isUppercase && !result.isEmpty { result += "-" }
      result += letter == "_" ? "-" : letter.lowercased()
    }
    if names.contains(kebab) { return kebab }
    if let known = Self.synonyms[name.lowercased()] ?? Self.synonyms[kebab], names.contains(known) {
      return known
    }
    return nearest(to: name, among: names)
  }
}
