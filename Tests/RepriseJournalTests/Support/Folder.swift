// A folder with a journal, and runs that are recorded in it.

import Foundation
import Reprise
import SQLite

@testable import RepriseJournal

/// A temporary folder, removed with this value.
final class Folder: Sendable {
  let path: String
  var state: StateDirectory { StateDirectory(path: path + "/.reprise") }

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/reprise-journal-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func request(_ workflow: String = "w", group: String? = nil) -> RunRequest {
    RunRequest(
      workflow: workflow, file: "/w.yaml", directory: path, source: "steps: []",
      options: ["from": "a"], group: group)
  }

  /// Records a whole run of in-process steps, one of which may fail.
  @discardableResult
  func run(
    _ workflow: String = "w", steps: Int = 5, failing: Int? = nil, in journal: Journal
  ) async throws -> RunID {
    let recorded = try journal.begin(request(workflow))
    let workflow = try Workflow(
      name: workflow,
      steps: (0..<steps).map { number in
        Workflow.Step(
          id: "s\(number)", needs: number == 0 ? [] : ["s\(number - 1)"], action: .exec(["-"]))
      })
    let executor = ClosureExecutor { context in
      if context.step.id == "s\(failing ?? -1)" { throw FailureReason.exited(status: 3) }
      context.report("hello from \(context.step.id)")
      return ["by": context.step.id]
    }
    let run = Engine(executor: executor, recorder: recorded).start(workflow, id: recorded.id)
    _ = try await run.outcome
    return recorded.id
  }

  /// Changes the database without the journal.
  func tamper(_ sql: String) throws {
    let database = try Database(path: state.databasePath, busyTimeout: .seconds(10))
    try database.read { try $0.run(script: sql) }
  }
}
