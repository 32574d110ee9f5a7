// What the engine is known to do wrong today, so that campaigns look for something else.

/// Something that the oracles find and that is not fixed yet.
///
/// Remove a case when the engine is fixed; `simulate --strict` checks all of them.
public enum KnownIssue: String, Sendable, CaseIterable {
  /// When the disk is full, a step with `if: always()` and the like gets ready or is skipped although one of its
  /// needs was stopped without an event.
  case conditionAfterDiskFull
}
