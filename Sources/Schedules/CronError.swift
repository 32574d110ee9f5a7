// The error in a cron expression.

/// An error in a cron expression.
public struct CronError: Error, Equatable {
  /// The error, as a clause without a period.
  public let message: String
  /// A suggestion for fixing the error, if there is one.
  public let hint: String?
  /// The range of the error, in UTF-8 offsets; empty only for an empty text.
  public let range: Range<Int>

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - message: The error, as a clause without a period.
  ///   - hint: A suggestion for fixing the error.
  ///   - range: The range of the error, in UTF-8 offsets.
  package init(message: String, hint: String?, range: Range<Int>) {
    self.message = message
    self.hint = hint
    self.range = range
  }
}
