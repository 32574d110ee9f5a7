// The file format of the tz database. Knows neither where the files are nor what zones are called.

/// What a compiled file of the tz database says: a TZif file (RFC 8536, https://www.rfc-editor.org/rfc/rfc8536).
struct ZoneFile: Sendable, Equatable {
  /// The moments at which the clocks were changed, in seconds since 1970, in their order.
  private let changes: [Int64]
  /// The offset before all changes, and the one after each of them.
  private let offsets: [Int]
  /// What holds after the last change; nil where that is the last offset for ever.
  private let rule: ZoneRule?

  /// Reads a file; nil when it is none of this format.
  ///
  /// - Parameter bytes: Its bytes.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes[...])
    guard let first = Header(&reader) else { return nil }
    var block: ZoneBlock?
    var rule: ZoneRule?
    if first.version == 0 {
      block = ZoneBlock(first, bytesPerTime: 4, &reader)
    } else {
      // The same once more, for readers that know more than 32 bits, and a rule behind it.
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

  /// By how much the clocks are ahead of UTC, in seconds.
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

/// The six counts in front of a block.
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
      // An offset is followed by whether it is daylight saving time, and by its name.
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

/// Takes bytes off the front.
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

  /// A number with a sign, its highest byte first.
  mutating func integer(_ size: Int) -> Int64? {
    guard let bytes = take(size) else { return nil }
    let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return size == 4
      ? Int64(Int32(bitPattern: UInt32(value))) : Int64(bitPattern: value)
  }

  /// The line at the end.
  mutating func footer() -> String? {
    guard rest.first == UInt8(ascii: "\n"),
      let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\n"))
    else { return nil }
    return String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
  }
}
