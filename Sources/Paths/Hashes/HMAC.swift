// The keyed hash of RFC 2104.

/// Returns the HMAC-SHA256 of a message ([RFC 2104](https://www.rfc-editor.org/rfc/rfc2104)).
///
/// - Parameters:
///   - message: The message.
///   - key: The key.
/// - Returns: 64 hexadecimal digits.
package func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> String {
  var block = key
  if block.count > 64 {
    var hash = SHA256()
    hash.update(block)
    block = hash.digest()
  }
  block += [UInt8](repeating: 0, count: 64 - block.count)
  var inner = SHA256()
  inner.update(block.map { $0 ^ 0x36 })
  inner.update(message)
  var outer = SHA256()
  outer.update(block.map { $0 ^ 0x5C })
  outer.update(inner.digest())
  return outer.hexadecimal
}
