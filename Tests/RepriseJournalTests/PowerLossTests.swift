import Foundation
import PowerLossShim
import Reprise
import SQLite
import TestSupport
import Testing

@testable import RepriseJournal

/// Losses of power at any change of the journal's files: what the disk was not told to keep may be lost,
/// kept or torn, sector by sector and in any order.
@Suite(.serialized) struct PowerLossTests {
  private enum Change {
    case write(offset: Int, bytes: [UInt8])
    case truncate(size: Int)
    case delete
    case sync
  }

  /// All changes that a run made to the journal, and when its events were acknowledged.
  private struct Story {
    /// The database before the first of them: it comes to its place whole and synced.
    var made: [UInt8] = []
    var changes: [(file: String, change: Change)] = []
    /// After so many changes so many events were acknowledged.
    var acknowledged: [(changes: Int, events: Int)] = []
  }

  private static let sector = 512

  /// Records runs while every change is noted.
  private func story(
    synced: Synchronous, durability: Durability = .power
  ) throws -> Story {
    let folder = try Folder()
    try folder.state.create()
    var story = Story()
    _ = try JournalDatabase.open(folder.state)
    story.made = try Array(Data(contentsOf: URL(fileURLWithPath: folder.state.databasePath)))
    try #require(power_loss_begin() == 0)
    defer { power_loss_end() }
    do {
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
          if durability == .power { story.acknowledged.append((Int(power_loss_count()), total)) }
        }
        if durability == .process {
          // The end of a run is on the disk whatever its level, and with it all that was before.
          let end = Event.Kind.runEnded(.failed(step: "s0", reason: .exited(status: 1)))
          try recorded.record([
            Event(
              time: Timestamp(microseconds: 1), run: recorded.id, generation: 1, kind: end)
          ])
          total += 1
          story.acknowledged.append((Int(power_loss_count()), total))
        }
        // So that changes of both files lie among the cuts.
        if number == 1 {
          try journal.database.read { try $0.run(script: "PRAGMA wal_checkpoint(TRUNCATE)") }
        }
      }
    }
    for position in 0..<power_loss_count() {
      let change = power_loss_change_at(position)
      let path = String(cString: change.path)
      // Another test of this process may still be closing a journal of its own.
      guard path.hasPrefix(folder.path) else {
        story.changes.append(("", .write(offset: 0, bytes: [])))
        continue
      }
      let file = String(path.split(separator: "/").last ?? "")
      let bytes = change.bytes.map {
        Array(UnsafeBufferPointer(start: $0, count: Int(change.size)))
      }
      let kind: Change =
        switch Int(change.kind) {
        case POWER_LOSS_WRITE: .write(offset: Int(change.offset), bytes: bytes ?? [])
        case POWER_LOSS_TRUNCATE: .truncate(size: Int(change.offset))
        case POWER_LOSS_DELETE: .delete
        default: .sync
        }
      story.changes.append((file, kind))
    }
    return story
  }

  /// The files after a loss of power behind so many changes.
  private func files(
    of story: Story, after count: Int, using generator: inout SeededGenerator
  ) -> [String: [UInt8]] {
    var durable = ["journal.db": story.made]
    var pending: [String: [Change]] = [:]
    for (file, change) in story.changes.prefix(count) {
      guard case .sync = change else {
        pending[file, default: []].append(change)
        continue
      }
      // A sync of any file carries with it what was done to folders before: file systems that keep a
      // log of their metadata write it in order.
      let deleted = pending.filter {
        $0.value.contains { if case .delete = $0 { true } else { false } }
      }
      for file in Set(deleted.keys).union([file]) {
        for change in pending[file] ?? [] { apply(change, to: &durable[file, default: []]) }
        pending[file] = nil
      }
    }
    for (file, changes) in pending {
      for change in changes {
        switch change {
        case .write(let offset, let bytes):
          var start = 0
          while start < bytes.count {
            // Up to the next border of a sector.
            let end = min(bytes.count, start + Self.sector - (offset + start) % Self.sector)
            if Bool.random(using: &generator) {
              let piece = Change.write(offset: offset + start, bytes: Array(bytes[start..<end]))
              apply(piece, to: &durable[file, default: []])
            }
            start = end
          }
        case .truncate, .delete:
          if Bool.random(using: &generator) { apply(change, to: &durable[file, default: []]) }
        case .sync: break
        }
      }
    }
    return durable
  }

  private func apply(_ change: Change, to file: inout [UInt8]) {
    switch change {
    case .write(let offset, let bytes):
      let missing = offset + bytes.count - file.count
      if missing > 0 { file += [UInt8](repeating: 0, count: missing) }
      file.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    case .truncate(let size): file = Array(file.prefix(size))
    case .delete: file = []
    case .sync: break
    }
  }

  /// What is wrong after a loss of power; nil when nothing that was acknowledged is lost.
  private func damage(
    _ story: Story, after count: Int, using generator: inout SeededGenerator
  ) throws -> String? {
    let folder = try Folder()
    try folder.state.create()
    for (name, bytes) in files(of: story, after: count, using: &generator) where !bytes.isEmpty {
      try Data(bytes).write(to: URL(fileURLWithPath: folder.state.path + "/" + name))
    }
    let expected = story.acknowledged.last { $0.changes <= count }?.events ?? 0
    do {
      let journal = try Journal(folder.state)
      let problems = try journal.integrityProblems()
      guard problems.isEmpty else { return problems.joined(separator: "; ") }
      let found = try journal.runs().reduce(0) { try $0 + journal.events(of: $1).count }
      return found >= expected ? nil : "\(expected - found) of \(expected) events are lost"
    } catch {
      return "\(error)"
    }
  }

  private func damages(_ story: Story, cuts: Int) throws -> [String] {
    var generator = SeededGenerator.announced()
    return try (0..<cuts).compactMap { _ in
      let count = Int.random(in: 0...story.changes.count, using: &generator)
      return try damage(story, after: count, using: &generator).map { "after \(count): \($0)" }
    }
  }

  @Test func `nothing that was acknowledged is lost when the power goes`() throws {
    let story = try story(synced: .full)
    #expect(story.acknowledged.count > 50 && story.changes.count > 500)
    let damages = try damages(story, cuts: rounds(200, soak: 10_000))
    #expect(damages == [])
  }

  @Test func `where a run survives its process only, its end is kept when the power goes`() throws {
    let story = try story(synced: .full, durability: .process)
    #expect(story.acknowledged.count == 4 && story.changes.count > 500)
    let damages = try damages(story, cuts: rounds(200, soak: 10_000))
    #expect(damages == [])
  }

  @Test func `the start of a run whose record survives its process alone waits for no disk`() throws
  {
    let power = try story(synced: .full)
    let process = try story(synced: .full, durability: .process)
    #expect(syncs(of: process) * 4 < syncs(of: power))
  }

  private func syncs(of story: Story) -> Int {
    story.changes.count { if case .sync = $0.change { true } else { false } }
  }

  /// The control: without syncs the same cuts do find losses.
  @Test func `these cuts would find a journal that does not wait for the disk`() throws {
    let story = try story(synced: .off)
    #expect(try damages(story, cuts: 100).count > 20)
  }
}
