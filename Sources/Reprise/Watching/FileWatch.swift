// `FileWatch`: asks for the files that steps use, and takes what their attempts have used.

package import ChildProcesses
import Synchronization

/// Watches which files the steps of a run use.
package struct FileWatch: Sendable {
  /// What is known of the files of an attempt.
  package enum Seen: Sendable, Equatable {
    case files(FileReport)
    /// Nothing is known, for this reason, a clause.
    case nothing(String)
  }

  /// The folder whose files are reported, such as that of the project; absolute.
  package let folder: String
  /// What keeps the calls of watched processes from failing when this process is killed.
  package let guardian: (any DescriptorHolder)?
  /// Called at the end of each attempt, on any thread; it must not block.
  package let onEnd: @Sendable (_ step: String, _ attempt: Int, Seen) -> Void

  package init(
    of folder: String, guardian: (any DescriptorHolder)?,
    onEnd: @escaping @Sendable (_ step: String, _ attempt: Int, Seen) -> Void
  ) {
    self.folder = folder
    self.guardian = guardian
    self.onEnd = onEnd
  }
}

/// The watch of one attempt.
final class AttemptWatch: Sendable {
  private let watch: FileWatch
  private let result = Mutex<FileWatch.Seen?>(nil)

  init(_ watch: FileWatch) { self.watch = watch }

  /// What was seen; of an attempt that started no process here, nothing.
  var seen: FileWatch.Seen {
    result.withLock { $0 } ?? .nothing("it has started no process on this machine")
  }

  /// Returns the trace for the processes of the attempt; nil if they cannot be watched.
  func begin() -> FileTrace? {
    let problem: String
    if let found = FileTrace.problem {
      problem = found
    } else {
      do throws(SpawnError) {
        return try FileTrace(of: watch.folder, guardian: watch.guardian)
      } catch {
        problem = error.description
      }
    }
    result.withLock { $0 = .nothing(problem) }
    return nil
  }

  /// Ends the watch, after the last process of the attempt.
  func end(_ trace: FileTrace) {
    let seen: FileWatch.Seen
    if let text = trace.report() {
      seen =
        FileReport(trace: text).map(FileWatch.Seen.files) ?? .nothing("its trace is incomplete")
    } else {
      seen = .nothing("its processes could not be watched")
    }
    result.withLock { $0 = seen }
  }
}
