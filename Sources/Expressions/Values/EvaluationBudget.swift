// Limits the memory that evaluating expressions can use.

/// Counts the bytes produced by expressions, up to a limit.
///
/// Prevents a small file from exhausting memory: each level of nested `format` calls can multiply
/// the size by ten. One budget covers a file while it is parsed, or all values of one step before
/// it starts. Not `Sendable`: one evaluation owns it.
package final class EvaluationBudget {
  /// The maximum total size of the values of a file or step, in bytes.
  package static let bytesMax = 64 << 20
  /// The maximum size of one value, in bytes.
  package static let valueBytesMax = 4 << 20

  private var left = bytesMax

  package init() {}

  /// Spends part of the budget.
  ///
  /// - Returns: False if the budget or the size limit of one value would be exceeded.
  package func spend(_ bytes: Int) -> Bool {
    guard bytes <= Self.valueBytesMax, bytes <= left else { return false }
    left -= bytes
    return true
  }
}
