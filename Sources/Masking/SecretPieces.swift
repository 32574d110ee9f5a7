// Short pieces of secrets, which identify a secret that is split by line breaks.

/// All pieces of a fixed length in the secrets: three or four consecutive bytes, as numbers.
///
/// Dumps and base64 break lines after a fixed number of bytes, and the position of the breaks in a
/// secret depends on the text before it. Output is therefore decoded and compared piece by piece.
/// Everything covered by a piece is masked, and less than a piece remains visible at the end of a
/// line.
struct SecretPieces: Sendable {
  /// The length of the longest pieces in bits.
  static let bitsMax = 32

  /// The length of a piece in bits.
  let bits: Int
  /// The pieces, sorted and without duplicates.
  let all: [UInt32]
  /// A Bloom filter with one hash, which rejects nearly all non-pieces.
  private let filter: [UInt64]
  private let filterShift: UInt32
  /// Collects pieces, in time linear in the length of the secrets except for sorting.
  ///
  /// - Parameters:
  ///   - bytes: The length of a piece, at most four.
  ///   - secrets: The secrets. Pieces that consist of blanks are skipped, since they reveal
  ///     nothing.
  init(bytes: Int, of secrets: some Sequence<[UInt8]>) {
    bits = bytes * 8
    let mask = UInt32(truncatingIfNeeded: (UInt64(1) << UInt64(bits)) - 1)
    var found: [UInt32] = []
    for secret in secrets {
      var piece: UInt32 = 0
      for (index, byte) in secret.enumerated() {
        piece = (piece << 8 | UInt32(byte)) & mask
        guard index >= bytes - 1 else { continue }
        if secret[(index - bytes + 1)...index].contains(where: { $0 > 0x20 }) {
          found.append(piece)
        }
      }
    }
    found.sort()
    all = found.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    var logarithm: UInt32 = 10
    while logarithm < 24, 1 << logarithm < all.count * 16 { logarithm += 1 }
    filterShift = 32 - logarithm
    var filter = [UInt64](repeating: 0, count: 1 << Int(logarithm - 6))
    for piece in all {
      let hash = Self.hash(piece) >> filterShift
      filter[Int(hash >> 6)] |= 1 << UInt64(hash & 63)
    }
    self.filter = filter
  }

  /// Returns whether a number is a piece.
  @inline(__always)
  func contains(_ piece: UInt32) -> Bool {
    let hash = Self.hash(piece) >> filterShift
    guard filter[Int(hash >> 6)] >> UInt64(hash & 63) & 1 == 1 else { return false }
    let index = index(of: piece)
    return index < all.count && all[index] == piece
  }

  /// Returns whether a piece starts with the last `count` bits of a value.
  func hasPrefix(_ value: UInt64, bits count: Int) -> Bool {
    let rest = UInt64(bits - count)
    let lowest = (value & ((1 << UInt64(count)) - 1)) << rest
    let index = index(of: UInt32(lowest))
    return index < all.count && UInt64(all[index]) < lowest + (1 << rest)
  }

  /// Returns the index of the first piece that is not less.
  private func index(of piece: UInt32) -> Int {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle] < piece { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Whether there are no pieces.
  var isEmpty: Bool { all.isEmpty }

  /// The size of its memory, in bytes.
  var byteCount: Int { all.capacity * 4 + filter.capacity * 8 }

  /// Returns the multiplicative hash of Knuth (The Art of Computer Programming 3, 6.4).
  private static func hash(_ piece: UInt32) -> UInt32 { piece &* 0x9E37_79B1 }
}
