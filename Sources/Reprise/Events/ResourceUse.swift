// `ResourceUse`: the processor time and the memory of an attempt.

/// What the processes of an attempt have used, as the machine that ran it has counted.
///
/// Of processes that were waited for: what a daemon uses that the step has left running is not counted.
public struct ResourceUse: Sendable, Equatable {
  /// The processor time of all processes.
  public var processorTime: Duration
  /// The peak memory of the largest process, resident, in bytes.
  public var peakBytes: Int64

  /// Creates a use of resources.
  ///
  /// - Parameters:
  ///   - processorTime: The processor time of all processes.
  ///   - peakBytes: The peak memory of the largest process, in bytes.
  public init(processorTime: Duration, peakBytes: Int64) {
    (self.processorTime, self.peakBytes) = (processorTime, peakBytes)
  }
}

extension ResourceUse: CustomStringConvertible {
  /// A short text, such as `1.2 s of processor time, at most 34.0 MiB`.
  public var description: String {
    "\(durationText(processorTime)) of processor time, at most \(bytesText(peakBytes))"
  }
}

/// Returns a number with what it counts, such as `1 step` or `2 steps`.
package func countText(_ count: some BinaryInteger, _ noun: String) -> String {
  count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}

/// Returns a number of bytes in a readable unit, such as `1.5 GiB`.
package func bytesText(_ count: Int64) -> String {
  var (number, unit) = (Double(count), "bytes")
  for next in ["KiB", "MiB", "GiB", "TiB"] where number >= 1024 {
    (number, unit) = (number / 1024, next)
  }
  guard unit != "bytes" else { return countText(count, "byte") }
  let tenths = Int((number * 10).rounded())
  return "\(tenths / 10).\(tenths % 10) \(unit)"
}
