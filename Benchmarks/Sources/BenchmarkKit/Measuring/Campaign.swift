// Runs the contestants of a row, round by round.

import Foundation

/// Measures rows.
public struct Campaign: Sendable {
  /// A contestant that takes longer than this in the warm-up is not run again; the warm-up counts
  /// as its round.
  private static let longSeconds = 20.0

  /// A point of a growth that takes longer than this is measured once.
  private static let onceMilliseconds = 3000.0

  private let programs: Programs
  private let rounds: Int
  private let isQuick: Bool

  /// Creates a campaign.
  ///
  /// - Parameters:
  ///   - programs: The programs that it may start.
  ///   - rounds: The number of measurements of each contestant after one warm-up.
  ///   - isQuick: Whether to only check that everything works.
  public init(programs: Programs, rounds: Int, isQuick: Bool) {
    self.programs = programs
    self.rounds = rounds
    self.isQuick = isQuick
  }

  /// Measures a row: a warm-up of each contestant, then all of them in turn, round by round, so
  /// that other load on the machine affects all of them.
  ///
  /// - Parameter row: The row to measure.
  /// - Returns: The judged row.
  /// - Throws: ``Missing``, ``Broken``, and errors of files.
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
        throw Broken("row \(row.id): no contestant provided the values for \(bar.comparison)")
      }
      return judgement
    }
    return JudgedRow(id: row.id, work: row.work, judgements: judgements)
  }

  /// Measures how the cost of some work grows: the least of three rounds for each size, and one round
  /// for work that takes long.
  ///
  /// - Parameter growth: The work.
  /// - Returns: The costs.
  /// - Throws: ``Missing``, ``Broken``, and errors of files.
  public func measure(_ growth: Growth) throws -> GrowthLine {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "reprise-bench-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = Place(folder: folder.path, programs: programs, isQuick: isQuick)
    let points = try Growth.sizes.filter { $0 <= growth.sizeMax }.map { size in
      let command = try growth.command(place, isQuick ? max(20, size / 50) : size)
      var samples = [try place.measure(command)]
      if !isQuick, (samples[0][.wall] ?? 0) < Self.onceMilliseconds {
        for _ in 0..<2 { samples.append(try place.measure(command)) }
      }
      return (
        size, samples.compactMap { $0[.processor] }.min() ?? 0,
        samples.compactMap { $0[.resident] }.min() ?? 0
      )
    }
    return GrowthLine(id: growth.id, work: growth.work, points: points)
  }
}
