// The named time zones of the machine.

import Platform

/// The UTC offsets of a time zone of the tz database, such as `Europe/Berlin`.
///
/// Reads the files of the system (package tzdata on Debian), in the folder named by `TZDIR` or in
/// `/usr/share/zoneinfo`.
package struct ZoneRules: ZoneOffsets, Equatable {
  private enum Clocks: Equatable {
    case file(ZoneFile)
    case rule(ZoneRule)
    case fixed(FixedOffset)
  }

  /// The name with which the zone was created.
  package let identifier: String
  private let clocks: Clocks

  /// Creates the time zone with a name; nil if there is no such zone.
  ///
  /// Accepts ``identifiers``, including old names such as `US/Eastern`. `UTC` and offsets such as
  /// `GMT+0530` are available on every machine.
  ///
  /// - Parameter identifier: The name, in the case used by the tz database.
  package init?(identifier: String) {
    self.identifier = identifier
    if let file = Self.file(identifier) {
      clocks = .file(file)
    } else if identifier == "UTC" {
      clocks = .fixed(.utc)
    } else if let offset = Self.fixedOffset(identifier) {
      clocks = .fixed(offset)
    } else {
      return nil
    }
  }

  /// The time zone of the machine: from the variable `TZ`, else from `/etc/localtime`, else UTC.
  package static var local: ZoneRules {
    if let variable = environmentVariable("TZ") { return ZoneRules(variable: variable) }
    let path = "/etc/localtime"
    guard let file = ZoneFile(contentsOf: path) else { return .utc }
    var name = "local"
    if let resolved = realPath(path) {
      let parts = resolved.split(separator: "/")
      if let folder = parts.lastIndex(of: "zoneinfo") {
        name = parts[(folder + 1)...].joined(separator: "/")
      }
    }
    return ZoneRules(identifier: name, clocks: .file(file))
  }

  private static var utc: ZoneRules { ZoneRules(identifier: "UTC", clocks: .fixed(.utc)) }

  /// Interprets a value of `TZ` (tzset(3)): a name, the path of a file, or a rule.
  init(variable: String) {
    let name = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
    if name.hasPrefix("/"), let file = ZoneFile(contentsOf: name) {
      self.init(identifier: name, clocks: .file(file))
    } else if let zone = ZoneRules(identifier: name) {
      self = zone
    } else if let rule = ZoneRule(variable) {
      self.init(identifier: variable, clocks: .rule(rule))
    } else {
      self = .utc
    }
  }

  private init(identifier: String, clocks: Clocks) {
    self.identifier = identifier
    self.clocks = clocks
  }

  /// Returns the offset from UTC at a time.
  ///
  /// - Parameter seconds: A time, in seconds since 1970.
  /// - Returns: The offset in seconds; positive in the east.
  package func offset(at seconds: Int64) -> Int {
    switch clocks {
    case .file(let file): file.offset(at: seconds)
    case .rule(let rule): rule.offset(at: seconds)
    case .fixed(let offset): offset.offset(at: seconds)
    }
  }

  // MARK: Files

  private static var folder: String {
    environmentVariable("TZDIR") ?? "/usr/share/zoneinfo"
  }

  private static func file(_ identifier: String) -> ZoneFile? {
    // The name must not refer to a file outside the folder.
    guard isName(identifier) else { return nil }
    return ZoneFile(contentsOf: folder + "/" + identifier)
  }

  /// Parses an offset such as `GMT+0530`.
  private static func fixedOffset(_ identifier: String) -> FixedOffset? {
    let sign = identifier.dropFirst(3).first
    let digits = identifier.dropFirst(4)
    guard identifier.hasPrefix("GMT"), sign == "+" || sign == "-", digits.count == 4,
      digits.allSatisfy(\.isNumber), let hours = Int(digits.prefix(2)), hours < 24,
      let minutes = Int(digits.suffix(2)), minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return FixedOffset(secondsFromUTC: sign == "-" ? -seconds : seconds)
  }

  private static func isName(_ text: String) -> Bool {
    text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty
        && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_+-".contains($0)) }
    }
  }

  /// The names of all zones in alphabetical order, including `UTC`.
  ///
  /// Opens every file of the folder.
  package static var identifiers: [String] {
    var found: Set = ["UTC"]
    var folders = [""]
    while let prefix = folders.popLast() {
      for name in FolderReader.names(in: folder + "/" + prefix) where isName(name) {
        // Lower-case names are not zones, or are copies of the whole folder.
        guard name.first?.isUppercase == true else { continue }
        let path = prefix + name
        if file(path) != nil { found.insert(path) } else { folders.append(path + "/") }
      }
    }
    return found.sorted()
  }
}

extension ZoneFile {
  /// Files of the tz database have at most 4 KiB; this limit leaves a margin.
  private static let bytesMax = 1 << 18

  /// Reads a file; returns nil if it cannot be read.
  fileprivate init?(contentsOf path: String) {
    let bytes: [UInt8]
    do throws(Errno) {
      let file = try OpenFile(path, options: [.nonBlocking])
      bytes = try file.readAll(upTo: Self.bytesMax)
    } catch {
      return nil
    }
    guard bytes.count <= Self.bytesMax else { return nil }
    self.init(bytes)
  }
}
