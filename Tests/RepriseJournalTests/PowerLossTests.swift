import Reprise
import SQLite
import TestSupport
import Testing

@testable import RepriseJournal

/// Losses of power at any change of the journal's files: what the disk was not told to keep may be lost,
/// kept or torn, sector by sector and in any order.
@Suite(.serialized) struct PowerLossTests {
  /// Records runs while every change is noted.
  private func changes(
    synced: Synchronous, durability: Durability = .power
  ) throws -> JournalChanges {
    let folder = try Folder()
    try folder.state.create()
    _ = try JournalDatabase.open(folder.state)
    return try JournalChanges(in: folder) { acknowledge in
      let journal = Journal(
        folder.state, try JournalDatabase.open(folder.state, synced: synced))
      var total = 0
      for number in 0..<4 {
        var request = folder.request("w\(number)")
        request.durability = durability
        let recorded = try journal.begin(request)
        let plan = RunPlan(workflow: "w", steps: (0..<60).map { PlannedStep(id: "s\($0)") })
        var kinds: [Event.Kind] = [.runStarted(plan)]
        for step in plan.steps {
          let big = String(repeating: "x", count: 700)
          kinds += [
            .step(step.id, attempt: 0, .ready), .step(step.id, attempt: 1, .started),
            .step(step.id, attempt: 1, .succeeded(["big": big])),
          ]
        }
        var rest = kinds[...]
        while !rest.isEmpty {
          let batch = rest.prefix(7)
          rest = rest.dropFirst(7)
          try recorded.record(
            batch.map {
              Event(time: Timestamp(microseconds: 1), run: recorded.id, generation: 1, kind: $0)
            })
          total += batch.count
          if durability == .power { acknowledge(total) }
        }
        if durability == .process {
          // The end of a run is on the disk whatever its level, and with it all that was before.
          let end = Event.Kind.runEnded(.failed(step: "s0", reason: .exited(status: 1)))
          try recorded.record([
            Event(
              time: Timestamp(microseconds: 1), run: recorded.id, generation: 1, kind: end)
          ])
          total += 1
          acknowledge(total)
        }
        // So that changes of both files lie among the cuts.
        if number == 1 {
          try journal.database.read { try $0.run(script: "PRAGMA wal_checkpoint(TRUNCATE)") }
        }
      }
    }
  }

  @Test func `nothing that was acknowledged is lost when the power goes`() throws {
    let changes = try changes(synced: .full)
    #expect(changes.acknowledged.count > 50 && changes.changes.count > 500)
    #expect(try changes.damages(cuts: rounds(200, soak: 10_000)) == [])
  }

  @Test func `where a run survives its process only, its end is kept when the power goes`() throws {
    let changes = try changes(synced: .full, durability: .process)
    #expect(changes.acknowledged.count == 4 && changes.changes.count > 500)
    #expect(try changes.damages(cuts: rounds(200, soak: 10_000)) == [])
  }

  @Test func `the start of a run whose record survives its process alone waits for no disk`() throws
  {
    let power = try changes(synced: .full)
    let process = try changes(synced: .full, durability: .process)
    #expect(process.syncCount * 4 < power.syncCount)
  }

  /// The control: without syncs the same cuts do find losses.
  @Test func `these cuts would find a journal that does not wait for the disk`() throws {
    #expect(try changes(synced: .off).damages(cuts: 100).count > 20)
  }
}
