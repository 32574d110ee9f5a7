// `ServiceCheck`: the checks whether a service is ready, before and after its start, and alive.

import ChildProcesses
import Dispatch
import Platform
import Synchronization
import Workflows

/// The checks whether a service is ready, and then whether it is alive.
final class ServiceCheck: Sendable {
  let rule: ServiceRule
  private let spec: AttemptSpec
  private let inherited: Environment
  private let directory: String?
  /// Answered when the service says itself that it is ready.
  private let sign = SharedAnswer<Void>()
  /// How the last check has failed.
  private let complaint = LastComplaint()
  private let hasWritten = Mutex(false)

  private static let queue = DispatchQueue(label: "reprise.probes", attributes: .concurrent)
  /// How long a script may take before the start of the service.
  private static let timeBeforeStart = Duration.seconds(2)

  /// Creates the check of a service that inherits variables and runs in a directory.
  init(rule: ServiceRule, spec: AttemptSpec, inherited: Environment, directory: String?) {
    self.rule = rule
    self.spec = spec
    self.inherited = inherited
    self.directory = directory
  }

  /// Takes note of what the service reports.
  func note(_ news: AttemptNews) {
    switch news {
    case .ready:
      if case .report? = rule.probe { sign.answer(()) }
    case .output(_, let text, _):
      guard case .line(let wanted)? = rule.probe else { return }
      hasWritten.withLock { $0 = true }
      if text.contains(wanted) || text.contains("\u{1B}") && text.withoutColours.contains(wanted) {
        sign.answer(())
      }
    default: break
    }
  }

  /// Why a service is not ready, as far as is known: for the report that it is late.
  var hint: String? {
    if let last = complaint.value { return "the last check \(last)" }
    guard case .line? = rule.probe else { return nil }
    return hasWritten.withLock { $0 }
      ? "no line of its output contained the text"
      : "it has written nothing; many programs keep their output back if it is no terminal: see "
        + "PYTHONUNBUFFERED=1, stdbuf -oL"
  }

  /// Checks before the start of the service whether something else answers in its place.
  ///
  /// - Returns: A warning; nil if there is nothing to warn of.
  /// - Throws: ``FailureReason`` if it answers at the port of the service, which must not start.
  func answerBeforeStart(_ context: StepContext) async throws(FailureReason) -> String? {
    switch rule.probe {
    case nil, .line, .report: return nil
    case .port(let port):
      guard await Self.isOpen(port) else { return nil }
      throw .notStarted("port \(port) is already in use by another process")
    case .http(let address):
      guard await Self.status(at: address) != nil else { return nil }
      throw .notStarted(
        "port \(address.port) is already in use: \(address.host) answers before the service starts")
    case .run(let script):
      let succeeds = await succeeds(script, within: Self.timeBeforeStart, context)
      complaint.clear()
      return succeeds
        ? "warning: its check succeeds before it starts: something else may answer in its place"
        : nil
    }
  }

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
      return await repeating { await accepts(port) }
    case .http(let address):
      return await repeating { await answers(address) }
    }
  }

  /// Checks a service that is ready, until so many checks fail in a row that it is not alive.
  ///
  /// - Returns: Why it is not alive; nil if the task was cancelled, or it has no check.
  func failureWhileReady(_ context: StepContext) async -> String? {
    guard let rule = rule.liveness else { return nil }
    var count = 0
    while (try? await Task.sleep(for: rule.interval)) != nil {
      let isAlive =
        switch rule.probe {
        case .run(let script): await succeeds(script, within: rule.timeout, context)
        case .port(let port): await accepts(port)
        case .http(let address): await answers(address)
        case .line, .report, nil: true
        }
      if Task.isCancelled { return nil }
      count = isAlive ? 0 : count + 1
      guard count >= rule.failures else { continue }
      let checks = count == 1 ? "the check failed" : "\(count) checks failed in a row"
      return "not alive: \(checks)" + (complaint.value.map { ": the last \($0)" } ?? "")
    }
    return nil
  }

  private func accepts(_ port: Int) async -> Bool {
    if await Self.isOpen(port) { return true }
    complaint.note("found that port \(port) accepts no connection")
    return false
  }

  private func answers(_ address: HTTPAddress) async -> Bool {
    let status = await Self.status(at: address)
    if let status, (200..<400).contains(status) { return true }
    complaint.note(status.map { "got status \($0)" } ?? "got no answer")
    return false
  }

  /// Runs a script, which counts as failed if it takes too long.
  private func succeeds(
    _ script: String, within time: Duration, _ context: StepContext
  ) async -> Bool {
    await withTaskGroup(of: Bool?.self) { group in
      group.addTask { await self.succeeds(script, context) }
      group.addTask {
        try? await Task.sleep(for: time)
        return nil
      }
      let first = await group.next() ?? false
      group.cancelAll()
      if first == nil { complaint.note("did not end within \(durationText(time))") }
      return first ?? false
    }
  }

  private static func isOpen(_ port: Int) async -> Bool {
    await queue.result { acceptsConnections(host: "localhost", port: port) }
  }

  /// Returns the status of the answer at an address; nil if there is none.
  private static func status(at address: HTTPAddress) async -> Int? {
    await queue.result {
      httpStatus(host: address.host, port: address.port, path: address.path)
    }
  }

  /// Checks until it is ready: most services are within some milliseconds, so the first pauses are short.
  private func repeating(_ isReady: () async -> Bool) async -> Bool {
    var pause = min(Self.firstPause, rule.interval)
    while !Task.isCancelled {
      if await isReady() { return !Task.isCancelled }
      guard (try? await Task.sleep(for: pause)) != nil else { return false }
      pause = min(pause * 2, rule.interval)
    }
    return false
  }

  private static let firstPause: Duration = .milliseconds(10)

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
      child = try await ChildProcess.spawn(command) { output in
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
private final class LastComplaint: Sendable {
  private static let lengthMax = 200
  private let text = Mutex<String?>(nil)

  var value: String? { text.withLock { $0 } }

  func note(_ text: String) { self.text.withLock { $0 = text } }

  func clear() { text.withLock { $0 = nil } }

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
