// The texts that hide a secret when they are masked. Knows nothing of how they are found. Pure.

/// Makes the byte sequences that must be masked, at any place and in any notation.
package enum SecretForms {
  /// The length in bytes below which a secret is not masked, so that an output stays readable.
  ///
  /// Whoever makes secrets refuses shorter ones. A line of a secret of many lines is measured
  /// without the blanks around it: else every indented brace would be masked.
  package static let bytesMin = 4

  /// Whether a secret can be hidden at all: a line of it is long enough.
  package static func canHide(_ secret: String) -> Bool { !lines(of: Array(secret.utf8)).isEmpty }

  /// Makes the forms of one secret.
  ///
  /// - Parameter secret: The text to hide.
  /// - Returns: Its lines that are long enough, and the whole, which is on one line if line feeds are
  ///   escaped; none if too short.
  static func forms(of secret: String) -> Set<[UInt8]> {
    let whole = Array(secret.utf8)
    var forms = lines(of: whole)
    if whole.count >= bytesMin { forms.insert(whole) }
    return forms
  }

  /// The lines that are long enough, with and without the blanks around them.
  private static func lines(of whole: [UInt8]) -> Set<[UInt8]> {
    let all = whole.split(separator: lineFeed)
      .map { $0.last == carriageReturn ? $0.dropLast() : $0 }.filter { !$0.isEmpty }
    var lines: Set<[UInt8]> = []
    for line in all {
      let trimmed = trimmed(line)
      if trimmed.count >= bytesMin { lines.insert(Array(trimmed)) }
      if (all.count == 1 ? line : trimmed).count >= bytesMin { lines.insert(Array(line)) }
    }
    return lines
  }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var trimmed = line.drop(while: isBlank)
    while let last = trimmed.last, isBlank(last) { trimmed.removeLast() }
    return trimmed
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}

private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
