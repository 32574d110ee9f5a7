// How the engine carries out each way of work to which steps come: by the executor, or here.

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

  /// Does the work of one attempt.
  func carryOut(by executor: any Executor, _ registry: ActionRegistry) async throws -> StepOutputs {
    switch resolved.action {
    case .run, .exec, .wait: return try await executor.execute(self)
    case .call(let name, _): return try await registry.body(of: name)(self)
    case .perform(let work):
      guard let closure = work.body as? ClosureWork else {
        preconditionFailure("BUG: a step does what nobody knows how to do")
      }
      return try await closure.body(self)
    }
  }
}

extension ResolvedStep.Action {
  /// It for comparisons with others; nil for a closure, which cannot be compared.
  var comparable: Self? { if case .perform = self { nil } else { self } }

  /// It for a hash that is kept: the same for the same work.
  var text: String {
    switch self {
    // The arguments of a call are a map, which has no order.
    case .call(let name, let arguments):
      "call \(name) " + ArgumentValue.map(arguments).value.json
    case .perform: "a closure"
    case .run, .exec, .wait: "\(self)"
    }
  }
}
