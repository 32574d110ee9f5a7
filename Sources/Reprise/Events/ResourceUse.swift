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
  /// A short text, such as `1.2 s of processor time, at most 34 MB`.
  public var description: String {
    "\(durationText(processorTime)) of processor time, at most \(memoryText)"
  }

  /// The peak memory, such as `34 MB`.
  package var memoryText: String {
    let units = ["B", "KB", "MB", "GB", "TB"]
    var (value, unit) = (Double(peakBytes), 0)
    while value >= 1000, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
    let text = value < 10 && unit > 0 ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))"
    return "\(text) \(units[unit])"
  }
}
