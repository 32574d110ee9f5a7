// What a run needs to be started again, from its record.

import Reprise
package import RepriseJournal
import RepriseTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RunRequest {
  /// Whether the record is enough to resume the run: secrets are not recorded, and code of another
  /// program cannot be run here.
  package var canResume: Bool {
    program == nil && hiddenParameters.isEmpty && !hidesArguments && !hidesTrigger
  }

  /// Whether the record is enough to start the workflow again with the same parameters.
  package var canStartAgain: Bool { canResume && workflowFile != nil }

  /// Returns the words of a command that starts the workflow again, in the folder of the run.
  ///
  /// - Throws: ``Problem`` if the record is not enough.
  func wordsToStartAgain() throws(Problem) -> [String] {
    guard canStartAgain, let file = workflowFile else {
      throw Problem(
        """
        error: the record of the run is not enough to start it again: it has secrets, which are \
        not recorded, or its workflow is not in a file
        """)
    }
    let scope = RunScope(recorded: options)
    var words = ["run", file, "--progress", "none"]
    words += parameters.sorted { $0.key < $1.key }.flatMap { ["-p", "\($0.key)=\($0.value)"] }
    words += scope.maxParallel.map { ["--max-parallel", "\($0)"] } ?? []
    words += scope.durability.map { ["--durability", $0.rawValue] } ?? []
    for (name, steps) in [("only", scope.only), ("from", scope.from), ("to", scope.to)] {
      words += steps.flatMap { ["--\(name)", $0] }
    }
    let given = options[Self.optionOfArguments].flatMap { text in
      try? JSONDecoder().decode([String].self, from: Data(text.utf8))
    }
    return words + (given.map { $0.isEmpty ? [] : ["--"] + $0 } ?? [])
  }
}
