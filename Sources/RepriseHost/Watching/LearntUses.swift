// What steps with `cache: auto` have learnt, for the watch of their files.

import Reprise
import RepriseJournal

/// The files that the steps of a workflow have used and made, as far as they have learnt it.
struct LearntUses: Sendable {
  private let memory: JournalMemory
  private let watch: FileWatch?

  init(_ host: RunHost, file: String) {
    memory = JournalMemory(host.journal, file: file)
    watch = host.watch
  }

  /// The traces of the steps by their ids; reads the database, which blocks.
  var traces: [String: StepTrace] { memory.recallAll() }

  /// Returns those of some changed files that steps have made, or are about to make, also in attempts that
  /// failed.
  ///
  /// A watch that took them for changes by its user would start again and again.
  func own(_ paths: Set<String>, _ traces: [String: StepTrace]) -> Set<String> {
    let made = Set(traces.values.flatMap(\.filesLearnt))
    return paths.filter { made.contains($0) || watch?.changes($0) == true }
  }
}
