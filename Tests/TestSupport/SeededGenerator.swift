// Reproducible random numbers. Tests print the seed; REPRISE_TEST_SEED sets it.

import Foundation

/// The SplitMix64 generator (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
public struct SeededGenerator: RandomNumberGenerator {
  /// The seed of the generator.
  public let seed: UInt64
  private var state: UInt64

  /// Creates a generator that gives the same numbers for the same seed.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// Returns a generator with the seed from the environment, or with a new seed, which is printed.
  public static func announced(for test: String = #function) -> SeededGenerator {
    let given = ProcessInfo.processInfo.environment["REPRISE_TEST_SEED"].flatMap(UInt64.init)
    let seed = given ?? UInt64.random(in: 0..<1_000_000)
    print("\(test): REPRISE_TEST_SEED=\(seed)")
    return SeededGenerator(seed: seed)
  }

  /// Returns the next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
