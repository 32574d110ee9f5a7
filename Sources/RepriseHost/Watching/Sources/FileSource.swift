// Changed files as a source of events.

import CombineOperators
import FileWatching
import Paths
import Reprise
import RepriseJournal

extension FileTrigger: TriggerSource {
  func start(in sources: WatchSources) async throws {
    // All files are looked at.
    try await blocking {
      let read = WatchRuns.sources(of: sources.workflow)
      try sources.listen(
        to: try WatchedFiles(self, of: sources.workflow, sources: read),
        honoursGitignore: honoursGitignore)
    }
  }
}

extension WatchSources {
  /// How long it has to be quiet after a change of a file where the workflow does not say it: as long as
  /// an editor takes for all that it does to save one.
  static let filesQuiet: Duration = .milliseconds(30)
  /// How many paths an event names at most; what is more is known by its count only.
  static let pathsMax = 1000

  private struct Changes: Sendable {
    var paths: Set<String>
    var count: Int
  }

  fileprivate func listen(
    to files: WatchedFiles, honoursGitignore: Bool
  ) throws(FileWatchError) {
    // Not Sendable as declared, though any thread may use it: the watch of the folder calls it from one
    // queue.
    let subject = UncheckedSendable(PassthroughSubject<Changes, Never>())
    let listening = subject.value
      .whenQuiet(for: triggers.debounce ?? Self.filesQuiet) { changes, later in
        changes.paths.formUnion(later.paths)
        changes.count += later.count
      }
      // What changes while an event waits becomes part of the next one.
      .sinkOneByOne { [weak self] changes in await self?.hand(changes, files) }
    let folder = try FolderWatch(
      ".",
      filter: FileWatchFilter(
        honoursGitignore: honoursGitignore, entersFolder: { files.enters($0) },
        wantsFile: { files.wants($0) })
    ) { [weak self] event in
      switch event {
      case .changed(let path): subject.value.send(Changes(paths: [path], count: 1))
      case .problem(let text): self?.say("warning: \(text)")
      }
    }
    keep(folder, listening)
  }

  private func hand(_ changes: Changes, _ files: WatchedFiles) async {
    let paths = changes.paths.sorted()
    // What matters to no step neither cancels nor starts anything.
    if triggers.restartsAffected, files.steps(affectedBy: paths)?.isEmpty == true { return }
    await inbox.putAndWait(
      WatchEvent(
        Trigger(
          .files, time: now, count: changes.count, paths: Array(paths.prefix(Self.pathsMax)))
      ))
  }
}
