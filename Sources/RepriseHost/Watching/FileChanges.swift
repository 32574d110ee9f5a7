// Changed files as an asynchronous sequence, for watches and for programs that embed the engine.

import CombineOperators
import FileWatching
import Paths
import Reprise
import Synchronization

/// The changes of files that match patterns, as an asynchronous sequence.
///
///     for await paths in try FileChanges(["src/**/*.swift"]) { print("changed:", paths) }
///
/// Nothing is missed: every change after the initializer has returned is in an element. Changes in
/// quick succession are one element, and so are those that happen while the sequence is not read. The
/// sequence ends when its task is cancelled. Read it in one loop; releasing it ends the watch.
public final class FileChanges: AsyncSequence, Sendable {
  /// The paths of changed files, relative to the folder, in alphabetical order.
  public typealias Element = [String]
  /// The sequence does not fail.
  public typealias Failure = Never

  private let listening: ListeningToFiles
  private let unread: Unread
  private let signals: AsyncStream<Void>

  /// Starts to watch files.
  ///
  /// Scans the folder, and blocks the thread in the meantime.
  ///
  /// - Parameters:
  ///   - patterns: The patterns of paths below the folder, such as `src/**/*.c`; patterns with `!`
  ///     exclude.
  ///   - folder: The folder, which need not exist.
  ///   - respectsGitignore: Whether files that git ignores are ignored.
  ///   - quiet: The time without further changes after which changes are delivered.
  ///   - onProblem: Called with what the user should know about, such as a limit of the system. The
  ///     watch continues.
  /// - Throws: ``WatchError`` if a pattern is invalid, or the folder cannot be watched.
  public convenience init(
    _ patterns: [String], in folder: String = ".", respectsGitignore: Bool = true,
    quiet: Duration = .milliseconds(30),
    onProblem: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(WatchError) {
    var trigger = FileTrigger(patterns)
    trigger.respectsGitignore = respectsGitignore
    do {
      let none = try Workflow(name: "", steps: [])
      try self.init(
        WatchedFiles(trigger, of: none), in: folder, respectsGitignore: respectsGitignore,
        quiet: quiet, onProblem: onProblem)
    } catch {
      throw .failed("\(error)")
    }
  }

  /// Starts to watch the files of a workflow.
  init(
    _ files: WatchedFiles, in folder: String, respectsGitignore: Bool, quiet: Duration,
    onProblem: @escaping @Sendable (String) -> Void
  ) throws(FileWatchError) {
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let unread = Unread()
    listening = try ListeningToFiles(
      files, in: folder, respectsGitignore: respectsGitignore, quiet: quiet, onProblem: onProblem
    ) { changes in
      unread.paths.withLock { $0.formUnion(changes.paths) }
      signal.yield()
    }
    self.unread = unread
    self.signals = signals
  }

  /// Returns an iterator over the changes.
  public func makeAsyncIterator() -> Iterator {
    Iterator(changes: self, signals: signals.makeAsyncIterator())
  }

  /// The changes that were not read.
  private final class Unread: Sendable {
    let paths = Mutex<Set<String>>([])
  }

  /// An iterator over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    /// Retains the watch.
    fileprivate let changes: FileChanges
    fileprivate var signals: AsyncStream<Void>.Iterator

    /// Waits for the next changes.
    ///
    /// - Returns: The paths; nil if the task is cancelled.
    public mutating func next() async -> [String]? {
      while await signals.next(isolation: #isolation) != nil {
        let paths = changes.unread.paths.withLock { paths in
          defer { paths = [] }
          return paths
        }
        if !paths.isEmpty { return paths.sorted() }
      }
      return nil
    }
  }
}

/// Watches the files of a workflow, and folds changes in quick succession.
final class ListeningToFiles: Sendable {
  /// Changes in quick succession.
  struct Changes: Sendable {
    var paths: Set<String>
    var count: Int
  }

  private let folders: [FolderWatch]
  private let subscription: UncheckedSendable<AnyCancellable>

  /// Starts to watch.
  ///
  /// - Parameters:
  ///   - files: The files that matter.
  ///   - root: The folder that their paths are relative to.
  ///   - respectsGitignore: Whether files that git ignores are ignored.
  ///   - quiet: The time without further changes after which changes are delivered.
  ///   - onProblem: Called with problems; the watch continues.
  ///   - deliver: Called with changes, one after the other; changes in the meantime are folded.
  /// - Throws: ``FileWatchError`` if the folder cannot be watched.
  init(
    _ files: WatchedFiles, in root: String, respectsGitignore: Bool, quiet: Duration,
    onProblem: @escaping @Sendable (String) -> Void,
    deliver: @escaping @Sendable (Changes) async -> Void
  ) throws(FileWatchError) {
    // The subject is not declared `Sendable`, but it is thread-safe; the folder watch sends values
    // on one queue.
    let subject = UncheckedSendable(PassthroughSubject<Changes, Never>())
    let listening = subject.value
      .whenQuiet(for: quiet) { changes, later in
        changes.paths.formUnion(later.paths)
        changes.count += later.count
      }
      .sinkOneByOne(receiveValue: deliver)
    subscription = UncheckedSendable(listening)
    func watch(
      _ root: String, _ filter: FileWatchFilter, path: @escaping @Sendable (String) -> String
    ) throws(FileWatchError) -> FolderWatch {
      try FolderWatch(root, filter: filter) { event in
        switch event {
        case .changed(let name): subject.value.send(Changes(paths: [path(name)], count: 1))
        case .problem(let text): onProblem(text)
        case .rootChanged: break
        }
      }
    }
    let filter = FileWatchFilter(
      respectsGitignore: respectsGitignore, entersFolder: { files.enters($0) },
      wantsFile: { files.wants($0) })
    var folders = [try watch(root, filter) { $0 }]
    for (folder, names) in files.sourcesElsewhere {
      let filter = FileWatchFilter(
        entersFolder: { _ in false }, wantsFile: { names.contains($0) })
      folders.append(try watch(folder, filter) { joinedPath(folder, $0) })
    }
    self.folders = folders
  }

  deinit { cancel() }

  /// Stops the watch.
  func cancel() {
    for folder in folders { folder.cancel() }
    subscription.value.cancel()
  }
}

/// The reason that a workflow or files cannot be watched.
public enum WatchError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The workflow has no triggers.
  case noTriggers
  /// The triggers of these kinds work only under `reprise watch`.
  case unsupported([String])
  /// A pattern is invalid, or a folder cannot be watched.
  case failed(String)

  /// The reason as a clause for error messages.
  public var description: String {
    switch self {
    case .noTriggers: "the workflow has no triggers; add them under \"on\""
    case .unsupported(let words):
      "only reprise watch has these triggers: \(words.joined(separator: ", "))"
    case .failed(let reason): reason
    }
  }
}
