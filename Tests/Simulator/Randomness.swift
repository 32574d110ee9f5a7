// Random numbers of a simulation: a small generator, and hashes that depend on names only.

/// The SplitMix64 generator (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// Creates a generator for one purpose, which is independent of other purposes.
  init(seed: UInt64, purpose: UInt64) {
    state = mixed(seed ^ mixed(purpose))
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return mixed(state)
  }

  /// Returns a number from 0 to one less than the bound.
  mutating func below(_ bound: Int) -> Int {
    Int(((next() >> 32) * UInt64(bound)) >> 32)
  }

  /// Returns a number of a range.
  mutating func number(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.upperBound - range.lowerBound + 1)
  }

  /// Returns true with the given probability.
  mutating func chance(_ probability: Double) -> Bool {
    Double(next() >> 11) / Double(1 << 53) < probability
  }

  /// Returns a random element.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}

/// Returns a number with the bits mixed.
func mixed(_ number: UInt64) -> UInt64 {
  var z = number
  z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
  z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
  return z ^ (z >> 31)
}

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
