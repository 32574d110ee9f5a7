// Waits until a run may start, by the policy of its concurrency group across processes.

import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal
import Synchronization

/// A run's wait for earlier runs of its concurrency group.
///
/// Each run gets a turn when it is recorded, and waits for live runs with earlier turns. A run is
/// live while its lock is held. The kernel releases the lock of a crashed run, so the wait for it
/// lasts only as long as its cleanup, or as long as steps of it go on without their engine.
struct Turn {
  let run: RecordedRun
  let concurrency: Concurrency?
  let journal: Journal
  let settings: EngineSettings
  let controls: RunControls
  let lines: GroupLines
  /// Prints a message that names the run being waited for.
  let say: @Sendable (TerminalSafe) -> Void

  /// The runs in whose steps this process runs.
  var callers = CallingSteps().runs

  /// Refuses a run that would wait for one in whose step it runs, or cancel it.
  ///
  /// - Throws: ``Problem``, or ``JournalError``.
  func expectNotToWaitForCallers() async throws {
    guard let concurrency, !callers.isEmpty else { return }
    let own = try await before(concurrency, last: .max).filter { callers.contains($0.description) }
    guard let caller = own.last else { return }
    switch concurrency.policy {
    case .queue where own.count >= concurrency.limit:
      throw Problem(
        "error: run \(caller) of the group \"\(concurrency.group)\" waits for this command, "
          + "which would wait for it",
        cause: .internalFailure)
    case .restart:
      throw Problem(
        "error: this command would cancel run \(caller) of the group \"\(concurrency.group)\", "
          + "which waits for it",
        cause: .internalFailure)
    default: return
    }
  }

  /// Waits until the run may start.
  ///
  /// - Parameter onWait: Called if the run must wait.
  /// - Returns: Whether the run may start; false if it was cancelled while waiting.
  /// - Throws: ``JournalError`` or ``Problem``; `CancellationError` if the task is cancelled.
  func comes(onWait: () -> Void) async throws -> Bool {
    guard let concurrency else { return true }
    switch concurrency.policy {
    case .parallel, .reject: return true
    case .restart: return try await comes(concurrency, in: nil, onWait: onWait)
    case .queue: break
    }
    let (place, ahead) = lines.join(run, concurrency)
    defer { lines.leave(place) }
    guard let ahead else { return try await comes(concurrency, in: place, onWait: onWait) }
    onWait()
    let awaited = concurrency.awaited(after: ahead)
    say("waiting for \(awaited) of the group \"\(concurrency.group)\"")
    controls.onCancel { place.look() }
    guard try await lines.isFirst(place, unless: { controls.isCancelled }) else { return false }
    return try await comes(concurrency, in: place, after: awaited, onWait: onWait)
  }

  /// Watches the group until the run may start; see `comes(onWait:)`.
  ///
  /// A run that has waited in its line has already said what it waits for.
  private func comes(
    _ concurrency: Concurrency, in place: GroupLines.Place?, after announced: String? = nil,
    onWait: () -> Void
  ) async throws -> Bool {
    // Usually the group is free and the folder need not be watched.
    let ahead = try await before(concurrency, last: concurrency.limit, place)
    if ahead.count < concurrency.limit { return !controls.isCancelled }
    let changes = try await blocking { [journal] in
      try FolderChanges(ofLiveRunsIn: journal.directory)
    }
    if let place { lines.keep(changes, for: place) }
    let asking = Asking()
    let stop: @Sendable () -> Void = {
      changes.look()
      // A suspended process does not answer, so close the connection.
      asking.client.withLock { $0 }?.close()
      asking.work.withLock { $0 }?.cancel()
    }
    controls.onCancel(stop)
    return try await withTaskCancellationHandler {
      try await comes(concurrency, in: place, changes, asking, after: announced, onWait: onWait)
    } onCancel: {
      stop()
    }
  }

  private func comes(
    _ concurrency: Concurrency, in place: GroupLines.Place?, _ changes: FolderChanges,
    _ asking: Asking, after announced: String?, onWait: () -> Void
  ) async throws -> Bool {
    var asked: Set<RunID> = []
    var announced = announced
    // A run that restarts the group cancels all that are ahead.
    let count = concurrency.policy == .restart ? .max : max(concurrency.limit &+ 1, 1)
    return try await changes.first {
      if controls.isCancelled { return false }
      let before = try await before(concurrency, last: count, place)
      guard let awaited = concurrency.awaited(of: before) else { return true }
      if announced == nil { onWait() }
      if announced != awaited {
        say("waiting for \(awaited) of the group \"\(concurrency.group)\"")
        announced = awaited
        if let last = before.last, !journal.isLive(last), concurrency.policy == .queue {
          say(
            "  steps of it go on without their engine: reprise resume \(last), or reprise cancel "
              + "\(last)")
        }
      }
      if concurrency.policy == .restart {
        for other in before where !asked.contains(other) && !controls.isCancelled {
          if await cancel(other, asking) { asked.insert(other) }
        }
      }
      return nil
    } ?? false
  }

  private func before(
    _ concurrency: Concurrency, last count: Int, _ place: GroupLines.Place? = nil
  ) async throws -> [RunID] {
    try await blocking { [journal, run] in
      try journal.liveRuns(
        of: concurrency.group, before: run.turn, last: count, passed: place?.passed)
    }
  }

  /// Asks another run to cancel.
  ///
  /// - Returns: Whether the run has accepted the request; false while it is starting.
  private func cancel(_ other: RunID, _ asking: Asking) async -> Bool {
    guard let client = try? ControlClient(journal.directory.socketPath(of: other)) else {
      return await cancelSteps(ofInterrupted: other, asking)
    }
    asking.client.withLock { $0 = client }
    defer { asking.client.withLock { $0 = nil } }
    // A cancel may have been requested in the meantime.
    guard !controls.isCancelled, !Task.isCancelled else { return false }
    return (try? await client.ask(.run(.cancel(steps: [], now: false))))?.isAccepted == true
  }
}

extension Turn {
  /// Cancels a run whose engine has died, and of which steps go on, unless this run is cancelled first.
  ///
  /// - Returns: Whether it was cancelled, or cannot be.
  private func cancelSteps(ofInterrupted other: RunID, _ asking: Asking) async -> Bool {
    let record = try? await blocking { [journal] in
      journal.isLive(other) || !journal.hasLiveHosts(other) ? nil : try journal.run(with: other)
    }
    guard let record = record ?? nil else { return false }
    let work = Task { [journal, settings, say] in
      _ = try await InterruptedRun(record, in: journal, settings: settings)
        .cancel(isKilled: false, by: .api, say: say)
    }
    asking.work.withLock { $0 = work }
    defer { asking.work.withLock { $0 = nil } }
    if controls.isCancelled || Task.isCancelled { work.cancel() }
    do {
      try await work.value
      return true
    } catch {
      guard !controls.isCancelled, !Task.isCancelled else { return false }
      say("warning: run \(other) cannot be cancelled: \(error)")
      return true
    }
  }
}

extension Concurrency {
  /// Returns what a run waits for.
  ///
  /// With a limit, it says the runs only when the next one that ends is enough: until then the list
  /// would change with each run that begins or ends.
  ///
  /// - Parameter before: The last live runs with turns before its own, the next one last: one more than
  ///   the limit, if there are so many.
  /// - Returns: The words; nil if the run may begin.
  func awaited(of before: [RunID]) -> String? {
    guard before.count >= limit, let last = before.last else { return nil }
    guard limit > 1, before.count == limit else { return awaited(after: last) }
    return "one of the runs \(before.map(\.description).joined(separator: ", "))"
  }

  /// Returns what a run waits for that is directly behind another one, which waits as well if there is a
  /// limit.
  func awaited(after last: RunID) -> String {
    limit == 1 ? "run \(last)" : "a place after run \(last)"
  }
}

/// What is being done to cancel another run.
private final class Asking: Sendable {
  /// The connection to a run that is being asked.
  let client = Mutex<ControlClient?>(nil)
  /// The cancel of a run without an engine.
  let work = Mutex<Task<Void, any Error>?>(nil)
}
