import Reprise
import SQLite
import TestSupport
import Testing

@testable import RepriseJournal

/// Power losses at any change of the journal's files: unsynced data may be lost, kept or torn,
/// sector by sector and in any order.
@Suite(.serialized) struct PowerLossTests {
  /// Returns all changes of the files while runs are recorded.
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
            .step(step.id, attempt: 0, .waiting), .step(step.id, attempt: 1, .started()),
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
          // The end of a run is on disk at any level of durability, and so is everything before it.
          let end = Event.Kind.runEnded(.failed(step: "s0", reason: .exited(status: 1)))
          try recorded.record([
            Event(
              time: Timestamp(microseconds: 1), run: recorded.id, generation: 1, kind: end)
          ])
          total += 1
          acknowledge(total)
        }
        // So that the cuts include changes of both files.
        if number == 1 {
          try journal.database.read { try $0.run(script: "PRAGMA wal_checkpoint(TRUNCATE)") }
        }
      }
    }
  }

  @Test func `a power loss loses no acknowledged event`() throws {
    let changes = try changes(synced: .full)
    #expect(changes.acknowledged.count > 50 && changes.changes.count > 500)
    #expect(try changes.damages(cuts: rounds(200, soak: 10_000)) == [])
  }

  @Test func `with durability process, a power loss loses no end of a run`() throws {
    let changes = try changes(synced: .full, durability: .process)
    #expect(changes.acknowledged.count == 4 && changes.changes.count > 500)
    #expect(try changes.damages(cuts: rounds(200, soak: 10_000)) == [])
  }

  @Test func `with durability process, runs sync less than a quarter as often`() throws {
    let power = try changes(synced: .full)
    let process = try changes(synced: .full, durability: .process)
    #expect(process.syncCount * 4 < power.syncCount)
  }

  /// The control: without syncs, the same cuts find losses.
  @Test func `the cuts detect a journal that does not sync`() throws {
    #expect(try changes(synced: .off).damages(cuts: 100).count > 20)
  }
}
