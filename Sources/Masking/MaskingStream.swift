// Masks secrets in a stream of bytes that arrives in chunks.

/// Masks one stream incrementally.
///
/// At any time, the concatenated output is a prefix of what masking the whole stream would produce:
/// a byte that may be part of a secret is not emitted before this is decided. Only the longest
/// suffix that may be the start of a secret is held back, which is at most the length of the
/// longest form of a secret and never extends past a line feed. Time is linear in the number of
/// bytes.
package struct MaskingStream: Sendable {
  private let finder: SecretFinder?
  private var search = SecretSearch()

  /// The bytes that are read but not yet emitted, after some emitted ones.
  ///
  /// Like those of the other properties, positions count from the start of the stream.
  private var heldBack: [UInt8] = []
  private var heldBackStart = 0
  private var emittedEnd = 0

  /// The ranges to mask from `emittedEnd` on.
  private var maskedRuns = MaskedRuns()
  /// Whether the byte before `emittedEnd` was masked, so that a continued run emits no second
  /// mask.
  private var lastWasMasked = false

  /// Creates the state of a stream.
  ///
  /// - Parameter finder: Finds the secrets; nil if there are none.
  init(finder: SecretFinder?) {
    self.finder = finder
  }

  /// The size of its own memory, in bytes.
  var byteCount: Int { heldBack.capacity }

  /// Masks the next bytes.
  ///
  /// - Parameter bytes: The input, which need not be UTF-8.
  /// - Returns: The output that can be emitted now.
  package mutating func append(_ bytes: some Collection<UInt8>) -> [UInt8] {
    guard let finder else { return Array(bytes) }
    let readEnd = heldBack.count
    heldBack += bytes
    let end = heldBackStart + heldBack.count
    let all = heldBack
    all.withUnsafeBufferPointer { all in
      search.read(
        UnsafeBufferPointer(rebasing: all[readEnd...]), at: heldBackStart + readEnd, with: finder,
        into: &maskedRuns)
    }
    return emit(until: max(emittedEnd, search.openStart(finder) ?? end))
  }

  /// Ends the stream and resets it for another one.
  ///
  /// - Returns: The bytes that were held back, masked where they are part of a secret.
  package mutating func finish() -> [UInt8] {
    defer { self = MaskingStream(finder: finder) }
    if let finder { search.endLine(finder, into: &maskedRuns) }
    return emit(until: heldBackStart + heldBack.count)
  }

  private mutating func emit(until end: Int) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(end - emittedEnd)
    var done = 0
    for run in maskedRuns.runs {
      guard run.lowerBound < end else { break }
      show(until: run.lowerBound, in: &output)
      if !lastWasMasked { output += mask }
      lastWasMasked = true
      emittedEnd = min(run.upperBound, end)
      if run.upperBound <= end { done += 1 }
    }
    maskedRuns.removeFirst(done)
    show(until: end, in: &output)
    forget()
    return output
  }

  /// Emits bytes that are not part of a run.
  private mutating func show(until end: Int, in output: inout [UInt8]) {
    guard end > emittedEnd else { return }
    output += heldBack[(emittedEnd - heldBackStart)..<(end - heldBackStart)]
    emittedEnd = end
    lastWasMasked = false
  }

  /// Discards emitted bytes once they are the larger part of the buffer, so that each byte is moved
  /// about once.
  private mutating func forget() {
    let count = emittedEnd - heldBackStart
    guard count > heldBack.count / 2 else { return }
    heldBack.removeFirst(count)
    heldBackStart = emittedEnd
  }
}

extension MaskingStream: CustomReflectable {
  /// Hides the contents, because bytes held back may be part of a secret.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The replacement for a secret.
private let mask = Array("***".utf8)
