// A folder with a journal and workflow files, for in-process hosts.

import Foundation
import Reprise
import RepriseHost
import RepriseJournal
import TestSupport

/// A temporary folder with a journal.
final class HostFolder: Sendable {
  let folder: TemporaryFolder
  let journal: Journal

  var path: String { folder.path }
  var host: RunHost { RunHost(journal, guardian: nil) }

  init() throws {
    folder = try TemporaryFolder()
    let state = StateDirectory(path: folder.path + "/.reprise")
    journal = try state.openJournal(process: Int(ProcessInfo.processInfo.processIdentifier))
  }

  /// Writes a workflow file and loads it.
  func load(_ text: String, as name: String = "w.yaml") throws -> LoadedWorkflow {
    try folder.write(name, text.utf8)
    return try LoadedWorkflow(path: path + "/" + name) { _ in Arguments() }
  }

  /// Records a run of a workflow and starts it.
  func begin(
    _ loaded: LoadedWorkflow, controls: RunControls = RunControls(),
    onReachable: () -> Void = {}
  ) async throws -> (id: RunID, hosted: HostedRun?) {
    let recorded = try record(loaded)
    let hosted = try await host.begin(
      recorded, loaded, Secrets(), controls: controls, onReachable: onReachable)
    return (recorded.id, hosted)
  }

  /// Records a run of a workflow.
  func record(_ loaded: LoadedWorkflow) throws -> RecordedRun {
    try journal.begin(try loaded.request(hiding: Secrets()))
  }
}
