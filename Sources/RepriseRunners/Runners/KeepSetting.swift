// The setting `keep` of a scheduler's runner: how many allocations the steps of a run share.

import Reprise

/// The allocations that are kept for the steps of a run: `true`, a number, or a map.
enum KeepSetting: Decodable, Sendable, Equatable {
  /// One for all steps, until the run ends; none if false.
  case one(Bool)
  /// Up to so many, each for so many steps at once.
  case several(nodes: Int, slots: Int?, time: Duration? = nil)

  private enum CodingKeys: String, CodingKey {
    case nodes, slots, time
  }

  /// Decodes `true`, `false`, a number, or a map with `nodes`, `slots` and `time`.
  init(from decoder: any Decoder) throws {
    if let value = try? decoder.singleValueContainer().decode(Bool.self) {
      self = .one(value)
      return
    }
    if let nodes = try? decoder.singleValueContainer().decode(Int.self) {
      self = .several(nodes: nodes, slots: nil)
    } else {
      let map = try decoder.container(keyedBy: CodingKeys.self)
      self = .several(
        nodes: try map.decode(Int.self, forKey: .nodes),
        slots: try map.decodeIfPresent(Int.self, forKey: .slots),
        time: try map.decodeIfPresent(Duration.self, forKey: .time))
    }
    guard case .several(let nodes, let slots, _) = self, nodes < 1 || slots ?? 1 < 1 else { return }
    throw DecodingError.dataCorrupted(
      .init(
        codingPath: decoder.codingPath,
        debugDescription: "the number of allocations, and of their slots, is at least 1"))
  }

  /// Returns the limits of the places; nil if none is kept.
  ///
  /// - Parameters:
  ///   - processors: The processors of an allocation: its slots, if they are not given.
  ///   - time: How long an allocation lasts; nil if that is unknown.
  ///   - idleAfter: How long one of several waits for steps.
  /// - Returns: The limits.
  func limits(processors: Int?, time: Duration?, idleAfter: Duration) -> KeptLimits? {
    switch self {
    case .one(true): KeptLimits(time: time)
    case .one(false): nil
    case .several(let nodes, let slots, let ownTime):
      KeptLimits(
        places: nodes, slots: slots ?? processors ?? 1, time: ownTime ?? time,
        idleAfter: idleAfter)
    }
  }
}
