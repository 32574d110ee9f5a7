// The changes that were made to the files of a journal, one by one, and what is left of them when the
// process is killed or the power goes.

import Foundation
import PowerLossShim
import Reprise
import TestSupport
import Testing

@testable import RepriseJournal

/// All changes that were made to the files of a journal, and when its events were acknowledged.
struct JournalChanges {
  enum Change {
    case write(offset: Int, bytes: [UInt8])
    case truncate(size: Int)
    case delete
    case sync
  }

  /// How the changes end.
  enum End {
    /// The process is killed: the kernel has all that was written.
    case kill
    /// The power goes: what was not synced is kept, lost or torn, sector by sector and in any order.
    case powerLoss
  }

  private static let sector = 512

  /// The database before the first of them, whole and synced.
  let made: [UInt8]
  private(set) var changes: [(file: String, change: Change)] = []
  /// After so many changes so many events were acknowledged.
  private(set) var acknowledged: [(changes: Int, events: Int)] = []

  var syncCount: Int { changes.count { if case .sync = $0.change { true } else { false } } }

  /// Notes the changes that a body makes to the journal of a folder, which must exist.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - body: Is given a function that takes the number of events that are acknowledged by now.
  /// - Throws: What the body throws.
  init(in folder: Folder, _ body: ((Int) -> Void) throws -> Void) throws {
    made = try Array(Data(contentsOf: URL(fileURLWithPath: folder.state.databasePath)))
    try #require(power_loss_begin() == 0)
    defer { power_loss_end() }
    var acknowledged: [(changes: Int, events: Int)] = []
    try body { acknowledged.append((Int(power_loss_count()), $0)) }
    self.acknowledged = acknowledged
    changes = (0..<power_loss_count()).map { position in
      let change = power_loss_change_at(position)
      let path = String(cString: change.path)
      // Another test of this process may still be closing a journal of its own.
      guard path.hasPrefix(folder.path) else { return ("", .write(offset: 0, bytes: [])) }
      return (String(path.split(separator: "/").last ?? ""), Change(change))
    }
  }

  /// What is wrong after an end behind so many changes; nil when all is well.
  ///
  /// - Parameters:
  ///   - count: How many changes are made before the end.
  ///   - end: How they end.
  ///   - generator: Decides what a loss of power leaves.
  /// - Returns: What the journal says that is left, or that acknowledged events are lost.
  /// - Throws: When the files cannot be written.
  func damage(
    after count: Int, _ end: End, using generator: inout SeededGenerator
  ) throws -> String? {
    let folder = try Folder()
    try folder.state.create()
    for (name, bytes) in files(after: count, end, using: &generator) where !bytes.isEmpty {
      try Data(bytes).write(to: URL(fileURLWithPath: folder.state.path + "/" + name))
    }
    let expected = acknowledged.last { $0.changes <= count }?.events ?? 0
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

  /// What is wrong after losses of power at random moments.
  ///
  /// - Parameter cuts: How many there are.
  /// - Returns: The damages, none when all is well.
  /// - Throws: When the files cannot be written.
  func damages(cuts: Int) throws -> [String] {
    var generator = SeededGenerator.announced()
    return try (0..<cuts).compactMap { _ in
      let count = Int.random(in: 0...changes.count, using: &generator)
      return try damage(after: count, .powerLoss, using: &generator).map { "after \(count): \($0)" }
    }
  }

  /// The files after an end behind so many changes.
  private func files(
    after count: Int, _ end: End, using generator: inout SeededGenerator
  ) -> [String: [UInt8]] {
    var durable = ["journal.db": made]
    var pending: [String: [Change]] = [:]
    for (file, change) in changes.prefix(count) {
      guard case .sync = change else {
        if end == .kill {
          Self.apply(change, to: &durable[file, default: []])
        } else {
          pending[file, default: []].append(change)
        }
        continue
      }
      // A sync of any file carries with it what was done to folders before: file systems that keep a
      // log of their metadata write it in order.
      let deleted = pending.filter {
        $0.value.contains { if case .delete = $0 { true } else { false } }
      }
      for file in Set(deleted.keys).union([file]) {
        for change in pending[file] ?? [] { Self.apply(change, to: &durable[file, default: []]) }
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
              Self.apply(piece, to: &durable[file, default: []])
            }
            start = end
          }
        case .truncate, .delete:
          if Bool.random(using: &generator) {
            Self.apply(change, to: &durable[file, default: []])
          }
        case .sync: break
        }
      }
    }
    return durable
  }

  private static func apply(_ change: Change, to file: inout [UInt8]) {
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
}

extension JournalChanges.Change {
  fileprivate init(_ change: power_loss_change) {
    let bytes = change.bytes.map {
      Array(UnsafeBufferPointer(start: $0, count: Int(change.size)))
    }
    self =
      switch Int(change.kind) {
      case POWER_LOSS_WRITE: .write(offset: Int(change.offset), bytes: bytes ?? [])
      case POWER_LOSS_TRUNCATE: .truncate(size: Int(change.offset))
      case POWER_LOSS_DELETE: .delete
      default: .sync
      }
  }
}
