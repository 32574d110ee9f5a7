// `FileWatch`: asks for the files that steps use, and takes what their attempts have used.

package import ChildProcesses
import Synchronization
import Workflows

/// How to watch which files the steps of a run use.
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
  /// Called at the end of each attempt, on any thread.
  ///
  /// It must not block. With nil, only steps that learn from it are watched.
  package let onEnd: (@Sendable (_ step: String, _ attempt: Int, Seen) -> Void)?

  /// The attempts that are being watched; shared by all copies.
  private let live = LiveTraces()

  package init(
    of folder: String, guardian: (any DescriptorHolder)?,
    onEnd: (@Sendable (_ step: String, _ attempt: Int, Seen) -> Void)? = nil
  ) {
    self.folder = folder
    self.guardian = guardian
    self.onEnd = onEnd
  }

  /// Returns the watch of an attempt; nil if its files are not needed.
  func attempt(of step: Workflow.Step) -> AttemptWatch? {
    guard step.extrasIfAny?.isWatched != false else { return nil }
    guard onEnd != nil || step.extrasIfAny?.cache?.learning != nil else { return nil }
    return AttemptWatch(self)
  }

  /// Returns whether an attempt in progress has made, changed or removed a file.
  ///
  /// - Parameter path: The path, relative to the folder.
  /// - Returns: Whether one has.
  package func changes(_ path: String) -> Bool { live.change(folder + "/" + path) }

  fileprivate func begin() throws(SpawnError) -> FileTrace {
    let trace = try FileTrace(of: folder, guardian: guardian)
    live.add(trace)
    return trace
  }
}

/// The traces of attempts in progress.
private final class LiveTraces: Sendable {
  private struct Reference {
    weak var trace: FileTrace?
  }

  private let traces = Mutex<[Reference]>([])

  func add(_ trace: FileTrace) {
    traces.withLock { traces in
      traces.removeAll { $0.trace == nil }
      traces.append(Reference(trace: trace))
    }
  }

  func change(_ path: String) -> Bool {
    // Without the lock: each trace has one of its own.
    traces.withLock { $0.compactMap(\.trace) }.contains { $0.changes(path) }
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
        return try watch.begin()
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
