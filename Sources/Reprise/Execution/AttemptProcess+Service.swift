// The process of a service: checks when it is ready, and stops it with the signal that it wants.

import ChildProcesses
import Dispatch
import Platform
import Synchronization
import WorkflowLanguage

extension AttemptProcess {
  /// How the wait until a service is ready has ended.
  private enum Readiness {
    case ready, late, stopped
  }

  /// Starts a service, reports when it is ready, and waits until nothing of it is left.
  ///
  /// A service ends only if its task is cancelled; every other end is a failure.
  ///
  /// - Parameters:
  ///   - rule: The rules of the service.
  ///   - spec: The attempt.
  ///   - inherited: The variables that it inherits.
  ///   - directory: The directory that its own is relative to; nil for that of this process.
  ///   - context: Where it reports; stops it when its task is cancelled.
  /// - Returns: Its outputs; in fact it always throws.
  /// - Throws: ``FailureReason`` or `CancellationError`.
  static func run(
    _ rule: ServiceRule, _ spec: AttemptSpec, inheriting inherited: Environment,
    in directory: String?, for context: StepContext
  ) async throws -> StepOutputs {
    let sign = SharedAnswer<Void>()
    let attempt = try AttemptProcess(
      spec, inheriting: inherited, in: directory, masker: context.masker,
      roomForOutput: context.roomForOutput
    ) { news in
      switch (news, rule.probe) {
      case (.ready, .report): sign.answer(())
      case (.ready, _): break
      case (.output(_, let text, _), .line(let wanted)):
        if text.contains(wanted) { sign.answer(()) }
        return context.report(news)
      default: return context.report(news)
      }
      return true
    }
    defer { attempt.removeFile() }
    let check = ServiceCheck(
      rule: rule, spec: spec, inherited: inherited, directory: directory, sign: sign)
    let becomingReady = Task { await attempt.becomeReady(check, context) }
    let status = await withTaskCancellationHandler {
      await context.withKillHandler({ attempt.kill() }, operation: { await attempt.end() })
    } onCancel: {
      attempt.terminate(grace: context.gracePeriod, signal: rule.stopSignal)
    }
    becomingReady.cancel()
    let readiness = await becomingReady.value
    try Task.checkCancellation()
    if readiness == .late { throw FailureReason.timedOut(after: rule.timeout) }
    if status == .exited(code: 0) { throw FailureReason.exited(status: 0) }
    return try attempt.outputs(of: status)
  }

  /// Waits until the service is ready, and stops it if that takes too long.
  private func becomeReady(_ check: ServiceCheck, _ context: StepContext) async -> Readiness {
    let readiness = await withTaskGroup(of: Readiness.self) { group in
      group.addTask { await check.isPassed(context) ? .ready : .stopped }
      group.addTask {
        (try? await Task.sleep(for: check.rule.timeout)) == nil ? .stopped : .late
      }
      let first = await group.next() ?? .stopped
      group.cancelAll()
      return first
    }
    switch readiness {
    case .ready: reportReady(to: context)
    case .late:
      let last = check.complaint.value.map { "; the last check \($0)" } ?? ""
      context.report(
        "it was not ready within \(durationText(check.rule.timeout))\(last)", on: .standardError)
      terminate(grace: context.gracePeriod, signal: check.rule.stopSignal)
    case .stopped: break
    }
    return readiness
  }
}

/// The check whether a service is ready.
struct ServiceCheck: Sendable {
  let rule: ServiceRule
  let spec: AttemptSpec
  let inherited: Environment
  let directory: String?
  /// Answered when the service says itself that it is ready.
  let sign: SharedAnswer<Void>
  /// How the last script that checked has failed.
  let complaint = LastComplaint()

  private static let queue = DispatchQueue(label: "reprise.probes", attributes: .concurrent)

  /// Waits until the service is ready.
  ///
  /// - Returns: Whether it is; false if the task was cancelled.
  func isPassed(_ context: StepContext) async -> Bool {
    switch rule.probe {
    case nil: return true
    case .line, .report: return await sign.value() != nil
    case .run(let script):
      return await repeating { await succeeds(script, context) }
    case .port(let port):
      return await repeating {
        await Self.queue.result { acceptsConnections(host: "localhost", port: port) }
      }
    case .http(let address):
      return await repeating {
        let status = await Self.queue.result {
          httpStatus(host: address.host, port: address.port, path: address.path)
        }
        return (200..<400).contains(status ?? 0)
      }
    }
  }

  private func repeating(_ isReady: () async -> Bool) async -> Bool {
    while !Task.isCancelled {
      if await isReady() { return !Task.isCancelled }
      guard (try? await Task.sleep(for: rule.interval)) != nil else { return false }
    }
    return false
  }

  /// Runs a script like the service itself, without its reports.
  private func succeeds(_ script: String, _ context: StepContext) async -> Bool {
    var words = context.step.commandLine(for: script, in: context.workflow)
    var file: ScriptFile?
    defer { file?.remove() }
    if context.step.interpreter(of: script) != nil {
      do throws(FailureReason) {
        let written = try ScriptFile(script, folder: inherited["TMPDIR"])
        words.append(written.path)
        file = written
      } catch {
        complaint.note("\(error)")
        return false
      }
    }
    let command = Command(
      executable: words[0], arguments: Array(words.dropFirst()),
      environment: AttemptProcess.environment(of: spec, inheriting: inherited),
      directory: resolvedDirectory(directory, spec.directory))
    let lines = LastComplaint()
    let child: ChildProcess
    do {
      child = try ChildProcess.spawn(command) { output in
        lines.noteLine(of: output.text)
        return true
      }
    } catch {
      complaint.note("could not start: \(error)")
      return false
    }
    let status = await withTaskCancellationHandler {
      await child.end()
    } onCancel: {
      child.kill()
    }
    if status == .exited(code: 0) { return true }
    // A check that is stopped with its service says nothing about it.
    if !Task.isCancelled { complaint.note(status.clause + (lines.value.map { ": \($0)" } ?? "")) }
    return false
  }
}

/// The last words of a check that has failed.
final class LastComplaint: Sendable {
  private static let lengthMax = 200
  private let text = Mutex<String?>(nil)

  var value: String? { text.withLock { $0 } }

  func note(_ text: String) { self.text.withLock { $0 = text } }

  /// Keeps the last line of some output.
  func noteLine(of output: String) {
    if let line = output.split(separator: "\n").last { note(String(line.prefix(Self.lengthMax))) }
  }
}

extension ChildExit {
  fileprivate var clause: String {
    switch self {
    case .exited(let code): "exited with status \(code)"
    case .signalled(let signal): "was ended by signal \(signal)"
    }
  }
}
