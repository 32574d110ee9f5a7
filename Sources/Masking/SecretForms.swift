// The byte sequences that must be masked to hide a secret.

/// Derives the byte sequences that must be masked, in any position and notation.
package enum SecretForms {
  /// The minimum length of a masked secret, in bytes, so that output stays readable.
  ///
  /// Callers reject shorter secrets. The lines of a multi-line secret are measured without
  /// surrounding blanks; otherwise every indented brace would be masked.
  package static let bytesMin = 4

  /// Returns whether a secret can be masked: at least one of its lines is long enough.
  package static func canMask(_ secret: String) -> Bool { !lines(of: Array(secret.utf8)).isEmpty }

  /// Returns the forms of one secret.
  ///
  /// - Parameter secret: The secret to mask.
  /// - Returns: Its lines that are long enough, and the whole secret, which is a single line in
  ///   output that escapes line feeds; empty if all are too short.
  static func forms(of secret: String) -> Set<[UInt8]> {
    let whole = Array(secret.utf8)
    var forms = lines(of: whole)
    if whole.count >= bytesMin { forms.insert(whole) }
    return forms
  }

  /// Returns the lines that are long enough, with and without surrounding blanks.
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
