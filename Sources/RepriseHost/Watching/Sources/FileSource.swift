// The source of events for changed files.

import CombineOperators
import FileWatching
import Paths
import Reprise
import RepriseJournal

extension FileTrigger: TriggerSource {
  func start(in sources: WatchSources) async throws {
    // Starting scans all files, which blocks.
    try await blocking {
      let read = WatchRuns.sources(of: sources.workflow)
      try sources.listen(
        to: try WatchedFiles(self, of: sources.workflow, sources: read),
        respectsGitignore: respectsGitignore)
    }
  }
}

extension WatchSources {
  /// The default debounce interval after a file change: an editor saves a file in several changes.
  static let filesQuiet: Duration = .milliseconds(30)
  /// The maximum number of paths in an event; its count includes the others.
  static let pathsMax = 1000

  private struct Changes: Sendable {
    var paths: Set<String>
    var count: Int
  }

  fileprivate func listen(
    to files: WatchedFiles, respectsGitignore: Bool
  ) throws(FileWatchError) {
    // The subject is not declared `Sendable`, but it is thread-safe; the folder watch sends values
    // on one queue.
    let subject = UncheckedSendable(PassthroughSubject<Changes, Never>())
    let listening = subject.value
      .whenQuiet(for: triggers.debounce ?? Self.filesQuiet) { changes, later in
        changes.paths.formUnion(later.paths)
        changes.count += later.count
      }
      // Changes while an event is queued become part of the next event.
      .sinkOneByOne { [weak self] changes in await self?.deliver(changes, files) }
    let folder = try FolderWatch(
      ".",
      filter: FileWatchFilter(
        respectsGitignore: respectsGitignore, entersFolder: { files.enters($0) },
        wantsFile: { files.wants($0) })
    ) { [weak self] event in
      switch event {
      case .changed(let path): subject.value.send(Changes(paths: [path], count: 1))
      case .problem(let text): self?.say("warning: \(text)")
      }
    }
    keep(folder, listening)
  }

  private func deliver(_ changes: Changes, _ files: WatchedFiles) async {
    let paths = changes.paths.sorted()
    // Ignore changes that affect no step.
    if triggers.restartsAffected, files.steps(affectedBy: paths)?.isEmpty == true { return }
    await inbox.putAndWait(
      WatchEvent(
        Trigger(
          .files, time: now, count: changes.count, paths: Array(paths.prefix(Self.pathsMax)))
      ))
  }
}
