// Reads an excerpt of the recorded output of a run.

import Reprise
import RepriseJournal

extension LogExcerpt {
  /// Reads recorded output, blocking the thread.
  ///
  /// - Parameters:
  ///   - selection: The output.
  ///   - record: The run.
  ///   - journal: Its journal.
  /// - Throws: ``Problem`` if there is no such step, or the run cannot be read.
  mutating func read(
    _ selection: LogSelection, of record: RunRecord, in journal: Journal
  ) throws(Problem) {
    var excerpt = self
    var copy = LogCopy(of: record, selection, in: journal, isTerminal: false) {
      excerpt.add($0)
      return true
    }
    _ = try copy.copyNew()
    excerpt.end()
    self = excerpt
  }

  /// Reads the output of the last attempt of a step, blocking the thread.
  ///
  /// - Throws: ``Problem``.
  mutating func read(
    lastAttemptOf step: String, of record: RunRecord, in journal: Journal
  ) throws(Problem) {
    var selection = LogSelection(step: step)
    let log = journal.directory.logs(of: record.id, steps: [step]).last
    (selection.generation, selection.attempt) = (log?.generation, log?.attempt)
    try read(selection, of: record, in: journal)
  }
}
