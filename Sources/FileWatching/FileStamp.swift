// What is remembered of a file, and when a change of it is told. Pure.

/// The state of a file, as far as it can be told without reading it: 40 bytes.
struct FileStamp: Sendable, Equatable {
  /// When the contents changed, in nanoseconds since 1970.
  var modified: Int64
  /// When the contents or the rights changed, in nanoseconds since 1970.
  var statusChanged: Int64
  /// In bytes.
  var size: Int64
  /// The number by which the file system knows the file.
  var inode: UInt64
  /// Type and rights.
  var mode: UInt16
  /// Whether it was taken so soon after a change that a later one might have left no trace in it.
  ///
  /// "Racily clean" in the words of git: the clock of a file system may stand still for two seconds
  /// (FAT), so that a file can change and keep its times.
  var isFresh: Bool
  /// Whether a writer has made the file and has not been seen to close it; nobody was told of it.
  var isUnclosed = false
  /// When the file was told last, in seconds since 1970; 0 for never.
  var toldAt: UInt32 = 0

  /// How long a state has to last before its stamp can be trusted, in nanoseconds.
  static let freshNanoseconds: Int64 = 2_000_000_000
  /// How long after a telling every change of the rights is told, in seconds.
  static let unrestSeconds: UInt32 = 10

  /// Whether it was told so short a time ago that a subscriber may be about to look at it.
  func isInUnrest(at seconds: UInt32) -> Bool {
    seconds < toldAt &+ Self.unrestSeconds
  }

  /// Whether what makes a difference to those who read the file is the same.
  func isSameFile(as other: FileStamp) -> Bool {
    modified == other.modified && size == other.size && inode == other.inode && mode == other.mode
  }

  /// Whether nothing can have happened to the file between two looks.
  func isUntouched(since earlier: FileStamp) -> Bool {
    isSameFile(as: earlier) && statusChanged == earlier.statusChanged && !earlier.isFresh
  }
}

/// What the system says has happened to a name in a folder.
enum ChangeHint: Sendable, Equatable {
  /// A writer closed the file.
  case written
  /// Something was moved here.
  case arrived
  /// Something was moved away or deleted.
  case left
  /// Something was made: opened for the first time, or linked.
  case made
  /// As `made`, and the news that it was closed is known to follow.
  case madeAndClosed
  /// A file that was made some time ago and was not closed by a writer since.
  case settled
  /// The rights or times were set.
  case attributes
  /// Nobody knows: the folder was looked at, because something has happened to it.
  case found
  /// Nobody knows: the folder was looked at, because it is every two seconds.
  case polled
}

extension ChangeHint {
  /// Whether a file that is there is told.
  ///
  /// - Parameters:
  ///   - known: What was known of it; nil for nothing.
  ///   - seen: What it is now.
  ///   - seconds: The time, in seconds since 1970.
  ///   - isComplete: Whether nobody is writing to a new file; asked only where it matters.
  /// - Returns: Whether it is told.
  func tells(
    known: FileStamp?, seen: FileStamp, seconds: UInt32, isComplete: () -> Bool
  ) -> Bool {
    switch self {
    case .written, .arrived, .left: return true
    case .madeAndClosed: return false
    case .made: return isComplete()
    case .settled: return known?.isUnclosed == true && isComplete()
    case .attributes:
      guard let known else { return isComplete() }
      if known.isUnclosed { return false }
      // A subscriber may have read the file between two changes of which the second undid the first.
      return !seen.isSameFile(as: known) || known.isInUnrest(at: seconds)
    case .found:
      guard let known else { return true }
      // A subscriber may have looked while a folder around it was away for a moment.
      return !seen.isUntouched(since: known) || known.isInUnrest(at: seconds)
    case .polled:
      guard let known else { return true }
      return !seen.isUntouched(since: known)
    }
  }
}
