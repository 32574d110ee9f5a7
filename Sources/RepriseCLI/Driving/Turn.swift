// When a run may begin: the policy of its concurrency group, across the processes of a project.

import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal

/// The wait of a run for the others of its group.
///
/// Each run is given a turn when it is recorded, and waits for the live ones with earlier turns. Whether a
/// run is live is a lock that the kernel gives back, so a crashed one is waited for no longer than it
/// takes to clear up after it.
struct Turn {
  private let run: RecordedRun
  private let concurrency: Concurrency?
  private let journal: Journal
  private let steering: Steering
  private let progress: ProgressStyle

  init(
    of run: RecordedRun, _ workflow: Workflow, _ journal: Journal, _ steering: Steering,
    _ progress: ProgressStyle
  ) {
    self.run = run
    concurrency = workflow.concurrency
    self.journal = journal
    self.steering = steering
    self.progress = progress
  }

  /// Waits until the run may begin.
  ///
  /// - Parameter onWait: Called once, when there is another one to be waited for.
  /// - Returns: Whether it may: false when it was cancelled meanwhile.
  /// - Throws: ``JournalError``.
  func comes(onWait: () -> Void) async throws -> Bool {
    guard let concurrency else { return true }
    switch concurrency.policy {
    case .parallel, .reject: return true
    case .queue, .restart: break
    }
    var asked: Set<RunID> = []
    var announced: RunID?
    while !steering.isCancelled {
      let before = try journal.liveRuns(of: concurrency.group, before: run.turn)
      guard let last = before.last else { return true }
      if announced == nil { onWait() }
      if announced != last {
        if progress != .none {
          printError("waiting for run \(last) of the group \"\(concurrency.group)\"")
        }
        announced = last
      }
      if concurrency.policy == .restart {
        for other in before where !asked.contains(other) {
          if await cancel(other) { asked.insert(other) }
        }
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    return false
  }

  /// Asks another run to end.
  ///
  /// - Returns: Whether it has heard: not while it is only just beginning.
  private func cancel(_ other: RunID) async -> Bool {
    guard let client = try? ControlClient(journal.directory.socketPath(of: other)) else {
      return false
    }
    // One that was stopped does not answer.
    let impatience = Task { [steering] in
      while !steering.isCancelled { try await Task.sleep(for: .milliseconds(50)) }
      client.close()
    }
    defer { impatience.cancel() }
    return (try? await client.ask(.cancel(now: false))) == .ok
  }
}
