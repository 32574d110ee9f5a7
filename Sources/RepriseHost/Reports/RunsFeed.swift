// The runs of a project for the list of `reprise top`, each time that they have changed.

import Reprise
package import RepriseJournal
package import RepriseTerminal

/// Follows the runs of a project.
package struct RunsFeed: Sendable {
  /// The maximum number of runs that are listed.
  package static let countMax = 500

  private let journal: Journal

  /// Creates a feed.
  ///
  /// - Parameter journal: The journal of the project.
  package init(_ journal: Journal) {
    self.journal = journal
  }

  /// Returns the runs now, and again after each change, newest first; ends if they cannot be read.
  ///
  /// While a run is in progress, they are read about once a second, and more rarely if reading takes long:
  /// it uses a tenth of a processor at most.
  package func updates() -> AsyncStream<[RunEntry]> {
    AsyncStream { continuation in
      let following = Task {
        defer { continuation.finish() }
        let changes = try FolderChanges(ofLiveRunsIn: journal.directory)
        while !Task.isCancelled {
          let began = ContinuousClock.now
          let entries = try await blocking { () throws -> [RunEntry] in
            try self.entries(at: SystemClock().now)
          }
          continuation.yield(entries)
          let took = ContinuousClock.now - began
          try await SystemClock().sleep(for: max(.milliseconds(100), took * 9))
          var isChanged = false
          let patience: Duration? = entries.contains(where: \.isLive) ? .seconds(1) : nil
          _ = try await changes.first(within: patience) { () -> Bool? in
            defer { isChanged = true }
            return isChanged ? true : nil
          }
        }
      }
      continuation.onTermination = { _ in following.cancel() }
    }
  }

  /// Reads the newest runs.
  ///
  /// - Parameter now: The current time, for runs that have not ended.
  /// - Returns: The runs, newest first.
  /// - Throws: ``JournalError``.
  func entries(at now: Timestamp) throws(JournalError) -> [RunEntry] {
    try journal.runs(limit: Self.countMax).map { record in
      RunEntry(record, record.status == .running ? try? journal.state(of: record) : nil, at: now)
    }
  }
}

extension RunEntry {
  /// Creates the row of a run.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - state: Its state, if it is in progress.
  ///   - now: The current time.
  init(_ record: RunRecord, _ state: RunState?, at now: Timestamp) {
    let activity = state.map { RunActivity($0) }
    let words = activity?.stateWords ?? record.status.rawValue
    let progress = state.map { state in
      let tally = state.tally
      return tally.total == 0 ? "" : "\(tally.done) of \(tally.total)  "
    }
    self.init(
      id: record.id.description, workflow: record.request.workflow, state: words,
      standing: Standing(record.status, words), generation: record.generation,
      isLive: record.status.isLive,
      requested: localTime(record.requestedAt),
      took: (record.took ?? record.elapsed(at: now)).map(durationText),
      activity: (progress ?? "") + (activity?.words ?? ""))
  }
}

extension RunEntry.Standing {
  fileprivate init(_ status: RunStatus, _ words: String) {
    self =
      switch status {
      case .queued, .skipped: .waiting
      case .running: words == RunStatus.running.rawValue ? .running : .paused
      case .succeeded: .succeeded
      case .failed, .timedOut: .failed
      case .cancelled, .abandoned, .interrupted: .stopped
      }
  }
}
