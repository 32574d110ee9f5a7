// Parses the binary files of the tz database.

/// The contents of a compiled tz database file: TZif (RFC 8536,
/// https://www.rfc-editor.org/rfc/rfc8536).
struct ZoneFile: Sendable, Equatable {
  /// The times of the offset changes, in seconds since 1970, ascending.
  private let changes: [Int64]
  /// The offset before the first change, followed by the offset after each change.
  private let offsets: [Int]
  /// The rule after the last change; if nil, the last offset applies forever.
  private let rule: ZoneRule?

  /// Parses a file; returns nil if it is not a TZif file.
  ///
  /// - Parameter bytes: The bytes of the file.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes[...])
    guard let first = Header(&reader) else { return nil }
    var block: ZoneBlock?
    var rule: ZoneRule?
    if first.version == 0 {
      block = ZoneBlock(first, bytesPerTime: 4, &reader)
    } else {
      // Version 2 and later repeat the data with 64-bit times, followed by a footer with a rule.
      guard reader.skip(first.size(bytesPerTime: 4)), let second = Header(&reader) else {
        return nil
      }
      block = ZoneBlock(second, bytesPerTime: 8, &reader)
      guard let footer = reader.footer() else { return nil }
      if !footer.isEmpty {
        guard let read = ZoneRule(footer) else { return nil }
        rule = read
      }
    }
    guard let block else { return nil }
    changes = block.changes
    offsets = block.offsets
    self.rule = rule
  }

  /// Returns the offset from UTC, in seconds; positive in the east.
  ///
  /// Logarithmic in the number of changes.
  func offset(at seconds: Int64) -> Int {
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle] <= seconds { low = middle + 1 } else { high = middle }
    }
    if low == changes.count, let rule { return rule.offset(at: seconds) }
    return offsets[low]
  }
}

/// The header of a data block, with its six counts.
private struct Header {
  let version: UInt8
  let counts: [Int]

  init?(_ reader: inout ByteReader) {
    guard reader.take(4) == Array("TZif".utf8)[...], let version = reader.take(1)?.first,
      reader.skip(15)
    else { return nil }
    self.version = version
    var counts: [Int] = []
    for _ in 0..<6 {
      guard let count = reader.integer(4), count >= 0 else { return nil }
      counts.append(Int(count))
    }
    self.counts = counts
  }

  var indicators: Int { counts[0] + counts[1] }
  var leapSeconds: Int { counts[2] }
  var times: Int { counts[3] }
  var types: Int { counts[4] }
  var characters: Int { counts[5] }

  func size(bytesPerTime: Int) -> Int {
    times * (bytesPerTime + 1) + types * 6 + characters + leapSeconds * (bytesPerTime + 4)
      + indicators
  }
}

private struct ZoneBlock {
  var changes: [Int64] = []
  var offsets: [Int] = []

  init?(_ header: Header, bytesPerTime: Int, _ reader: inout ByteReader) {
    let end = reader.rest.startIndex + header.size(bytesPerTime: bytesPerTime)
    guard header.types > 0, end <= reader.rest.endIndex else { return nil }
    for _ in 0..<header.times {
      guard let time = reader.integer(bytesPerTime), time > changes.last ?? .min else { return nil }
      changes.append(time)
    }
    guard let indices = reader.take(header.times) else { return nil }
    var types: [Int] = []
    for _ in 0..<header.types {
      // After the offset come the DST flag and the index of the abbreviation.
      guard let offset = reader.integer(4), reader.skip(2), abs(offset) < secondsPerDay else {
        return nil
      }
      types.append(Int(offset))
    }
    guard indices.allSatisfy({ $0 < types.count }) else { return nil }
    offsets = [types[0]] + indices.map { types[Int($0)] }
    reader.rest = reader.rest[end...]
  }
}

/// Reads values from the front of a byte sequence.
private struct ByteReader {
  var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func skip(_ count: Int) -> Bool { take(count) != nil }

  /// Reads a signed big-endian integer.
  mutating func integer(_ size: Int) -> Int64? {
    guard let bytes = take(size) else { return nil }
    let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return size == 4
      ? Int64(Int32(bitPattern: UInt32(value))) : Int64(bitPattern: value)
  }

  /// Reads the footer line.
  mutating func footer() -> String? {
    guard rest.first == UInt8(ascii: "\n"),
      let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\n"))
    else { return nil }
    return String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
  }
}
