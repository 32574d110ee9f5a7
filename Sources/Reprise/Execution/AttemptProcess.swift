// `AttemptProcess`: the process tree of one attempt on this machine, with its output and outputs.

import ChildProcesses
package import Masking
import Synchronization

/// The running process tree of one attempt.
package struct AttemptProcess: Sendable {
  private let child: ChildProcess
  /// The same process, if it owns the terminal.
  private let onTerminal: TerminalProcess?
  private let outputs: OutputFile
  private let variables: VariablesFile
  /// The file with the script, if an interpreter reads it.
  private let script: ScriptFile?

  /// Starts the program of an attempt.
  ///
  /// - Parameters:
  ///   - spec: The attempt.
  ///   - inherited: The variables that it inherits.
  ///   - directory: The directory that its own is relative to; nil for that of this process.
  ///   - masker: Masks the secrets in the output.
  ///   - roomForOutput: Waits until more may be reported, after `report` has returned false.
  ///   - report: Receives the news on the thread that serves all processes, where it must not
  ///     block; returns whether more may follow immediately.
  /// - Throws: ``FailureReason`` if the program cannot be started; nothing is left then.
  package init(
    _ spec: AttemptSpec, inheriting inherited: [String: String], in directory: String?,
    masker: Masker, roomForOutput: @escaping @Sendable () async -> Void,
    report: @escaping @Sendable (AttemptNews) -> Bool
  ) async throws(FailureReason) {
    try await self.init(
      spec, inheriting: Environment(inherited), in: directory, masker: masker,
      roomForOutput: roomForOutput, report: report)
  }

  init(
    _ spec: AttemptSpec, inheriting inherited: Environment, in directory: String?,
    onTerminal terminal: Int32? = nil, trace: FileTrace? = nil, masker: Masker,
    roomForOutput: @escaping @Sendable () async -> Void,
    report: @escaping @Sendable (AttemptNews) -> Bool
  ) async throws(FailureReason) {
    let files = try AttemptFiles(for: spec, folder: inherited["TMPDIR"])
    if spec.temporaryFolder != nil { files.openToAllUsers() }
    (outputs, variables, script) = (files.outputs, files.variables, files.script)
    var environment = Self.environment(of: spec, inheriting: inherited)
    environment["REPRISE_OUTPUT"] = outputs.path
    environment[VariablesFile.variable] = variables.path
    var command = Command(
      executable: spec.command[0],
      arguments: Array(spec.command.dropFirst()) + (script.map { [$0.path] } ?? []),
      environment: environment, directory: resolvedDirectory(directory, spec.directory),
      tag: AttemptSpec.identityNames, reportVariable: "REPRISE_PROGRESS")
    command.reportsFromAllUsers = spec.temporaryFolder != nil
    command.mergesStreams = spec.mergesStreams == true
    command.stopsOthers = spec.stopsOthers == true
    if spec.writesToTerminal == true {
      command.write(toTerminalOf: environment)
      // A pager would wait for a key that cannot come.
      for name in ["PAGER", "GIT_PAGER"] where spec.environment[name] == nil {
        command.environment[name] = "cat"
      }
    }
    command.trace = trace
    let onOutput: @Sendable (OutputLines) -> Bool = { lines in
      if lines.stream == .report, ProgressText.isReady(in: lines.text) { _ = report(.ready) }
      return Self.news(lines, masker).map(report) ?? true
    }
    do throws(SpawnError) {
      if let terminal {
        let process = try await TerminalProcess(command, on: terminal, onReport: onOutput)
        (child, onTerminal) = (process.child, process)
      } else {
        child = try await ChildProcess.spawn(
          command, filter: Self.filter(masker), roomForOutput: roomForOutput, onOutput: onOutput)
        onTerminal = nil
      }
    } catch {
      files.remove()
      throw .notStarted(
        error.description
          + (spec.script == nil ? "" : "; the first line of the script names this interpreter"))
    }
  }

  /// Returns the variables of the program of an attempt, without those for its reports.
  static func environment(
    of spec: AttemptSpec, inheriting inherited: Environment
  ) -> Environment {
    var environment = inherited
    for (name, value) in spec.weakEnvironment where inherited[name] == nil {
      environment[name] = value
    }
    for name in spec.hiddenVariables { environment[name] = nil }
    for (name, value) in spec.environment { environment[name] = value }
    return environment
  }

  /// Starts the program of an attempt and waits until nothing of it is left.
  ///
  /// - Parameters:
  ///   - spec: The attempt.
  ///   - inherited: The variables that it inherits.
  ///   - directory: The directory that its own is relative to; nil for that of this process.
  ///   - context: Where it reports; stops it when its task is cancelled.
  /// - Returns: The outputs.
  /// - Throws: ``FailureReason`` or `CancellationError`.
  package static func run(
    _ spec: AttemptSpec, inheriting inherited: [String: String], in directory: String?,
    for context: StepContext
  ) async throws -> StepOutputs {
    try await run(spec, inheriting: Environment(inherited), in: directory, for: context)
  }

  static func run(
    _ spec: AttemptSpec, inheriting inherited: Environment, in directory: String?,
    onTerminal terminal: Int32? = nil, for context: StepContext
  ) async throws -> StepOutputs {
    let started = SharedAnswer<AttemptProcess>()
    let refusal = Refusal()
    let trace = terminal == nil ? context.watch?.begin() : nil
    let attempt = try await AttemptProcess(
      spec, inheriting: inherited, in: directory, onTerminal: terminal, trace: trace,
      masker: context.masker,
      roomForOutput: context.roomForOutput
    ) { news in
      guard case .ready = news else { return context.report(news) }
      Task {
        // With outputs that its users cannot have, it must not go on until its end.
        let attempt = await started.value()
        guard let reason = attempt?.reportReady(to: context) else { return }
        refusal.reason.withLock { $0 = $0 ?? reason }
        attempt?.terminate(grace: context.gracePeriod)
      }
      return true
    }
    started.answer(attempt)
    defer { attempt.removeFile() }
    let status = await withTaskCancellationHandler {
      await context.withKillHandler({ attempt.kill() }, operation: { await attempt.end() })
    } onCancel: {
      attempt.terminate(grace: context.gracePeriod)
    }
    if let trace { context.watch?.end(trace) }
    if Task.isCancelled || status != .exited(code: 0) {
      context.report(written: attempt.writtenOutputs)
    }
    // A cancelled step has not completed its work, whatever its exit status.
    try Task.checkCancellation()
    if let reason = refusal.reason.withLock({ $0 }) { throw reason }
    return try attempt.outputs(of: status)
  }

  /// Asks every process of the tree to end, and kills what is left after the grace period.
  ///
  /// - Parameter grace: The grace period.
  package func terminate(grace: Duration) { child.terminate(grace: grace) }

  /// Asks every process of the tree to end with a signal of its own.
  func terminate(grace: Duration, signal: Int32) {
    child.terminate(grace: grace, signal: signal)
  }

  /// Reports that the step is ready to be used, with the outputs that it has written until now.
  ///
  /// - Returns: What is wrong with these outputs; nothing is reported then.
  @discardableResult
  func reportReady(to context: StepContext) -> FailureReason? {
    do throws(FailureReason) {
      context.reportReady(outputs: try allOutputs())
      return nil
    } catch {
      return error
    }
  }

  /// The outputs and variables that it has written until now, without those of an invalid file.
  package var writtenOutputs: StepOutputs {
    // Names with a dot occur in one of the two only.
    ((try? outputs.outputs()) ?? [:]).merging((try? variables.outputs()) ?? [:]) { $1 }
  }

  private func allOutputs() throws(FailureReason) -> StepOutputs {
    try outputs.outputs().merging(try variables.outputs()) { $1 }
  }

  /// Kills every process of the tree.
  package func kill() { child.kill() }

  /// Waits until no process of the tree is left and all output has been reported.
  ///
  /// - Returns: The result; a stopped program has failed by a signal, or succeeded all the same.
  package func result() async -> AttemptResult {
    let status = await child.end()
    do throws(FailureReason) {
      return .succeeded(try outputs(of: status))
    } catch {
      return .failed(error)
    }
  }

  func end() async -> ChildExit {
    if let onTerminal { return await onTerminal.end() }
    return await child.end()
  }

  /// Returns the outputs of the ended program.
  ///
  /// - Parameter status: Its exit status.
  /// - Returns: The outputs that it wrote to the file named by `REPRISE_OUTPUT`, and the variables
  ///   that it wrote to the one named by `REPRISE_ENV`.
  /// - Throws: ``FailureReason`` if it failed, or if a file is invalid.
  func outputs(of status: ChildExit) throws(FailureReason) -> StepOutputs {
    switch status {
    case .exited(code: 0): return try allOutputs()
    case .exited(let code): throw .exited(status: Int(code))
    case .signalled(let signal): throw .signalled(signal: Int(signal))
    }
  }

  /// Removes the files of the attempt.
  package func removeFile() {
    AttemptFiles(outputs: outputs, variables: variables, script: script).remove()
  }

  private static func news(_ lines: OutputLines, _ masker: Masker) -> AttemptNews? {
    switch lines.stream {
    case .leftBehind: .leftBehind(masker.masked(lines.text))
    case .report:
      ProgressText.progress(in: lines.text).map { .progress($0.part, masker.masked($0.text)) }
    case .standardOutput:
      .output(.standardOutput, text: lines.text, isPartial: lines.isPartial)
    case .standardError: .output(.standardError, text: lines.text, isPartial: lines.isPartial)
    }
  }

  /// Returns a factory of filters that mask secrets in output; nil if there are no secrets.
  private static func filter(_ masker: Masker) -> (@Sendable () -> any OutputFilter)? {
    guard !masker.isEmpty else { return nil }
    return { MaskingFilter(stream: masker.stream()) }
  }
}

extension Command {
  /// Sends the output to a pseudo-terminal of the usual size, or the one that variables of the program
  /// give.
  fileprivate mutating func write(toTerminalOf variables: Environment) {
    var size = TerminalSize()
    func number(_ name: String) -> UInt16? {
      variables[name].flatMap { UInt16($0) }.flatMap { $0 > 0 ? $0 : nil }
    }
    size.columns = number("COLUMNS") ?? size.columns
    size.rows = number("LINES") ?? size.rows
    terminal = size
    if variables["TERM"] == nil { environment["TERM"] = "xterm-256color" }
  }
}

/// What is wrong with the outputs of a program that says that it is ready.
private final class Refusal: Sendable {
  let reason = Mutex<FailureReason?>(nil)
}

/// Masks secrets in one output stream.
private struct MaskingFilter: OutputFilter {
  var stream: MaskingStream

  mutating func append(_ bytes: ArraySlice<UInt8>) -> [UInt8] { stream.append(bytes) }

  mutating func finish() -> [UInt8] { stream.finish() }
}
