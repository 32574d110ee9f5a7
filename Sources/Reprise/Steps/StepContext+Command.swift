// What a step asks a machine to do: a program with its arguments. Pure; starts nothing.

import WorkflowLanguage

extension StepContext {
  /// The program that the step is to run, with its arguments: for executors.
  ///
  /// A script that is a plain command line comes as its words; another one is handed to a shell. Empty for a step of
  /// Swift code, and for one that only waits for its approval.
  public var commandLine: [String] {
    let script: String
    switch resolved.action {
    case .exec(let words): return words
    case .run(let text): script = text
    case .call, .perform, .wait: return []
    }
    switch step.shell ?? workflow.shell {
    case .standard: return PlainCommand.words(of: script) ?? ["/bin/sh", "-e", "-c", script]
    case .named(let shell): return [shell] + shellOptions(for: shell) + ["-c", script]
    case .arguments(let words): return words + [script]
    }
  }

  /// Shells that are known to have it fail a pipeline of which any part fails.
  private func shellOptions(for shell: String) -> [String] {
    switch shell.split(separator: "/").last ?? "" {
    case "bash", "zsh", "ksh": ["-e", "-o", "pipefail"]
    case "sh", "dash", "ash": ["-e"]
    default: []
    }
  }
}
