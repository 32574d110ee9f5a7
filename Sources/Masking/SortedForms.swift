// Sorted, unique byte sequences, from which the automaton is built.

/// Sorted forms in a single buffer.
struct SortedForms {
  /// The position and length of a form in the buffer.
  private struct Entry {
    /// The first eight bytes as a number, which decides most comparisons.
    let key: UInt64
    let start: UInt32
    let length: UInt32
  }

  private var buffer: [UInt8] = []
  private var entries: [Entry] = []

  /// The number of distinct prefixes of the forms, including the empty one.
  private(set) var stateCount = 1

  /// Sorts forms.
  ///
  /// - Parameter forms: Byte sequences in any order.
  init(_ forms: some Collection<[UInt8]>) {
    buffer.reserveCapacity(forms.reduce(0) { $0 + $1.count })
    entries.reserveCapacity(forms.count)
    for form in forms {
      let start = UInt32(buffer.count)
      var key: UInt64 = 0
      for index in 0..<8 { key = key << 8 | (index < form.count ? UInt64(form[index]) : 0) }
      entries.append(Entry(key: key, start: start, length: UInt32(form.count)))
      buffer += form
    }
    buffer.withUnsafeBufferPointer { buffer in
      entries.sort { one, other in
        guard one.key == other.key else { return one.key < other.key }
        let shared = Self.shared(one, other, buffer)
        guard shared < min(one.length, other.length) else { return one.length < other.length }
        return buffer[Int(one.start) + shared] < buffer[Int(other.start) + shared]
      }
      for index in entries.indices {
        let known = index == 0 ? 0 : Self.shared(entries[index - 1], entries[index], buffer)
        stateCount += Int(entries[index].length) - known
      }
    }
  }

  /// The indices of all forms.
  var all: Range<Int> { entries.indices }

  /// Returns the length of a form.
  func length(_ number: Int) -> Int { Int(entries[number].length) }

  /// Returns a byte of a form.
  func byte(_ number: Int, _ index: Int) -> UInt8 { buffer[Int(entries[number].start) + index] }

  /// Returns the length of the common prefix of two forms.
  private static func shared(
    _ one: Entry, _ other: Entry, _ buffer: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let most = Int(min(one.length, other.length))
    var shared = 0
    while shared < most,
      buffer[Int(one.start) + shared] == buffer[Int(other.start) + shared]
    {
      shared += 1
    }
    return shared
  }
}
