// Random numbers from a seed: a small generator.

import Reprise
import Synchronization

/// The SplitMix64 generator (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
package struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  /// Creates a generator; equal seeds give equal numbers.
  package init(seed: UInt64) {
    state = seed
  }

  /// Creates a generator for one purpose, which is independent of other purposes.
  package init(seed: UInt64, purpose: UInt64) {
    state = mixed(seed ^ mixed(purpose))
  }

  /// Returns the next 64 random bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return mixed(state)
  }

  /// Returns a number from 0 to one less than the bound.
  package mutating func below(_ bound: Int) -> Int {
    Int(((next() >> 32) * UInt64(bound)) >> 32)
  }

  /// Returns a number of a range.
  package mutating func number(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.upperBound - range.lowerBound + 1)
  }

  /// Returns true with the given probability.
  package mutating func chance(_ probability: Double) -> Bool {
    Double(next() >> 11) / Double(1 << 53) < probability
  }

  /// Returns a random element.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}

/// Returns a number with the bits mixed.
package func mixed(_ number: UInt64) -> UInt64 {
  var z = number
  z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
  z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
  return z ^ (z >> 31)
}

/// A source of random bits from a seed.
final class SeededSource: RandomSource {
  private let generator: Mutex<SplitMix64>

  init(seed: UInt64) {
    generator = Mutex(SplitMix64(seed: seed))
  }

  func next() -> UInt64 { generator.withLock { $0.next() } }
}
