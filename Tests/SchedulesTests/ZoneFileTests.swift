// Compares time zones with date(1), which parses the same files independently, and rules with
// POSIX.

import Foundation
import TestSupport
import Testing

@testable import Schedules

struct ZoneFileTests {
  /// Returns the offsets according to GNU date; nil if another date(1) is installed.
  private static func offsets(at moments: [Int64], zone: String) throws -> [Int]? {
    let date = Process()
    date.executableURL = URL(fileURLWithPath: "/bin/date")
    date.arguments = ["-f", "-", "+%::z"]
    date.environment = ["TZ": zone, "LC_ALL": "C"]
    let (input, output) = (Pipe(), Pipe())
    (date.standardInput, date.standardOutput) = (input, output)
    date.standardError = FileHandle.nullDevice
    try date.run()
    input.fileHandleForWriting.write(Data(moments.map { "@\($0)\n" }.joined().utf8))
    try input.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    date.waitUntilExit()
    guard date.terminationStatus == 0 else { return nil }
    return text.split(separator: "\n").map { line in
      let parts = line.dropFirst().split(separator: ":").compactMap { Int($0) }
      let seconds = parts.reduce(0) { $0 * 60 + $1 }
      return line.hasPrefix("-") ? -seconds : seconds
    }
  }

  private static let hasGNUDate = (try? offsets(at: [0], zone: "UTC")) == [0]

  @Test(.enabled(if: hasGNUDate)) func `offsets agree with date(1) in every zone`() throws {
    var generator = SeededGenerator.announced()
    for identifier in ZoneRules.identifiers {
      let zone = try #require(ZoneRules(identifier: identifier))
      // From 1850, before the first offset, to 2400, after the last listed change.
      let moments = (0..<40).map { _ in
        Int64.random(in: -3_786_825_600...13_569_465_600, using: &generator)
      }
      let expected = try #require(try Self.offsets(at: moments, zone: identifier))
      #expect(moments.map(zone.offset(at:)) == expected, "\(identifier) at \(moments)")
    }
  }

  @Test(
    .enabled(if: hasGNUDate),
    arguments: [
      "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT", "EST5EDT,M3.2.0,M11.1.0", "<+0330>-3:30",
      "NZST-12NZDT,M9.5.0,M4.1.0/3", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
      "IST-1GMT0,M10.5.0,M3.5.0/1",
      "AAA3BBB,J60,J300", "AAA3BBB,59/0,299/0", "AAA-3BBB-4:30:15,J59/24,J365/-5", "AAA3",
      "EET-2EEST,M3.4.4/50,M10.4.4/50",
    ]) func `rules agree with date(1)`(rule: String) throws
  {
    var generator = SeededGenerator.announced()
    let zone = ZoneRules(variable: rule)
    let moments = (0..<2000).map { _ in Int64.random(in: 0...13_569_465_600, using: &generator) }
    let expected = try #require(try Self.offsets(at: moments, zone: rule))
    for (moment, expected) in zip(moments, expected) {
      #expect(zone.offset(at: moment) == expected, "\(moment)")
    }
  }

  @Test func `daylight saving time all year has no gap at New Year`() throws {
    // The example of RFC 8536, section 3.3.1.
    let rule = try #require(ZoneRule("AAA3BBB4,0/0,J365/23"))
    for year in 2000...2010 {
      let newYear = CivilDate(year: Int64(year), month: 1, day: 1).dayNumber * 86_400
      for hour in -12...12 { #expect(rule.offset(at: newYear + Int64(hour) * 3600) == -4 * 3600) }
    }
  }

  @Test(arguments: [
    "", "CET", "C-1", "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
    "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J1", "CET-1CEST,366,1",
    "CET-25", "CET-24:00:00", "CET-1CEST-24", "CET-1CEST,M3.5.0/168,M10.5.0", "<+03", "CET-1:60",
    "CET-1CEST,M3.5.0,M10.5.0 ",
    "CET-99999999999999999999",
  ]) func `an invalid rule is refused`(text: String) {
    #expect(ZoneRule(text) == nil)
  }

  @Test func `an offset is a valid time zone name`() {
    #expect(ZoneRules(identifier: "GMT+0530")?.offset(at: 0) == 19_800)
    #expect(ZoneRules(identifier: "GMT-0330")?.offset(at: 0) == -12_600)
    for name in ["GMT+2500", "GMT+0560", "GMT+530", "GMT0530", "GMT+05:30", "UTC+0530", "GMT+٠٥٣٠"]
    {
      #expect(ZoneRules(identifier: name) == nil, "\(name)")
    }
  }

  @Test func `a time zone name cannot leave the folder`() {
    for name in [
      "../zoneinfo/UTC", "/usr/share/zoneinfo/Europe/Berlin", "Europe", "Europe/", ".", "a\0b",
    ] {
      #expect(ZoneRules(identifier: name) == nil, "\(name)")
    }
  }

  @Test func `TZ may be a name, a path, a rule or invalid`() {
    let berlin = ZoneRules(identifier: "Europe/Berlin")
    let summer: Int64 = 1_719_835_200
    #expect(ZoneRules(variable: "Europe/Berlin") == berlin)
    #expect(ZoneRules(variable: ":Europe/Berlin") == berlin)
    #expect(ZoneRules(variable: "/usr/share/zoneinfo/Europe/Berlin").offset(at: summer) == 7200)
    #expect(ZoneRules(variable: "CET-1CEST,M3.5.0,M10.5.0/3").offset(at: summer) == 7200)
    for nonsense in ["", ":", "Mars/Olympus", "/etc/passwd", "/"] {
      #expect(ZoneRules(variable: nonsense).identifier == "UTC", "\(nonsense)")
      #expect(ZoneRules(variable: nonsense).offset(at: summer) == 0)
    }
  }

  @Test func `a damaged time zone file is refused without a crash`() throws {
    let bytes = [UInt8](
      try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/Europe/Berlin")))
    let whole = try #require(ZoneFile(bytes))
    #expect(whole.offset(at: 1_719_835_200) == 7200)
    for count in 0..<bytes.count {
      #expect(ZoneFile(Array(bytes.prefix(count))) == nil, "\(count)")
    }
    var generator = SeededGenerator.announced()
    for _ in 0..<20_000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        damaged[Int.random(in: damaged.indices, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      // A file that is accepted must not crash when it is used.
      if let file = ZoneFile(damaged) {
        for moment in [Int64.min / 2, 0, 13_569_465_600] { _ = file.offset(at: moment) }
      }
    }
  }
}
