// File stamps, which detect changes, and the rules by which a change is reported. Pure: no I/O.

/// The metadata of a file by which changes are detected, in 40 bytes.
struct FileStamp: Sendable, Equatable {
  /// When the contents changed, in nanoseconds since 1970.
  var modified: Int64
  /// When the contents or the metadata changed, in nanoseconds since 1970.
  var statusChanged: Int64
  /// The size in bytes.
  var size: Int64
  /// The inode number.
  var inode: UInt64
  /// The file type and permissions.
  var mode: UInt16
  /// Whether the stamp was taken so soon after a change that it might not show a later change.
  ///
  /// Git calls this "racily clean": the time stamps of a file system may have a resolution of two
  /// seconds (FAT), so a file can change without changing its times.
  var isFresh: Bool
  /// Whether the file was created and not yet closed by its writer; it has not been reported.
  var isUnclosed = false
  /// When the file was last reported, in seconds since 1970; 0 for never.
  var reportedAt: UInt32 = 0

  /// How long a state must last before its stamp can be trusted, in nanoseconds.
  static let freshNanoseconds: Int64 = 2_000_000_000
  /// The time after a report, in seconds, during which the file is reported even if it seems
  /// unchanged.
  static let recentSeconds: UInt32 = 10

  /// Returns whether the file was reported so recently that a subscriber may be about to read it.
  func wasReportedRecently(at seconds: UInt32) -> Bool {
    seconds < reportedAt &+ Self.recentSeconds
  }

  /// Returns whether the modification time, size, inode and mode are equal.
  func isSameFile(as other: FileStamp) -> Bool {
    modified == other.modified && size == other.size && inode == other.inode && mode == other.mode
  }

  /// Returns whether the file cannot have changed since an earlier stamp.
  func isUntouched(since earlier: FileStamp) -> Bool {
    isSameFile(as: earlier) && statusChanged == earlier.statusChanged && !earlier.isFresh
  }
}

/// The kind of event that the system reports for a name in a folder.
enum ChangeHint: Sendable, Equatable {
  /// A writer closed the file.
  case written
  /// A file or folder was moved to this name.
  case arrived
  /// The file or folder of this name was moved away or deleted.
  case left
  /// A file, folder or link was created; a new file may still be open for writing.
  case made
  /// Like `made`, and the event that its writer has closed it is already pending.
  case madeAndClosed
  /// A file was created some time ago, and has not been closed by a writer since.
  case settled
  /// The permissions or times were set.
  case attributes
  /// Unknown: the folder was listed because something has happened to it.
  case found
  /// Unknown: the folder was listed by polling, every two seconds.
  case polled
}

extension ChangeHint {
  /// Decides whether to report an existing file.
  ///
  /// - Parameters:
  ///   - known: The last known stamp; nil if there is none.
  ///   - seen: The current stamp.
  ///   - seconds: The time, in seconds since 1970.
  ///   - isComplete: Returns whether no process is writing to a new file; called only if it
  ///     matters.
  /// - Returns: Whether the file is reported.
  func shouldReport(
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
      // A subscriber may have read the file between two changes of which the second undid the
      // first.
      return !seen.isSameFile(as: known) || known.wasReportedRecently(at: seconds)
    case .found:
      guard let known else { return true }
      // A subscriber may have read while an enclosing folder was moved away for a moment.
      return !seen.isUntouched(since: known) || known.wasReportedRecently(at: seconds)
    case .polled:
      guard let known else { return true }
      return !seen.isUntouched(since: known)
    }
  }
}
