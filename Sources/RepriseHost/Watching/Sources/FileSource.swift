// The source of events for changed files.

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

  fileprivate func listen(
    to files: WatchedFiles, respectsGitignore: Bool
  ) throws(FileWatchError) {
    // Changes while an event is queued become part of the next event.
    keep(
      try ListeningToFiles(
        files, in: ".", respectsGitignore: respectsGitignore,
        quiet: triggers.debounce ?? Self.filesQuiet,
        onProblem: { [weak self] in
          self?.say("warning: \($0)")
        }
      ) { [weak self] changes in
        await self?.deliver(changes, files)
      })
  }

  private func deliver(_ changes: ListeningToFiles.Changes, _ files: WatchedFiles) async {
    let known = try? await blocking { [learnt] in learnt.traces }
    let own = learnt.own(changes.paths, known ?? [:])
    let paths = changes.paths.subtracting(own).sorted()
    guard !paths.isEmpty else { return }
    checkOwnChanges(changes.paths)
    // Ignore changes that affect no step.
    if triggers.restartsAffected,
      files.steps(affectedBy: paths, learnt: known ?? [:])?.isEmpty == true
    {
      return
    }
    await inbox.putAndWait(
      WatchEvent(
        Trigger(
          .files, time: now, count: changes.count - own.count,
          paths: Array(paths.prefix(Self.pathsMax)))
      ))
  }
}
