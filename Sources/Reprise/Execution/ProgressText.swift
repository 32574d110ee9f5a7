// `ProgressText`: parses the progress reports of a step.

/// Parses the lines that a step writes to the file named by `REPRISE_PROGRESS`.
///
///     progress 0.7 compiling
///
/// The number is the completed fraction, from 0 to 1, or a percentage such as `70%`. The text after
/// it is shown next to the progress bar. Invalid lines are ignored: they do not fail the
/// step.
enum ProgressText {
  /// Returns whether one of the lines is `ready`.
  static func isReady(in lines: String) -> Bool {
    lines.utf8.split(separator: UInt8(ascii: "\n")).contains { $0.elementsEqual("ready".utf8) }
  }

  /// Parses progress reports.
  ///
  /// - Parameter lines: The lines written, at least one.
  /// - Returns: The progress in the last valid line; nil if there is none.
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
