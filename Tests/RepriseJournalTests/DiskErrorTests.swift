import Foundation
import PowerLossShim
import Reprise
import TestSupport
import Testing

@testable import RepriseJournal

/// A disk that fails at any change that a run makes to the journal, and from then on.
@Suite(.serialized) struct DiskErrorTests {
  private static let count = 6

  private static func workflow() throws -> Workflow {
    try Workflow(
      name: "w",
      steps: (0..<count).map { number in
        Workflow.Step(
          id: "s\(number)", needs: number == 0 ? [] : ["s\(number - 1)"], action: .exec(["-"]))
      })
  }

  /// Returns an executor whose steps record that they ran.
  private static func executor(_ ledger: Protected<[String]>) -> ClosureExecutor {
    ClosureExecutor { context in
      ledger.withLock { $0.append(context.step.id) }
      return ["by": context.step.id]
    }
  }

  /// SQLITE_IOERR and SQLITE_FULL.
  @Test(arguments: [10, 13] as [Int32])
  func `after any failed change nothing hangs or is misreported, and the run can be resumed`(
    _ error: Int32
  ) async throws {
    var abandoned = 0
    for number in 0... {
      let folder = try Folder()
      let ledger = Protected<[String]>([])
      try #require(power_loss_begin() == 0)
      var outcome: RunOutcome?
      var id: RunID?
      do {
        let journal = try Journal(folder.state)
        power_loss_fail_at(Int32(number), error)
        let recorded = try journal.begin(folder.request())
        id = recorded.id
        let engine = Engine(executor: Self.executor(ledger), recorder: recorded)
        outcome = try await engine.start(try Self.workflow(), id: recorded.id).outcome
      } catch is JournalError {
        #expect(ledger.value == [], "a run that could not begin ran no step")
      }
      power_loss_fail_at(-1, 0)
      power_loss_end()

      let journal = try Journal(folder.state)
      #expect(try journal.integrityProblems() == [])
      if let id { await expectEventually("no process holds the run") { !journal.isLive(id) } }
      try journal.recover { _ in }
      guard let id, let record = try? journal.run(named: id.description) else { continue }
      let state = try journal.state(of: record)
      let done = state.steps.filter(\.phase.isSuccess).map(\.id)
      switch outcome {
      case .succeeded:
        #expect(record.status == .succeeded && done.count == Self.count)
      case .abandoned:
        abandoned += 1
        if record.status == .succeeded {
          // The commit of the end was written, but its sync failed: whether it was stored is
          // unknown.
          #expect(done.count == Self.count)
          continue
        }
      default:
        Issue.record("after \(number) changes: \(String(describing: outcome))")
      }
      if record.status == .succeeded {
        // The disk did not fail before the end.
        #expect(abandoned > 5, "earlier rounds must have failed")
        return
      }
      let (recorded, read) = try journal.reopen(id) { record, _ in record.request }
      let engine = Engine(executor: Self.executor(ledger), recorder: recorded)
      let run =
        read.run == nil
        ? engine.start(try Self.workflow(), id: id)
        : try engine.resume(read, with: try Self.workflow())
      #expect(try await run.outcome == .succeeded)
      for step in done {
        #expect(ledger.value.filter { $0 == step }.count == 1, "\(step) after \(number) changes")
      }
      #expect(Set(ledger.value).count == Self.count)
    }
  }
}
