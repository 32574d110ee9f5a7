// Runs the `on-end` command of a workflow after the end of a run.

import ChildProcesses
import Dispatch
package import Reprise
package import RepriseTerminal
import Synchronization

/// The process of an `on-end` command.
struct EndCommandProcess {
  /// The time after which the command is stopped.
  static let timeMax: Duration = .seconds(30)
  /// The maximum number of bytes of its output that are kept for the warning.
  private static let outputBytesMax = 64 << 10
  /// The maximum number of lines of its output in the warning.
  private static let outputLinesMax = 10

  private let command: Command
  private let grace: Duration
  private let secrets: Secrets

  /// Creates the process of a run that has ended; nil if its workflow has no such command.
  init?(of run: Run, outcome: RunOutcome, secrets: Secrets) {
    let workflow = run.workflow
    guard let onEnd = workflow.onEnd else { return nil }
    let words: [String] =
      switch onEnd {
      case .script(let script): workflow.shell.commandLine(for: script)
      case .program(let words): words
      }
    let state = run.state
    let failed = state.steps.filter { step in
      if case .failed = step.phase { !state.isTolerated(step.id) } else { false }
    }
    var variables = inheritedEnvironment()
    variables["REPRISE_RUN_ID"] = run.id.description
    variables["REPRISE_WORKFLOW"] = workflow.name
    variables["REPRISE_OUTCOME"] = outcome.name
    variables["REPRISE_FAILED"] = failed.map(\.id).joined(separator: " ")
    command = Command(
      executable: words[0], arguments: Array(words.dropFirst()), environment: variables,
      tag: ["REPRISE_RUN_ID", "REPRISE_OUTCOME"])
    grace = workflow.grace ?? StepContext.defaultGracePeriod
    self.secrets = secrets
  }

  /// Runs the command until its whole process tree is gone.
  ///
  /// Stops it after a limited time, or when the task is cancelled.
  ///
  /// - Parameter timeMax: The time after which it is stopped.
  /// - Returns: A warning if the command failed.
  func run(timeMax: Duration = Self.timeMax) async -> TerminalSafe? {
    let output = Mutex("")
    let child: ChildProcess
    do {
      child = try await ChildProcess.spawn(command) { lines in
        guard !lines.isPartial else { return true }
        output.withLock { output in
          output += lines.text + "\n"
          if output.utf8.count > 2 * Self.outputBytesMax {
            output = String(output.suffix(Self.outputBytesMax))
          }
        }
        return true
      }
    } catch {
      return warning("it could not start: \(error.description)")
    }
    let (status, isLate) = await end(of: child, within: timeMax)
    let lines = lastLines(of: output.withLock { $0 })
    if isLate { return warning("it was stopped after \(durationText(timeMax))", lines) }
    if Task.isCancelled { return warning("it was cancelled", lines) }
    switch status {
    case .exited(code: 0): return nil
    case .exited(let code): return warning("it exited with status \(code)", lines)
    case .signalled(let signal):
      return warning("it was terminated by \(signalName(Int(signal)))", lines)
    }
  }

  /// Waits for the end of the command; the time limit or a cancelled task stops it.
  private func end(of child: ChildProcess, within timeMax: Duration) async -> (ChildExit, Bool) {
    let isLate = Mutex(false)
    let limit = DispatchWorkItem { [grace] in
      isLate.withLock { $0 = true }
      child.terminate(grace: grace)
    }
    DispatchQueue.global().asyncAfter(
      deadline: .now() + .milliseconds(Int(timeMax / .milliseconds(1))), execute: limit)
    let status = await withTaskCancellationHandler {
      await child.end()
    } onCancel: { [grace] in
      child.terminate(grace: grace)
    }
    limit.cancel()
    return (status, isLate.withLock { $0 })
  }

  private func lastLines(of output: String) -> [String] {
    secrets.hidden(in: output).split(separator: "\n").suffix(Self.outputLinesMax).map(String.init)
  }

  private func warning(_ problem: String, _ lines: [String] = []) -> TerminalSafe {
    let text: TerminalSafe = "warning: on-end: \(secrets.hidden(in: problem))"
    return ([text] + lines.map { "  | \($0)" }).joined(separator: "\n")
  }
}

extension RunControls {
  /// Runs the `on-end` command of the workflow, if it has one.
  ///
  /// Must be called after the end of the run. A further request to cancel stops the command.
  ///
  /// - Parameters:
  ///   - outcome: The outcome of the run.
  ///   - secrets: The secrets of the run, which are masked in the output of the command.
  /// - Returns: A warning if the command failed.
  package func performEndCommand(after outcome: RunOutcome, secrets: Secrets) async -> TerminalSafe?
  {
    guard let run, let process = EndCommandProcess(of: run, outcome: outcome, secrets: secrets)
    else { return nil }
    let task = Task { await process.run() }
    onNextCancel { task.cancel() }
    return await task.value
  }
}
