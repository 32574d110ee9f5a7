// What is wrong with a cron expression, and how it is told. Knows nothing of how it was found.

/// One mistake in a cron expression.
public struct CronError: Error, Equatable {
  /// What is wrong: a sentence without a full stop.
  public let message: String
  /// How to mend it, where that can be said.
  public let hint: String?
  /// The part of the text that is meant, in offsets of its UTF-8; empty only for an empty text.
  public let range: Range<Int>

  /// A mistake.
  ///
  /// - Parameters:
  ///   - message: What is wrong.
  ///   - hint: How to mend it.
  ///   - range: The part of the text that is meant, in offsets of its UTF-8.
  package init(message: String, hint: String?, range: Range<Int>) {
    self.message = message
    self.hint = hint
    self.range = range
  }
}
