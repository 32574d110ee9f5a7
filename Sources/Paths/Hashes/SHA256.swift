// The hash function SHA-256.

/// An incremental SHA-256 computation.
///
/// Implements [FIPS 180-4](https://doi.org/10.6028/NIST.FIPS.180-4) and uses its variable names.
package struct SHA256: Sendable {
  /// H(0): the first 32 bits of the fractional parts of the square roots of the first 8 primes.
  private var hash: SIMD8<UInt32> = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19,
  ]
  /// The bytes after the last complete block.
  private var rest: [UInt8] = []
  private var bytesCount: UInt64 = 0

  private static let blockBytes = 64

  /// Creates the state for an empty message.
  package init() {
    rest.reserveCapacity(Self.blockBytes)
  }

  /// Hashes more bytes.
  ///
  /// - Parameter bytes: The next bytes of the message.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    bytesCount &+= UInt64(bytes.count)
    var left = bytes[...]
    if !rest.isEmpty {
      let missing = left.prefix(Self.blockBytes - rest.count)
      rest += missing
      left = left.dropFirst(missing.count)
      guard rest.count == Self.blockBytes else { return }
      rest.withUnsafeBytes { Self.compress($0, into: &hash) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = left.prefix(left.count / Self.blockBytes * Self.blockBytes)
    Self.compress(UnsafeRawBufferPointer(rebasing: whole), into: &hash)
    rest += left.dropFirst(whole.count)
  }

  /// Hashes more bytes.
  ///
  /// - Parameter bytes: The next bytes of the message.
  package mutating func update(_ bytes: some Sequence<UInt8>) {
    let isDone: Void? = bytes.withContiguousStorageIfAvailable {
      update(UnsafeRawBufferPointer($0))
    }
    if isDone == nil { Array(bytes).withUnsafeBytes { update($0) } }
  }

  /// Returns the hash of the bytes so far; further updates are possible.
  ///
  /// - Returns: 32 bytes.
  func digest() -> [UInt8] {
    var padded = self
    let zeros = (Self.blockBytes * 2 - 9 - rest.count) % Self.blockBytes
    padded.update([0x80] + [UInt8](repeating: 0, count: zeros) + Self.bytes(of: bytesCount &* 8))
    return padded.hash.indices.flatMap { Self.bytes(of: padded.hash[$0]) }
  }

  /// The digest as 64 lower-case hexadecimal digits.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    let text = digest().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }

  private static func bytes<Word: FixedWidthInteger>(of word: Word) -> [UInt8] {
    withUnsafeBytes(of: word.bigEndian) { Array($0) }
  }
}

extension SHA256 {
  /// Performs the hash computation of section 6.2.2 for each block.
  ///
  /// Rotates the roles of the variables instead of moving their values: after eight steps, each has
  /// its original role.
  private static func compress(_ blocks: UnsafeRawBufferPointer, into hash: inout SIMD8<UInt32>) {
    constants.withUnsafeBufferPointer { k in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { w in
        for block in stride(from: 0, to: blocks.count, by: blockBytes) {
          for t in 0..<16 {
            let word = blocks.loadUnaligned(fromByteOffset: block + t &* 4, as: UInt32.self)
            w[t] = UInt32(bigEndian: word)
          }
          for t in 16..<64 {
            w[t] = sigma1(w[t &- 2]) &+ w[t &- 7] &+ sigma0(w[t &- 15]) &+ w[t &- 16]
          }
          var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
          var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
          for t in stride(from: 0, to: 64, by: 8) {
            step(a, b, c, &d, e, f, g, &h, k[t] &+ w[t])
            step(h, a, b, &c, d, e, f, &g, k[t &+ 1] &+ w[t &+ 1])
            step(g, h, a, &b, c, d, e, &f, k[t &+ 2] &+ w[t &+ 2])
            step(f, g, h, &a, b, c, d, &e, k[t &+ 3] &+ w[t &+ 3])
            step(e, f, g, &h, a, b, c, &d, k[t &+ 4] &+ w[t &+ 4])
            step(d, e, f, &g, h, a, b, &c, k[t &+ 5] &+ w[t &+ 5])
            step(c, d, e, &f, g, h, a, &b, k[t &+ 6] &+ w[t &+ 6])
            step(b, c, d, &e, f, g, h, &a, k[t &+ 7] &+ w[t &+ 7])
          }
          hash &+= SIMD8(a, b, c, d, e, f, g, h)
        }
      }
    }
  }

  @inline(__always)
  private static func step(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32,
    _ g: UInt32, _ h: inout UInt32, _ kw: UInt32
  ) {
    let sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    let sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    let choice = (e & f) ^ (~e & g)
    let majority = (a & b) ^ (a & c) ^ (b & c)
    let t1 = h &+ sum1 &+ choice &+ kw
    d &+= t1
    h = t1 &+ sum0 &+ majority
  }

  @inline(__always)
  private static func sigma0(_ x: UInt32) -> UInt32 { rotate(x, 7) ^ rotate(x, 18) ^ x &>> 3 }

  @inline(__always)
  private static func sigma1(_ x: UInt32) -> UInt32 { rotate(x, 17) ^ rotate(x, 19) ^ x &>> 10 }

  @inline(__always)
  private static func rotate(_ x: UInt32, _ n: UInt32) -> UInt32 { x &>> n | x &<< (32 &- n) }

  /// K: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}
