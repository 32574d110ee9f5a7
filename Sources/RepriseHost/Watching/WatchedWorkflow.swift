// Runs of a workflow by its triggers, in programs that embed the engine.

import CombineOperators
public import Reprise
import RepriseTerminal

extension Engine {
  /// Runs a workflow by its triggers: at the start, when files change, and on schedules.
  ///
  ///     let workflow = try Workflow("site", .on(["files": ["pages/**"], "when-busy": "restart"])) { … }
  ///     for try await run in try Engine().watch(workflow).values { print(run.id) }
  ///
  /// What happens to an event during a run, the size of the queue and the debounce are settings of
  /// the workflow. With `restart`, the run is restarted in place. The publisher is cold: each
  /// subscription watches, and has its own runs; cancelling it cancels them. Events are not recorded:
  /// those that wait when the program ends are lost.
  ///
  /// - Parameters:
  ///   - workflow: The workflow, with `Workflow.triggers`.
  ///   - folder: The folder that the patterns of files are relative to.
  ///   - secrets: The values of its secrets.
  ///   - onMessage: Called with messages for people, such as a limit of the system on watched files.
  /// - Returns: The publisher of the runs.
  /// - Throws: ``WatchError`` if the workflow has no triggers, or others.
  public func watch(
    _ workflow: Workflow, in folder: String = ".", secrets: Secrets = Secrets(),
    onMessage: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(WatchError) -> RunsPublisher {
    try RunsPublisher(of: workflow, in: folder, onMessage: onMessage) {
      self.start(workflow, secrets: secrets)
    }
  }
}

extension RunHost {
  /// Runs a workflow by its triggers; each run is recorded and can be controlled.
  ///
  /// The contract is that of `Engine.watch(_:in:secrets:onMessage:)`. A run that cannot be started is
  /// reported as a message. The publisher finishes when the host is shut down.
  ///
  /// - Parameters:
  ///   - workflow: The workflow, with `Workflow.triggers`.
  ///   - folder: The folder that the patterns of files are relative to.
  ///   - secrets: The values of its secrets.
  /// - Returns: The publisher of the runs.
  /// - Throws: ``WatchError`` if the workflow has no triggers, or others.
  public func watch(
    _ workflow: Workflow, in folder: String = ".", secrets: Secrets = Secrets()
  ) throws(WatchError) -> RunsPublisher {
    let report: @Sendable (String) -> Void = { [say] in say("\($0)") }
    return try RunsPublisher(of: workflow, in: folder, onMessage: report, onClose: group.onClose) {
      do throws(HostError) {
        return try await self.start(workflow, secrets: secrets)
      } catch {
        report(error.description)
        return nil
      }
    }
  }
}

extension RunsPublisher {
  /// Creates the publisher of the runs of a watched workflow.
  fileprivate init(
    of workflow: Workflow, in folder: String, onMessage: @escaping @Sendable (String) -> Void,
    onClose: @escaping WatchedEvents.Closing = { _ in {} },
    begin: @escaping @Sendable () async -> Run?
  ) throws(WatchError) {
    guard let triggers = workflow.triggers, !triggers.sources.isEmpty else { throw .noTriggers }
    let others = triggers.sources.filter {
      !($0 is FileTrigger) && !($0 is ScheduleTrigger) && !($0 is StartTrigger)
    }
    guard others.isEmpty else { throw .unsupported(others.flatMap(\.words)) }
    let files: WatchedFiles?
    do {
      files = try triggers.files.map { try WatchedFiles($0, of: workflow) }
    } catch {
      throw .failed("\(error)")
    }
    let events = WatchedEvents(
      triggers: triggers, files: files, folder: folder, onMessage: onMessage, onClose: onClose)
    self.init(
      base: events.publisher.runs(
        RunsPolicy(
          whenBusy: WhenBusy(triggers, room: 0), onDrop: { _ in }, fold: { $0.fold($1) },
          begin: { _ in await begin() },
          restart: { run, event in
            // Nil for all steps: the event says nothing about them.
            let steps =
              triggers.restartsAffected && event.cause == .files
              ? files?.steps(affectedBy: event.paths) : nil
            if steps?.isEmpty == true { return true }
            return (try? await run.restart(with: workflow, from: steps)) ?? false
          })))
  }
}

/// The events of the triggers of a workflow; each iterator watches.
private struct WatchedEvents: AsyncSequence, Sendable {
  typealias Element = Trigger
  typealias Failure = any Error
  /// Calls a closure when no run can begin any more; returns what has it forgotten.
  typealias Closing = @Sendable (@escaping @Sendable () -> Void) -> @Sendable () -> Void

  let triggers: Triggers
  let files: WatchedFiles?
  let folder: String
  let onMessage: @Sendable (String) -> Void
  let onClose: Closing

  func makeAsyncIterator() -> AsyncThrowingStream<Trigger, any Error>.Iterator {
    AsyncThrowingStream { continuation in
      let task = Task {
        await withTaskGroup { group in
          group.addTask { await observeFiles(continuation) }
          for schedule in triggers.schedules {
            group.addTask {
              for await moment in schedule.moments() {
                continuation.yield(Trigger(.schedule, time: moment.description))
              }
            }
          }
          await group.waitForAll()
        }
        continuation.finish()
      }
      let forget = onClose { continuation.finish() }
      continuation.onTermination = { _ in
        task.cancel()
        forget()
      }
    }.makeAsyncIterator()
  }

  /// Reports the start, once every file is watched, and then changes of files.
  private func observeFiles(
    _ continuation: AsyncThrowingStream<Trigger, any Error>.Continuation
  ) async {
    let clock = SystemClock()
    func reportStart() {
      if triggers.atStart { continuation.yield(Trigger(.start, time: clock.now.description)) }
    }
    guard let files, let trigger = triggers.files else { return reportStart() }
    do {
      let changes = try await blocking { [triggers, folder, onMessage] in
        try FileChanges(
          files, in: folder, respectsGitignore: trigger.respectsGitignore,
          quiet: triggers.debounce ?? WatchSources.filesQuiet, onProblem: onMessage)
      }
      reportStart()
      for await paths in changes {
        continuation.yield(
          Trigger(
            .files, time: clock.now.description, count: paths.count,
            paths: Array(paths.prefix(WatchSources.pathsMax))))
      }
    } catch {
      continuation.finish(throwing: error)
    }
  }
}
