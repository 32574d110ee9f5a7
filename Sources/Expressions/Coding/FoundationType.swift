// Addresses and decimal numbers of Foundation as people write them. Their own coding is a map of their
// parts, which no expression can use.

/// A type of Foundation that is encoded as text, recognized by its name: linking Foundation would double
/// the size of a small program.
enum FoundationType {
  /// `URL`; with a base, it stays a map of both parts.
  case url
  /// `Decimal`.
  case decimal

  init?(_ type: Any.Type) {
    switch _typeName(type) {
    case "Foundation.URL", "FoundationEssentials.URL": self = .url
    case "Foundation.Decimal", "FoundationEssentials.Decimal", "__C.NSDecimal": self = .decimal
    default: return nil
    }
  }

  /// Returns the value by which a result of the type appears in a workflow.
  ///
  /// - Parameters:
  ///   - parts: The value as the type encodes itself.
  ///   - description: The text of the value.
  /// - Returns: The value; nil if it stays encoded by its parts.
  func value(of parts: Value, description: String) -> Value? {
    switch (self, parts) {
    case (.url, .map(let map)):
      guard map.count == 1, case .text? = map["relative"] else { return nil }
      return map["relative"]
    case (.decimal, .map):
      guard let number = Double(description), number.isFinite else { return nil }
      let value = Value.number(description, number)
      return value.asText == description ? value : .text(description)
    default: return nil
    }
  }

  /// The parts from which the type decodes itself; nil if the text is none.
  func parts(of text: String) -> ArgumentValue? {
    switch self {
    case .url: .map(["relative": .scalar(.text(text), text: text)])
    case .decimal: DecimalParts(text)?.map
    }
  }
}

/// A decimal number in the parts of `Decimal`: at most 128 bits of digits, and an exponent of one byte.
private struct DecimalParts {
  var digits: UInt128 = 0
  var exponent = 0
  var isNegative = false

  /// Reads a number such as `-12.50` or `1e-3`; nil if it is none, or if it would be rounded.
  init?(_ text: String) {
    let parts = text.split(separator: /[eE]/, maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let power = parts.count == 2 ? Int(parts[1]) : 0,
      (-1000...1000).contains(power)
    else { return nil }
    exponent = power
    isNegative = first.hasPrefix("-")
    var unsigned = Substring(
      first.hasPrefix("-") || first.hasPrefix("+") ? first.dropFirst() : first)
    if let point = unsigned.firstIndex(of: ".") {
      exponent -= unsigned.distance(from: point, to: unsigned.endIndex) - 1
      unsigned.remove(at: point)
    }
    guard !unsigned.isEmpty, unsigned.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    // Zeros at the end are no digits, so that 1e100 is exact.
    while unsigned.last == "0" {
      unsigned.removeLast()
      exponent += 1
    }
    for byte in unsigned.utf8 {
      let (product, isTooLarge) = digits.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = product.addingReportingOverflow(UInt128(byte - 0x30))
      guard !isTooLarge, !isLarger else { return nil }
      digits = sum
    }
    if digits == 0 { (exponent, isNegative) = (0, false) }
    // A larger exponent is made smaller by more zeros.
    while exponent > Int(Int8.max) {
      let (product, isTooLarge) = digits.multipliedReportingOverflow(by: 10)
      guard !isTooLarge else { return nil }
      digits = product
      exponent -= 1
    }
    guard exponent >= Int(Int8.min) else { return nil }
  }

  var map: ArgumentValue {
    let words = (0..<8).map { Int(truncatingIfNeeded: (digits >> (16 * $0)) & 0xFFFF) }
    let length = words.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    return ArgumentValue(
      .map([
        "exponent": .number(Double(exponent)), "length": .number(Double(length)),
        "isNegative": .boolean(isNegative), "isCompact": .boolean(true),
        "mantissa": .list(words.map { .number(Double($0)) }),
      ]))
  }
}
