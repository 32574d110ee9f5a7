// How much the import of one file may compute.

/// How much the import of one file may still compute, and how deep its values may nest.
///
/// Variables that each use another twice double the work with each of them, and a file of parentheses
/// nests deeper than a stack. It is used by one thread.
final class Effort {
  /// How deep a value may be within others; the call stack of a thread can be as small as 512 KiB.
  static let depthMax = 40
  private static let (countMax, bytesMax) = (200_000, 16 << 20)

  private var count = 0
  private var bytes = 0

  /// Counts a value that has been computed.
  ///
  /// - Throws: ``Untranslatable`` if it is one too many.
  func spend(_ value: ShellText) throws(Untranslatable) {
    count += 1
    bytes += value.length
    guard count <= Self.countMax, bytes <= Self.bytesMax else {
      throw Untranslatable("values that are too long")
    }
  }

  /// Checks how deep a value is within others.
  ///
  /// - Throws: ``Untranslatable`` if it is too deep.
  static func check(depth: Int) throws(Untranslatable) {
    guard depth < depthMax else {
      throw Untranslatable("values that use one another, or nest too deep")
    }
  }
}
