// Runs the contestants of a row round by round. Knows nothing of what they do.

import Foundation

/// Measures rows.
public struct Campaign: Sendable {
  /// Who takes longer than this in the warm-up is not run again: that was its round.
  private static let longSeconds = 20.0

  private let programs: Programs
  private let rounds: Int
  private let isQuick: Bool

  /// Makes a campaign.
  ///
  /// - Parameters:
  ///   - programs: The programs that it may start.
  ///   - rounds: How often each contestant is measured, after one warm-up.
  ///   - isQuick: Whether it is only checked that everything works.
  public init(programs: Programs, rounds: Int, isQuick: Bool) {
    self.programs = programs
    self.rounds = rounds
    self.isQuick = isQuick
  }

  /// Measures one row: a warm-up of each contestant, then all of them in turn, round by round, so that
  /// whatever else the machine does weighs on each of them.
  ///
  /// - Parameter row: What to measure.
  /// - Returns: Its lines.
  /// - Throws: ``Missing``, ``Broken``, and what files throw.
  public func measure(_ row: Row) throws -> JudgedRow {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "reprise-bench-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = Place(folder: folder.path, programs: programs, isQuick: isQuick)
    let contestants = try row.contestants(place)
    var samples = Samples()
    for contestant in contestants {
      let start = ContinuousClock.now
      let sample = try contestant.measure()
      let isLong = ContinuousClock.now - start > .seconds(Self.longSeconds)
      if contestant.runsOnce || isLong { samples[contestant.name] = [sample] }
    }
    let again = contestants.filter { samples[$0.name] == nil }
    for _ in 0..<(isQuick ? 1 : rounds * row.roundsFactor) {
      for contestant in again {
        samples[contestant.name, default: []].append(try contestant.measure())
      }
    }
    let judgements = try row.bars.map { bar in
      guard let judgement = bar.judge(samples) else {
        throw Broken("row \(row.id): nobody gave what \(bar.comparison) needs")
      }
      return judgement
    }
    return JudgedRow(id: row.id, work: row.work, judgements: judgements)
  }
}
