// Parses sizes such as `64m`.

/// Returns the number of bytes that a text such as `500k`, `64m`, `1.5g` or `4096` names.
///
/// Units are powers of 1024.
///
/// - Parameter text: The text to parse.
/// - Returns: The size; nil if the text is not 0, or a size of one byte to 1 EiB.
package func bytes(inWorkflowText text: String) -> Int64? {
  let digits = text.utf8.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
  let shifts = ["": 0, "k": 10, "m": 20, "g": 30, "t": 40]
  guard let number = Double(Substring(digits)),
    let shift = shifts[String(Substring(text.utf8.dropFirst(digits.count))).lowercased()]
  else { return nil }
  let size = number * Double(Int64(1) << shift)
  return size == 0 || (1...0x1p60).contains(size) ? Int64(size) : nil
}
