// A filter for the bytes of an output stream.

/// A filter between the output of a process and its consumers, for the whole of one stream.
///
/// It gets the bytes as they were read, in arbitrary chunks. Lines, including unfinished ones, are
/// made only from the bytes that it lets through, so it can remove text for good. It may hold bytes
/// back until it can decide.
///
/// Used by one thread at a time.
package protocol OutputFilter {
  /// Filters the next bytes.
  ///
  /// - Parameter bytes: The bytes that were read.
  /// - Returns: The bytes to let through now.
  mutating func append(_ bytes: ArraySlice<UInt8>) -> [UInt8]

  /// Ends the stream.
  ///
  /// - Returns: Bytes that were held back and are let through.
  mutating func finish() -> [UInt8]
}
