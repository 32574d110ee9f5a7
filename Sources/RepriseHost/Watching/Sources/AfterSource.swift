// The source of events for successful runs of other workflows.

import FileWatching
import Reprise
import RepriseJournal

extension AfterTrigger: TriggerSource {
  func start(in sources: WatchSources) throws {
    try sources.listenToRuns(of: workflows)
  }
}

extension WatchSources {
  fileprivate func listenToRuns(of workflows: [String]) throws(FileWatchError) {
    // A run releases its lock when it ends, for whatever reason.
    let folder = try FolderWatch(
      journal.directory.livePath,
      filter: FileWatchFilter(wantsFile: { $0.hasSuffix(".lock") })
    ) { [weak self] event in
      switch event {
      case .changed: self?.lookForSuccesses(of: workflows)
      case .problem(let text): self?.say("warning: \(text)")
      case .rootChanged: break
      }
    }
    keep(folder, nil)
    lookForSuccesses(of: workflows)
  }

  private func lookForSuccesses(of workflows: [String]) {
    inbox.put { [now] transaction throws(JournalError) in
      try transaction.acceptSuccesses(of: workflows) { workflow, run in
        WatchEvent(Trigger(.after(workflow: workflow, run: run), time: now))
      }
    }
  }
}
