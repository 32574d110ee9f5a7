// Notices that the runs of a watch change the files that start them. Does no I/O.

/// The changes of files that may be those of the runs themselves.
///
/// A change counts if it comes during a run or right after it, once for each run. A file that has
/// changed so for several runs in a row, or many runs in a row with any files, is worth a warning.
struct OwnChanges: Sendable {
  /// The number of runs after which the same file is reported, and after which any file is.
  static let (sameMax, anyMax) = (5, 20)

  private var count = 0
  /// The files that have changed during each of the counted runs.
  private var common: Set<String> = []
  private var lastStart = 0
  private var hasWarned = false

  /// Returns a warning when it is due; once.
  ///
  /// - Parameters:
  ///   - paths: The changed files.
  ///   - activity: What the runs are doing.
  /// - Returns: The warning; nil for none.
  mutating func warning(after paths: Set<String>, _ activity: WatchRuns.Activity) -> String? {
    guard activity.isRecent else {
      count = 0
      return nil
    }
    guard count == 0 || activity.startCount > lastStart else { return nil }
    lastStart = activity.startCount
    count += 1
    common = count == 1 ? paths : common.intersection(paths)
    let isSame = count >= Self.sameMax && !common.isEmpty
    guard !hasWarned, isSame || count >= Self.anyMax else { return nil }
    hasWarned = true
    let path = (isSame ? common : paths).min() ?? ""
    return "the last \(count) runs were each started by a change during or right after the run "
      + "before, such as of \"\(path)\"; if a step makes this file, add it to \"ignore\" of the "
      + "trigger, or to \"cache.makes\" of the step"
  }
}
