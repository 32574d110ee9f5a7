// Hashes that depend on names and numbers only.

import RepriseTesting

/// Returns a hash of a text that is the same in each process (FNV-1a).
func stableHash(_ text: String) -> UInt64 {
  var hash = Trace()
  for byte in text.utf8 { hash.mix(byte) }
  return hash.value
}

/// A hash of everything that happened.
struct Trace: Equatable {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func mix(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
  }

  mutating func mix(_ number: UInt64) {
    value = mixed(value ^ number) &* 0x100_0000_01B3
  }
}
