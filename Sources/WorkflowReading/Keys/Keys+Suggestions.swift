// The keys that were probably meant by unknown ones: those of other tools, and misspelled ones.

import Workflows
import YAML

extension KeyTable {
  /// The keys of other tools, with the corresponding key of this language.
  private static let synonyms = [
    "depends": "needs", "depends_on": "needs", "depends-on": "needs", "dependencies": "needs",
    "deps": "needs", "after": "needs", "command": "run", "cmd": "run", "cmds": "run",
    "script": "run", "working-directory": "dir", "working_dir": "dir", "workdir": "dir",
    "cwd": "dir", "directory": "dir", "jobs": "steps", "tasks": "steps",
    "timeout-minutes": "timeout", "timeout_sec": "timeout", "environment": "env", "vars": "env",
    "parallelism": "max-parallel", "cancel-in-progress": "policy", "args": "exec",
    "task_id": "id", "title": "name", "label": "name", "displayName": "name",
    "display_name": "name", "desc": "description", "retries": "retry", "attempts": "limit",
    "max": "limit",
    "interval": "delay", "interval_sec": "delay", "retry_policy": "retry", "exit_codes": "for",
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
    "minimum": "min", "maximum": "max", "minLength": "min", "maxLength": "max",
    "regex": "pattern", "format": "pattern",
    "question": "message", "on-timeout": "default", "on_timeout": "default", "form": "values",
    "fields": "values",
    "deps_file": "depfile", "dependency-file": "depfile", "dyndep": "depfile",
    "queue": "pool", "semaphore": "pool", "pool_slots": "take", "slots": "take",
    "weight": "take", "max_active_runs": "limit", "maxActiveRuns": "limit",
    "compensate": "undo", "compensation": "undo", "rollback": "undo", "revert": "undo",
    "on_rollback": "undo",
    "ttl": "max-age", "expire": "max-age", "maxAge": "max-age",
    "choices": "options", "enum": "options", "values": "options", "value": "default", "var": "env",
    "on-skip": "if-skipped", "skip-dependents": "if-skipped", "mark_success": "if-skipped",
    "trigger_rule": "needs", "repeat_policy": "repeat", "repeatPolicy": "repeat",
    "poke_interval": "delay", "suspend": "wait", "sleep": "wait",
    "trigger-rule": "needs",
    "path": "file", "prompt": "approval", "lock": "mutex", "synchronization": "mutex",
    "max_active_steps": "max-parallel", "maxActiveSteps": "max-parallel", "start": "from",
    "end": "to",
    "step": "by", "triggers": "on", "trigger": "on", "watch": "files", "timezone": "time-zone",
    "tz": "time-zone", "catchup": "missed", "overlap_policy": "when-busy", "on-busy": "when-busy",
    "on-busy-update": "when-busy", "limit": "size", "when_full": "when-full", "exclude": "ignore",
  ]

  /// The keys of other tools, with the corresponding key of a service or its readiness.
  private static let serviceSynonyms = [
    "daemon": "service", "sidecar": "service", "healthcheck": "ready", "readiness_probe": "ready",
    "readinessProbe": "ready", "liveness_probe": "alive", "livenessProbe": "alive",
    "failureThreshold": "failures", "failure_threshold": "failures", "periodSeconds": "every",
    "readyWhen": "ready", "stop_signal": "stop", "http_get": "http",
    "httpGet": "http", "tcpSocket": "port", "test": "run", "log_line": "line",
    "ready_log_line": "line", "interactive": "terminal", "tty": "terminal", "stdin": "terminal",
    "priority_weight": "priority", "weight_rule": "order",
  ]

  /// A key that was probably meant instead of an unknown key.
  struct Suggestion {
    let name: String
    /// Whether the unknown key is one of another tool, whose values may differ.
    let isSynonym: Bool

    /// Returns whether a value of the unknown key is valid for the suggested key.
    func hasValue(like value: Node) -> Bool {
      guard isSynonym else { return true }
      switch (name, value.content) {
      case ("needs", .scalar), ("needs", .sequence), ("env", .mapping): return true
      case ("run", .scalar), ("dir", .scalar), ("description", .scalar), ("timeout", .scalar),
        ("limit", .scalar), ("retry", .scalar):
        return true
      case ("id", .scalar(let text, _)): return text.isStepID
      case ("name", .scalar): return true
      default: return false
      }
    }
  }

  /// Returns the key that was probably meant by an unknown key.
  func suggestion(for name: String) -> Suggestion? {
    let kebab = name.reduce(into: "") { result, letter in
      if letter.isUppercase && !result.isEmpty { result += "-" }
      result += letter == "_" ? "-" : letter.lowercased()
    }
    if has(kebab) { return Suggestion(name: kebab, isSynonym: false) }
    if let known = Self.synonyms[name] ?? Self.synonyms[name.lowercased()] ?? Self.synonyms[kebab]
      ?? Self.serviceSynonyms[name],
      has(known)
    {
      return Suggestion(name: known, isSynonym: true)
    }
    // A key with advice of its own is not a misspelled one.
    guard advice[name] == nil else { return nil }
    return nearest(to: name, among: keys.map(\.name)).map {
      Suggestion(name: $0, isSynonym: false)
    }
  }
}
