// How programs write single bytes: as numbers, and as escapes of control characters. Pure.

/// The notations of a byte that several encodings share.
enum ByteNotation {
  /// A number with leading zeros.
  ///
  /// - Parameters:
  ///   - value: The number.
  ///   - radix: Its base; digits beyond nine are small letters.
  ///   - places: The fewest digits.
  /// - Returns: Its digits.
  static func number(_ value: some BinaryInteger, _ radix: Int, _ places: Int) -> String {
    let digits = String(value, radix: radix)
    return String(repeating: "0", count: max(0, places - digits.utf8.count)) + digits
  }

  /// The control characters that C has letters for, besides NUL.
  static let controlEscapes: [UInt8: String] = [
    7: #"\a"#, 8: #"\b"#, 9: #"\t"#, 10: #"\n"#, 11: #"\v"#, 12: #"\f"#, 13: #"\r"#,
  ]
}
