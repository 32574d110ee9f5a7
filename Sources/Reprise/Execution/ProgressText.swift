// What a step says of how far it is, line by line. Pure.

/// Reads the lines that a step writes to the file named by `REPRISE_PROGRESS`.
///
///     progress 0.7 compiling
///
/// The number is the part that is done, from 0 to 1, or a percentage such as `70%`; what follows it is
/// shown beside the bar. Lines that make no sense are passed over: a bar is not worth failing for.
enum ProgressText {
  /// Reads lines.
  ///
  /// - Parameter lines: What was written, at least one line.
  /// - Returns: What the last line that makes sense says; nil when none does.
  static func progress(in lines: String) -> (part: Double, text: String)? {
    for line in lines.utf8.split(separator: UInt8(ascii: "\n")).reversed().map(Substring.init) {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count >= 2, words[0] == "progress" else { continue }
      let isPercentage = words[1].hasSuffix("%")
      guard let number = Double(isPercentage ? words[1].dropLast() : words[1]), number.isFinite
      else { continue }
      let part = isPercentage ? number / 100 : number
      return (min(1, max(0, part)), words.count > 2 ? String(words[2]) : "")
    }
    return nil
  }
}
