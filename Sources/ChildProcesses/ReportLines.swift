// Passes on complete lines of limited length, and drops everything else. Pure: no I/O.

/// The filter of a report channel: it passes only complete lines, and drops lines that are too
/// long.
///
/// Memory is bounded by the length of one line.
struct ReportLines: OutputFilter {
  /// The length, in bytes and without the line feed, above which a line is dropped.
  static let lineBytesMax = 4096

  /// The filter that the bytes pass first.
  private var filter: (any OutputFilter)?
  /// The bytes of the unfinished line.
  private var pending: [UInt8] = []
  /// Whether the unfinished line is already too long.
  private var isTooLong = false

  init(after filter: (any OutputFilter)?) {
    self.filter = filter
  }

  mutating func append(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard let passed = filter?.append(bytes) else { return wholeLines(bytes) }
    return wholeLines(passed[...])
  }

  mutating func finish() -> [UInt8] {
    defer { pending = [] }
    guard let passed = filter?.finish() else { return [] }
    return wholeLines(passed[...])
  }

  private mutating func wholeLines(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var lines: [UInt8] = []
    var rest = bytes
    while let lineFeed = rest.firstIndex(of: UInt8(ascii: "\n")) {
      hold(rest[..<lineFeed])
      if !isTooLong {
        lines += pending
        lines.append(UInt8(ascii: "\n"))
      }
      pending.removeAll(keepingCapacity: true)
      isTooLong = false
      rest = rest[(lineFeed + 1)...]
    }
    hold(rest)
    return lines
  }

  private mutating func hold(_ bytes: ArraySlice<UInt8>) {
    isTooLong = isTooLong || pending.count + bytes.count > Self.lineBytesMax
    if isTooLong {
      pending.removeAll(keepingCapacity: true)
    } else {
      pending += bytes
    }
  }
}
