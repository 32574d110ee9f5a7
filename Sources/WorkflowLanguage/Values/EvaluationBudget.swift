// How much text expressions may make: what keeps a small file from taking the memory of the machine.

/// Counts the bytes that expressions make, up to a limit.
///
/// A few nested calls of `format` make ten times as much at each level. One budget serves a whole file while it
/// is read, or all values of one step while it is about to start. Not `Sendable`: one evaluation owns it.
final class EvaluationBudget {
  /// How many bytes the values of a file or of a step may take together.
  static let bytesMax = 64 << 20
  /// How many bytes one value may have.
  static let valueBytesMax = 4 << 20

  private var left = bytesMax

  init() {}

  /// Takes bytes from the budget.
  ///
  /// - Returns: Whether there are as many left, and a value may have as many.
  func spend(_ bytes: Int) -> Bool {
    guard bytes <= Self.valueBytesMax, bytes <= left else { return false }
    left -= bytes
    return true
  }
}
