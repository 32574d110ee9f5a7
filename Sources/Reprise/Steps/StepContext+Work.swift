// Runs the work of a step: with the executor, or as a closure in this process.

import Workflows

extension StepContext {
  /// The program that the step runs, with its arguments: for executors.
  ///
  /// A script that is a plain command line is split into its words; any other script is passed to a
  /// shell, or written to a file for the interpreter that its first line names; see ``script``.
  /// Empty for a step in Swift code, and for a step that only waits for approval.
  public var commandLine: [String] {
    switch resolved.action {
    case .exec(let words): words
    case .run(let script): step.commandLine(for: script, in: workflow)
    case .call, .perform, .wait, .pause, .unmet: []
    }
  }

  /// The script for the interpreter that ``commandLine`` names; nil for other steps.
  ///
  /// An executor must write it to a file that only its user can read, and append the path of the
  /// file to the arguments.
  public var script: String? {
    guard case .run(let text) = resolved.action, step.interpreter(of: text) != nil else {
      return nil
    }
    return text
  }

  /// Runs one attempt.
  func carryOut(by executor: any Executor, _ registry: ActionRegistry) async throws -> StepOutputs {
    let code: ActionRegistry.Body
    switch resolved.action {
    case .run, .exec, .wait, .pause: return try await executor.execute(self)
    case .unmet(let text): throw FailureReason.unmet(text)
    case .call(let name, _): code = { try await registry.body(of: name)($0) }
    case .perform(let work):
      guard let closure = work.body as? ClosureWork else {
        preconditionFailure("BUG: unknown kind of in-process work")
      }
      code = closure.body
    }
    guard executor.executesSwiftCode(of: step) else { return try await code(self) }
    var context = self
    context.swiftCode = code
    return try await executor.execute(context)
  }

  /// Runs the closure or the called action of the step, for executors that execute such steps.
  ///
  /// - Returns: The outputs of the step.
  /// - Throws: The error of the code; ``FailureReason`` if the step is not in Swift code, or if the
  ///   action that it calls is not registered.
  public func performSwiftCode() async throws -> StepOutputs {
    guard let swiftCode else {
      throw FailureReason.notStarted("step \"\(step.id)\" has no Swift code to run")
    }
    return try await swiftCode(self)
  }
}

extension Shell {
  /// Returns the program that runs a script, with its arguments.
  package func commandLine(for script: String) -> [String] {
    switch self {
    case .standard: PlainCommand.words(of: script) ?? ["/bin/sh", "-e", "-c", script]
    case .named(let shell): [shell] + Self.options(for: shell) + ["-c", script]
    case .arguments(let words): words + [script]
    }
  }

  /// Returns options that make known shells fail when a command, or any part of a pipeline, fails.
  private static func options(for shell: String) -> [String] {
    switch shell.split(separator: "/").last ?? "" {
    case "bash", "zsh", "ksh": ["-e", "-o", "pipefail"]
    case "sh", "dash", "ash": ["-e"]
    default: []
    }
  }
}

extension ResolvedStep.Action {
  /// The action for comparison with others; nil for a closure, which cannot be compared.
  var comparable: Self? { if case .perform = self { nil } else { self } }

  /// The text of the action for a stored hash: equal for equal work.
  var text: String {
    switch self {
    // The JSON of a map has sorted keys; a dictionary has no order.
    case .call(let name, let arguments):
      "call \(name) " + ArgumentValue.map(arguments).value.json
    case .perform: "a closure"
    case .run, .exec, .wait, .pause, .unmet: "\(self)"
    }
  }
}
