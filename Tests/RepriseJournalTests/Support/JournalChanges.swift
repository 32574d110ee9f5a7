// Records the changes of the files of a journal, and computes what a kill or a power loss leaves of
// them.

import Foundation
import PowerLossShim
import Reprise
import TestSupport
import Testing

@testable import RepriseJournal

/// All changes of the files of a journal, and the events that were acknowledged after each.
struct JournalChanges {
  enum Change {
    case write(offset: Int, bytes: [UInt8])
    case truncate(size: Int)
    case delete
    case sync
  }

  /// What follows the changes.
  enum End {
    /// The process is killed: the kernel keeps all written data.
    case kill
    /// The power is lost: unsynced data is kept, lost or torn, sector by sector and in any order.
    case powerLoss
  }

  private static let sector = 512

  /// The database before the first change, complete and synced.
  let made: [UInt8]
  private(set) var changes: [(file: String, change: Change)] = []
  /// The number of events that had been acknowledged after a number of changes.
  private(set) var acknowledged: [(changes: Int, events: Int)] = []

  var syncCount: Int { changes.count { if case .sync = $0.change { true } else { false } } }

  /// Records the changes that a closure makes to the journal of a folder, which must exist.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - body: Gets a function that takes the number of events acknowledged so far.
  /// - Throws: Errors of the body.
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

  /// Returns the damage after a number of changes; nil if there is none.
  ///
  /// - Parameters:
  ///   - count: The number of changes before the end.
  ///   - end: What follows the changes.
  ///   - generator: Decides what a loss of power leaves.
  /// - Returns: The problems of the remaining journal, or the loss of acknowledged events.
  /// - Throws: An error if the files cannot be written.
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

  /// Returns the damage after power losses at random moments.
  ///
  /// - Parameter cuts: The number of power losses.
  /// - Returns: The damage of each, if any.
  /// - Throws: An error if the files cannot be written.
  func damages(cuts: Int) throws -> [String] {
    var generator = SeededGenerator.announced()
    return try (0..<cuts).compactMap { _ in
      let count = Int.random(in: 0...changes.count, using: &generator)
      return try damage(after: count, .powerLoss, using: &generator).map { "after \(count): \($0)" }
    }
  }

  /// Returns the files that are left after a number of changes.
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
      // A sync of any file also makes earlier changes of folders durable: file systems with a
      // metadata journal write it in order.
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
            // Up to the next sector boundary.
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
