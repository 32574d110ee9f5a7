// What a step wrote to the file named by REPRISE_OUTPUT, as names and values. Pure.

/// Reads the outputs of a step.
///
///     version=1.2.3
///     notes<<END
///     two lines
///     of text
///     END
///
/// A name is made of letters, digits, `_` and `-` and begins with a letter or `_`. A value is what stands
/// behind the first `=`, as it is. When a name comes twice, the last value counts.
enum OutputText {
  /// The most that a step may write.
  static let bytesMax = 1 << 20

  /// What is wrong with the text, with the number of the line.
  struct Mistake: Error, Equatable {
    let line: Int
    let message: String
  }

  /// Reads bytes, which are to be UTF-8.
  ///
  /// - Parameter bytes: What was written.
  /// - Returns: The outputs by name.
  /// - Throws: ``Mistake`` for the first line that makes no sense.
  static func outputs(in bytes: [UInt8]) throws(Mistake) -> StepOutputs {
    if let text = String(validating: bytes, as: UTF8.self) { return try outputs(in: text) }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let bad = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
    throw Mistake(
      line: bad + 1, message: "it is not UTF-8; write bytes to a file, or encode them with base64")
  }

  /// Reads a text.
  ///
  /// - Parameter text: What was written.
  /// - Returns: The outputs by name.
  /// - Throws: ``Mistake`` for the first line that makes no sense.
  static func outputs(in text: String) throws(Mistake) -> StepOutputs {
    var outputs: StepOutputs = [:]
    // By bytes: as characters, a carriage return and a line feed are one.
    var lines = text.utf8.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
    ).map(Substring.init)[...]
    if lines.last?.isEmpty == true { lines = lines.dropLast() }
    while let line = lines.first {
      let number = lines.startIndex + 1
      lines = lines.dropFirst()
      if line.isEmpty { continue }
      guard let (name, separator, rest) = parts(of: line) else {
        // Whole or not at all: a secret that is cut would not be found.
        let shown = line.utf8.count <= 60 ? "\"\(line)\"" : "a line of \(line.utf8.count) bytes"
        throw Mistake(line: number, message: "\(shown) is neither NAME=VALUE nor NAME<<END")
      }
      guard separator == "<<" else {
        outputs[name] = String(rest)
        continue
      }
      guard let end = lines.firstIndex(of: rest), !rest.isEmpty else {
        throw Mistake(
          line: number, message: "the value of \"\(name)\" has no end: no line \"\(rest)\" follows")
      }
      outputs[name] = lines[..<end].joined(separator: "\n")
      lines = lines[(end + 1)...]
    }
    return outputs
  }

  private static func parts(of line: Substring) -> (String, separator: String, Substring)? {
    let name = line.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
    guard let first = name.first, first.isLetter || first == "_" else { return nil }
    let rest = line[name.endIndex...]
    for separator in ["=", "<<"] where rest.hasPrefix(separator) {
      return (String(name), separator, rest.dropFirst(separator.count))
    }
    return nil
  }
}
