// Some lines of an output of any length, in bounded memory. Pure.

import Reprise
import RepriseTerminal

/// Lines of an output, which arrives in pieces.
package struct LogExcerpt: Sendable {
  private let from: Int?
  private let count: Int
  private let bytesMax: Int
  private var kept: [[UInt8]] = []
  private var keptBytes = 0
  private var rest: [UInt8] = []
  private var isFull = false

  /// The number of lines so far.
  package private(set) var total = 0
  /// The number of the first line that is kept, from 1.
  package var first: Int { from ?? total - kept.count + 1 }
  /// The number of the last line that is kept.
  package var last: Int { first + kept.count - 1 }
  /// The kept lines without colours.
  package var text: String {
    let lines = kept.map { TerminalSafe(lines: String(decoding: $0, as: UTF8.self)).string }
    return lines.joined(separator: "\n")
  }

  /// Creates an empty excerpt.
  ///
  /// - Parameters:
  ///   - from: The number of the first line to keep; nil for the last lines.
  ///   - count: The maximum number of lines.
  ///   - bytesMax: The maximum number of bytes; a line that is longer is cut.
  package init(from: Int?, count: Int, bytesMax: Int) {
    self.from = from
    self.count = count
    self.bytesMax = bytesMax
  }

  /// Adds a piece of the output.
  package mutating func add(_ bytes: [UInt8]) {
    var left = bytes[...]
    while let end = left.firstIndex(of: UInt8(ascii: "\n")) {
      // The rest of a line that is too long is not needed.
      rest += left[..<end].prefix(max(0, bytesMax + 1 - rest.count))
      addLine()
      left = left[(end + 1)...]
    }
    rest += left.prefix(max(0, bytesMax + 1 - rest.count))
  }

  /// Adds the last line, if it has no line feed.
  package mutating func end() {
    if !rest.isEmpty { addLine() }
    if from == nil { dropFirst(leaving: bytesMax) }
  }

  /// Drops the first lines until those that are left are few and short enough.
  private mutating func dropFirst(leaving bytes: Int) {
    var dropped = 0
    while kept.count - dropped > count || keptBytes > bytes && kept.count - dropped > 1 {
      keptBytes -= kept[dropped].count + 1
      dropped += 1
    }
    kept.removeFirst(dropped)
  }

  private mutating func addLine() {
    total += 1
    let cut = rest.count > bytesMax ? Array(rest.prefix(bytesMax - 3)) + Array("…".utf8) : rest
    rest.removeAll(keepingCapacity: true)
    if let from {
      isFull = isFull || kept.count == count || !kept.isEmpty && keptBytes + cut.count > bytesMax
      guard total >= from, !isFull else { return }
    }
    kept.append(cut)
    keptBytes += cut.count + 1
    // Many at once, since that moves all others.
    guard from == nil, kept.count >= 2 * count || keptBytes >= 4 * bytesMax else { return }
    dropFirst(leaving: 2 * bytesMax)
  }
}
