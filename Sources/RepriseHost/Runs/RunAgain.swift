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
    let given = options[Self.optionOfArguments].flatMap { text in
      try? JSONDecoder().decode([String].self, from: Data(text.utf8))
    }
    return RunScope(recorded: options)
      .words(running: file, parameters, given ?? [], options: ["--progress", "none"])
  }
}

extension RunScope {
  /// Returns the words of a command that runs this part of a workflow.
  ///
  /// - Parameters:
  ///   - file: The file of the workflow.
  ///   - parameters: The values of parameters, by name.
  ///   - others: The arguments after `--`.
  ///   - options: Further options.
  /// - Returns: The words, from the name of the subcommand on.
  package func words(
    running file: String, _ parameters: [String: String], _ others: [String], options: [String]
  ) -> [String] {
    var words = ["run", file] + options
    words += parameters.sorted { $0.key < $1.key }.flatMap { ["-p", "\($0.key)=\($0.value)"] }
    words += maxParallel.map { ["--max-parallel", "\($0)"] } ?? []
    words += durability.map { ["--durability", $0.rawValue] } ?? []
    for (name, steps) in [("only", only), ("from", from), ("to", to)] {
      words += steps.flatMap { ["--\(name)", $0] }
    }
    return words + (others.isEmpty ? [] : ["--"] + others)
  }
}
