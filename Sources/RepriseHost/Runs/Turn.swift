// When a run may begin: the policy of its concurrency group, across the processes of a project.

import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal
import Synchronization

/// The wait of a run for the others of its group.
///
/// Each run is given a turn when it is recorded, and waits for the live ones with earlier turns. Whether a
/// run is live is a lock that the kernel releases, so a crashed one is waited for no longer than it
/// takes to clear up after it.
struct Turn {
  let run: RecordedRun
  let concurrency: Concurrency?
  let journal: Journal
  let controls: RunControls
  /// Reports what is waited for, for people.
  let say: @Sendable (TerminalSafe) -> Void

  /// Waits until the run may begin.
  ///
  /// - Parameter onWait: Called once, when there is another one to be waited for.
  /// - Returns: Whether it may: false when it was cancelled meanwhile.
  /// - Throws: ``JournalError`` or ``Problem``; `CancellationError` when the task is cancelled.
  func comes(onWait: () -> Void) async throws -> Bool {
    guard let concurrency, [.queue, .restart].contains(concurrency.policy) else { return true }
    // Most runs find their group free, and need no watch.
    if try await before(concurrency).isEmpty { return !controls.isCancelled }
    let changes = try await blocking { [journal] in
      try FolderChanges(ofLiveRunsIn: journal.directory)
    }
    let asking = Asking()
    let stop: @Sendable () -> Void = {
      changes.look()
      // One that was stopped does not answer.
      asking.client.withLock { $0 }?.close()
    }
    controls.onCancel(stop)
    return try await withTaskCancellationHandler {
      try await comes(concurrency, changes, asking, onWait: onWait)
    } onCancel: {
      stop()
    }
  }

  private func comes(
    _ concurrency: Concurrency, _ changes: FolderChanges, _ asking: Asking,
    onWait: () -> Void
  ) async throws -> Bool {
    var asked: Set<RunID> = []
    var announced: RunID?
    return try await changes.first {
      if controls.isCancelled { return false }
      let before = try await before(concurrency)
      guard let last = before.last else { return true }
      if announced == nil { onWait() }
      if announced != last {
        say("waiting for run \(last) of the group \"\(concurrency.group)\"")
        announced = last
      }
      if concurrency.policy == .restart {
        for other in before where !asked.contains(other) && !controls.isCancelled {
          if await cancel(other, asking) { asked.insert(other) }
        }
      }
      return nil
    } ?? false
  }

  private func before(_ concurrency: Concurrency) async throws -> [RunID] {
    try await blocking { [journal, run] in
      try journal.liveRuns(of: concurrency.group, before: run.turn)
    }
  }

  /// Asks another run to end.
  ///
  /// - Returns: Whether it has heard: not while it is only just beginning.
  private func cancel(_ other: RunID, _ asking: Asking) async -> Bool {
    guard let client = try? ControlClient(journal.directory.socketPath(of: other)) else {
      return false
    }
    asking.client.withLock { $0 = client }
    defer { asking.client.withLock { $0 = nil } }
    // It may have been asked for in between.
    guard !controls.isCancelled, !Task.isCancelled else { return false }
    return (try? await client.ask(.cancel(now: false))) == .ok
  }
}

/// The connection to a run that is being asked to end.
private final class Asking: Sendable {
  let client = Mutex<ControlClient?>(nil)
}
