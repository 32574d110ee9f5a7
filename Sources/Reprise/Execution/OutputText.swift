// `OutputText`: parses the file named by REPRISE_OUTPUT.

/// Parses the outputs of a step.
///
///     version=1.2.3
///     notes<<END
///     two lines
///     of text
///     END
///
/// A byte order mark before a line is left out: some programs write one whenever they append. A name
/// consists of letters, digits, `_` and `-`, and begins with a letter or `_`. A value is the text
/// after the first `=`, unchanged. If a name occurs twice, the last value counts.
enum OutputText {
  /// The maximum size in bytes.
  static let bytesMax = 1 << 20

  /// A syntax error, with its line number.
  struct ParseError: Error, Equatable {
    let line: Int
    let message: String
  }

  /// Parses the outputs in bytes, which must be UTF-8.
  ///
  /// - Parameter bytes: The content of the file.
  /// - Returns: The outputs by name.
  /// - Throws: ``ParseError`` for the first invalid line.
  static func outputs(in bytes: [UInt8]) throws(ParseError) -> StepOutputs {
    if let text = String(validating: bytes, as: UTF8.self) { return try outputs(in: text) }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let bad = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
    throw ParseError(
      line: bad + 1, message: "not UTF-8; write binary data to a file, or encode it with base64")
  }

  /// Parses the outputs in a text.
  ///
  /// - Parameter text: The content of the file.
  /// - Returns: The outputs by name.
  /// - Throws: ``ParseError`` for the first invalid line.
  static func outputs(in text: String) throws(ParseError) -> StepOutputs {
    var outputs: StepOutputs = [:]
    // Split by bytes: as a Character, CR LF is one unit and would not match.
    var lines = text.utf8.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
    ).map(Substring.init)[...]
    if lines.last?.isEmpty == true { lines = lines.dropLast() }
    while var line = lines.first {
      if line.unicodeScalars.first == "\u{FEFF}" {
        line = Substring(line.unicodeScalars.dropFirst())
      }
      let number = lines.startIndex + 1
      lines = lines.dropFirst()
      if line.isEmpty { continue }
      guard let (name, separator, rest) = parts(of: line) else {
        // Show the whole line or none of it: masking would not find part of a secret.
        let shown = line.utf8.count <= 60 ? "\"\(line)\"" : "a line of \(line.utf8.count) bytes"
        throw ParseError(line: number, message: "\(shown) is neither NAME=VALUE nor NAME<<END")
      }
      guard separator == "<<" else {
        outputs[name] = String(rest)
        continue
      }
      guard let end = lines.firstIndex(of: rest), !rest.isEmpty else {
        throw ParseError(
          line: number,
          message: "the value of \"\(name)\" is not terminated: no line \"\(rest)\" follows")
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
