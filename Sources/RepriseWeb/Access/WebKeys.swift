// The secrets of the page, new at each start: the token in its address, and the session.

/// The secrets by which a browser is recognised.
///
/// They are worth nothing to the next server: while none runs, another user can listen on its port,
/// and gets what open pages send.
package struct WebKeys: Sendable, Equatable, Codable {
  /// The token in the fragment of the address, which is traded for the session.
  package let token: String
  /// What requests carry.
  package let session: String

  /// Creates random keys of 256 bits.
  package init() {
    token = Self.random()
    session = Self.random()
  }

  private static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Whether both keys have the form of new ones; a file that somebody has changed may not.
  package var areWellFormed: Bool {
    [token, session].allSatisfy { key in
      key.utf8.count == 64 && key.utf8.allSatisfy { Self.digits.contains($0) }
    }
  }

  private static let digits = Set("0123456789abcdef".utf8)
}

/// Compares two texts in a time that depends on their lengths only.
func areEqualInConstantTime(_ first: String, _ second: String) -> Bool {
  let (first, second) = (Array(first.utf8), Array(second.utf8))
  guard first.count == second.count else { return false }
  return zip(first, second).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
