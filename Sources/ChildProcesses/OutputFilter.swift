// What may change the bytes of a stream before anybody sees them. Knows nothing of lines.

/// Stands between what a process writes and what is told of it, for the whole of one stream.
///
/// It sees the bytes as they were read, cut anywhere. What it lets through is all that lines are
/// made of, those that have not ended included; so what must not be seen can be removed for good. It
/// may hold bytes back until it knows more.
///
/// Used by one thread at a time.
package protocol OutputFilter {
  /// Takes in the next bytes.
  ///
  /// - Parameter bytes: What was read.
  /// - Returns: What may be seen now.
  mutating func append(_ bytes: ArraySlice<UInt8>) -> [UInt8]

  /// Ends the stream.
  ///
  /// - Returns: What was held back and may be seen.
  mutating func finish() -> [UInt8]
}
