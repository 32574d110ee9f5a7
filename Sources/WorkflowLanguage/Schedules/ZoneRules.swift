// The time zones that the system knows by name. The only place that asks Foundation.

import Foundation

/// The clocks of a time zone of the tz database, such as `Europe/Berlin`.
public struct ZoneRules: ZoneOffsets, Equatable {
  /// The name by which it was asked for.
  public let identifier: String
  private let zone: TimeZone

  /// The time zone of a name; nil if there is no such zone.
  ///
  /// Known is what Foundation knows: ``identifiers``, older names such as `US/Eastern`, and
  /// offsets such as `GMT+0530`.
  ///
  /// - Parameter identifier: The name, in the case in which the tz database has it.
  public init?(identifier: String) {
    guard let zone = TimeZone(identifier: identifier) else { return nil }
    self.identifier = identifier
    self.zone = zone
  }

  /// The time zone of this machine.
  public static var local: ZoneRules { ZoneRules(.current) }

  private init(_ zone: TimeZone) {
    identifier = zone.identifier
    self.zone = zone
  }

  /// The usual names, in alphabetical order; `UTC` is among them.
  public static var identifiers: [String] {
    // Foundation knows "UTC" but lists only "GMT".
    Set(TimeZone.knownTimeZoneIdentifiers).union(["UTC"]).sorted()
  }

  /// By how much the clocks are ahead of UTC.
  ///
  /// - Parameter seconds: A moment, in seconds since 1970.
  /// - Returns: Seconds; positive in the east.
  public func offset(at seconds: Int64) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
  }
}
