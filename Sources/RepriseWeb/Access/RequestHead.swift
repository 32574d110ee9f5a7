// The head of a request, as far as the page needs it. Knows no HTTP library.

/// The head of an HTTP request.
package struct RequestHead: Sendable {
  /// The method, such as `GET`.
  package var method: String
  /// The path and the query, as sent.
  package var target: String
  /// The header fields by name in lower case; several of one name are all kept.
  package var fields: [String: [String]]

  /// Creates a head.
  package init(method: String, target: String, fields: [String: [String]] = [:]) {
    self.method = method
    self.target = target
    self.fields = fields
  }

  /// The value of a field that is sent exactly once; nil if there is none, or more than one.
  func only(_ name: String) -> String? {
    fields[name].flatMap { $0.count == 1 ? $0[0] : nil }
  }

  /// Whether the client accepts gzip.
  package var acceptsGzip: Bool {
    (fields["accept-encoding"] ?? []).contains { $0.contains("gzip") }
  }

  /// The decoded segments of the path; nil if it is not a path of this server.
  package var path: [String]? {
    let text = target.prefix { $0 != "?" }
    guard text.hasPrefix("/") else { return nil }
    let segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    if segments == [""] { return [] }
    var decoded: [String] = []
    for segment in segments {
      guard !segment.isEmpty, let name = percentDecoded(segment), name != ".", name != ".."
      else { return nil }
      decoded.append(name)
    }
    return decoded
  }

  /// The decoded values of the query by name.
  ///
  /// - Returns: The values; nil if the query cannot be decoded, or a name is repeated.
  package var query: [String: String]? {
    guard let mark = target.firstIndex(of: "?") else { return [:] }
    var values: [String: String] = [:]
    for pair in target[target.index(after: mark)...].split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = percentDecoded(parts[0]),
        let value = parts.count == 2 ? percentDecoded(parts[1]) : "",
        values.updateValue(value, forKey: name) == nil
      else { return nil }
    }
    return values
  }
}

/// Decodes percent-encoded text (RFC 3986, section 2.1).
///
/// - Parameter text: The text.
/// - Returns: The decoded text; nil if it is not UTF-8, contains a zero byte or is cut off.
func percentDecoded(_ text: some StringProtocol) -> String? {
  var bytes: [UInt8] = []
  var rest = text.utf8[...]
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      bytes.append(byte)
      continue
    }
    guard let high = rest.popFirst(), let low = rest.popFirst(),
      let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16), value != 0,
      high != UInt8(ascii: "+")
    else { return nil }
    bytes.append(value)
  }
  return String(validating: bytes, as: UTF8.self)
}

/// Encodes all bytes of a text but letters, digits, `-`, `.`, `_` and `~` (RFC 3986, section 2.1).
func percentEncoded(_ text: String) -> String {
  let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
  return text.utf8.map { byte in
    if plain.contains(byte) { return String(Unicode.Scalar(byte)) }
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
  }.joined()
}
