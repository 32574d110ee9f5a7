// Hides secrets in one stream of bytes, however it is cut. A plain value: no I/O.

/// Masks one stream as it is read.
///
/// What is let through at any time is what masking the whole stream at once would begin with:
/// nothing that may be a part of a secret leaves before it is known whether it is. Only the longest
/// end that may be the beginning of a secret is held back, so no more than the longest form of a
/// secret, and nothing beyond a line feed. Time is linear in the number of bytes.
package struct MaskingStream: Sendable {
  private let finder: SecretFinder?
  private var search = SecretSearch()

  /// What has been read and not let through, behind some bytes that have been.
  ///
  /// Positions, as in the other properties, count from the beginning of the stream.
  private var heldBack: [UInt8] = []
  private var heldBackStart = 0
  private var letThroughEnd = 0

  /// What has to be masked from `letThroughEnd` on.
  private var maskedRuns = MaskedRuns()
  /// Whether the byte before `letThroughEnd` was masked, so that a run which goes on is no new one.
  private var lastWasMasked = false

  /// Begins a stream.
  ///
  /// - Parameter finder: What finds the secrets; nil when there are none.
  init(finder: SecretFinder?) {
    self.finder = finder
  }

  /// The memory that it takes, in bytes.
  var byteCount: Int { heldBack.capacity }

  /// Takes in the next bytes.
  ///
  /// - Parameter bytes: What was read. It need not be UTF-8.
  /// - Returns: What can be let through now.
  package mutating func append(_ bytes: some Collection<UInt8>) -> [UInt8] {
    guard let finder else { return Array(bytes) }
    let readEnd = heldBack.count
    heldBack += bytes
    let end = heldBackStart + heldBack.count
    search.read(
      heldBack[readEnd...], at: heldBackStart + readEnd, with: finder, into: &maskedRuns)
    return letThrough(until: max(letThroughEnd, search.openStart(finder) ?? end))
  }

  /// Ends the stream.
  ///
  /// - Returns: What was held back, which is now known to be no secret but where it is masked. The
  ///   stream is then as if nothing had been read.
  package mutating func finish() -> [UInt8] {
    defer { self = MaskingStream(finder: finder) }
    if let finder { search.endLine(finder, into: &maskedRuns) }
    return letThrough(until: heldBackStart + heldBack.count)
  }

  private mutating func letThrough(until end: Int) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(end - letThroughEnd)
    var done = 0
    for run in maskedRuns.runs {
      guard run.lowerBound < end else { break }
      show(until: run.lowerBound, in: &output)
      if !lastWasMasked { output += mask }
      lastWasMasked = true
      letThroughEnd = min(run.upperBound, end)
      if run.upperBound <= end { done += 1 }
    }
    maskedRuns.removeFirst(done)
    show(until: end, in: &output)
    forget()
    return output
  }

  /// Lets bytes through that are in no run.
  private mutating func show(until end: Int, in output: inout [UInt8]) {
    guard end > letThroughEnd else { return }
    output += heldBack[(letThroughEnd - heldBackStart)..<(end - heldBackStart)]
    letThroughEnd = end
    lastWasMasked = false
  }

  /// Frees what has been let through once it is the larger part, so that each byte moves about
  /// once.
  private mutating func forget() {
    let count = letThroughEnd - heldBackStart
    guard count > heldBack.count / 2 else { return }
    heldBack.removeFirst(count)
    heldBackStart = letThroughEnd
  }
}

extension MaskingStream: CustomReflectable {
  /// Shows nothing: what is held back may be a secret.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What stands where a secret has been.
private let mask = Array("***".utf8)
