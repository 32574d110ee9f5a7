// The format of `out.log`: the news of an attempt, line by line.

import Reprise

/// Encodes the news of an attempt as lines, and reads them again.
///
///     2026-11-25T10:00:00.123Z stdout F the first line
///     2026-11-25T10:00:00.125Z stderr P half a li
///     2026-11-25T10:00:00.200Z progress F 0.25 compiling
///
/// This is the format of logs of the Kubernetes container runtime interface: the time, the stream,
/// `F` for a full or `P` for a partial line, and the text. Lines that end later replace the partial
/// ones before them.
enum AttemptRecord {
  /// Returns the lines for a piece of news, each with a line feed; empty for news without one.
  static func lines(of news: AttemptNews, at time: Timestamp) -> [UInt8] {
    let head = time.description + " "
    switch news {
    case .output(let stream, let text, let isPartial):
      let tag = head + stream.rawValue + (isPartial ? " P " : " F ")
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.utf8.count + tag.utf8.count + 1)
      for line in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
        bytes += tag.utf8
        bytes += line
        bytes.append(0x0A)
      }
      return bytes
    case .progress(let part, let text):
      return Array((head + "progress F \(part) " + oneLine(text) + "\n").utf8)
    case .leftBehind(let command):
      return Array((head + "left-behind F " + oneLine(command) + "\n").utf8)
    case .used(let use):
      return Array((head + "used F " + text(of: use) + "\n").utf8)
    case .ready:
      return Array((head + "ready F \n").utf8)
    case .queued, .started, .outOfSight, .written, .ended:
      return []
    }
  }

  /// Reads the news in whole lines; consecutive full lines of a stream are joined.
  ///
  /// - Parameter bytes: Whole lines, each with a line feed.
  /// - Returns: The news; lines that are not in the format are left out.
  static func news(in bytes: ArraySlice<UInt8>) -> [AttemptNews] {
    var all: [AttemptNews] = []
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: true) {
      guard let news = news(inLine: line) else { continue }
      if case .output(let stream, let text, false) = news,
        case .output(stream, let before, false)? = all.last, before.utf8.count < 1 << 16
      {
        all[all.count - 1] = .output(stream, text: before + "\n" + text, isPartial: false)
      } else {
        all.append(news)
      }
    }
    return all
  }

  private static func news(inLine line: ArraySlice<UInt8>) -> AttemptNews? {
    let words = line.split(separator: 0x20, maxSplits: 3, omittingEmptySubsequences: false)
    guard words.count == 4 else { return nil }
    let text = String(decoding: words[3], as: UTF8.self)
    let isPartial = words[2].elementsEqual("P".utf8)
    switch String(decoding: words[1], as: UTF8.self) {
    case OutputChannel.standardOutput.rawValue:
      return .output(.standardOutput, text: text, isPartial: isPartial)
    case OutputChannel.standardError.rawValue:
      return .output(.standardError, text: text, isPartial: isPartial)
    case "progress":
      let parts = text.split(separator: " ", maxSplits: 1)
      guard let part = parts.first.flatMap({ Double($0) }) else { return nil }
      return .progress(part, parts.count > 1 ? String(parts[1]) : "")
    case "ready":
      return .ready
    case "left-behind":
      return .leftBehind(text)
    case "used":
      return use(text[...]).map(AttemptNews.used)
    default:
      return nil
    }
  }

  /// Returns the seconds and the bytes of a use of resources.
  static func text(of use: ResourceUse) -> String {
    "\(use.processorTime / .seconds(1)) \(use.peakBytes)"
  }

  /// Reads the seconds and the bytes of a use of resources; nil if the text is none.
  static func use(_ text: Substring) -> ResourceUse? {
    let words = text.split(separator: " ")
    guard words.count == 2, let seconds = Double(words[0]), seconds.isFinite, seconds >= 0,
      seconds < 1e9, let bytes = Int64(words[1])
    else { return nil }
    return ResourceUse(processorTime: .milliseconds(Int64(seconds * 1000)), peakBytes: bytes)
  }

  private static func oneLine(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }
}
