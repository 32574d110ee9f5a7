// `FileWatch`: asks for the files that steps use, and takes what their attempts have used.

package import ChildProcesses
import Paths
import Platform
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

  /// What the attempts change; shared by all copies.
  private let changes = AttemptChanges()

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
    return AttemptWatch(self, step.id)
  }

  /// Returns whether the last change of a file is of an attempt: one in progress has made, changed or removed
  /// it, or the last one of a step has, and it is as that attempt has left it.
  ///
  /// - Parameter path: The path, relative to the folder.
  /// - Returns: Whether it is. Reads the attributes of the file, which blocks.
  package func changes(_ path: String) -> Bool { changes.include(joinedPath(folder, path)) }

  fileprivate func begin() throws(SpawnError) -> FileTrace {
    let trace = try FileTrace(of: folder, guardian: guardian)
    changes.add(trace)
    return trace
  }

  fileprivate func end(_ report: FileReport, of step: String) {
    changes.end(of: step, LeftFiles(report, in: folder))
  }
}

/// The files that attempts change.
private final class AttemptChanges: Sendable {
  private struct Reference {
    weak var trace: FileTrace?
  }

  private struct State {
    var live: [Reference] = []
    /// What the last attempt of each step has left, since a change may be seen after its end.
    var left: [String: LeftFiles] = [:]
  }

  private let state = Mutex(State())

  func add(_ trace: FileTrace) {
    state.withLock { state in
      state.live.removeAll { $0.trace == nil }
      state.live.append(Reference(trace: trace))
    }
  }

  func end(of step: String, _ files: LeftFiles) {
    state.withLock { $0.left[step] = files }
  }

  func include(_ path: String) -> Bool {
    let (live, left) = state.withLock { ($0.live.compactMap(\.trace), $0.left.values) }
    // Without the lock: each trace has one of its own, and a file's attributes are read.
    return live.contains { $0.changes(path) } || left.contains { $0.include(path) }
  }
}

/// The files that an attempt has made, changed or removed, as it has left them.
private struct LeftFiles: Sendable {
  /// By their absolute paths; nil for those that are gone.
  private let files: [String: FileReport.Attributes?]

  init(_ report: FileReport, in folder: String) {
    let prefix = folder == "/" ? folder : folder + "/"
    var files: [String: FileReport.Attributes?] = [:]
    for use in report.uses
    where !use.kinds.isDisjoint(with: [.written, .removed, .temporary])
      && !use.kinds.contains(.changedByOthers) && use.path.hasPrefix(prefix)
    {
      files.updateValue(FileReport.Attributes(ofFile: use.path), forKey: use.path)
    }
    self.files = files
  }

  /// Whether the last change of a file is of the attempt.
  func include(_ path: String) -> Bool {
    guard let left = files[path] else { return false }
    let now = FileReport.Attributes(ofFile: path)
    // The times of a folder are those of its names, which have changes of their own.
    return left == now || left?.isFolder == true && now?.isFolder == true
  }
}

/// The watch of one attempt.
final class AttemptWatch: Sendable {
  /// When the attempt was about to start, in nanoseconds since 1970.
  ///
  /// By the wall clock, since it is compared with the times of files: the clock of a run does not follow when
  /// the wall clock is set.
  let startedAt = nanosecondsSince1970()
  private let watch: FileWatch
  private let step: String
  private let result = Mutex<FileWatch.Seen?>(nil)

  init(_ watch: FileWatch, _ step: String) {
    self.watch = watch
    self.step = step
  }

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
      let report = FileReport(trace: text)
      if let report { watch.end(report, of: step) }
      seen = report.map(FileWatch.Seen.files) ?? .nothing("its trace is incomplete")
    } else {
      seen = .nothing("its processes could not be watched")
    }
    result.withLock { $0 = seen }
  }
}
