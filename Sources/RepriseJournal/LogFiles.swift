// The output of runs, read back from its files. Knows no database.

import Platform
package import Reprise

/// What one attempt of a step wrote.
package struct LogFile: Sendable, Equatable {
  /// The id of the step.
  package let step: String
  /// The generation of the run.
  package let generation: Int
  /// The attempt in that generation.
  package let attempt: Int
  /// The path of the file; lines as they were written, standard output and standard error together.
  package let path: String
}

extension StateDirectory {
  /// The logs of a run, step by step as the plan has them, each in the order of its attempts.
  ///
  /// A step that wrote nothing has none.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - steps: The ids of the steps to look for, in the order that is wanted.
  /// - Returns: The files.
  package func logs(of run: RunID, steps: [String]) -> [LogFile] {
    let written = Set(FolderReader.names(in: logFolder(of: run)))
    return steps.filter { written.contains(Self.fileName($0)) }.flatMap { step in
      let folder = logFolder(of: run) + "/" + Self.fileName(step)
      return FolderReader.names(in: folder).compactMap { name -> LogFile? in
        let parts = name.split(separator: ".")
        guard parts.count == 3, parts[2] == "log", let generation = Int(parts[0]),
          let attempt = Int(parts[1])
        else { return nil }
        return LogFile(
          step: step, generation: generation, attempt: attempt, path: folder + "/" + name)
      }.sorted { ($0.generation, $0.attempt) < ($1.generation, $1.attempt) }
    }
  }

  /// Refuses a run whose output would be written where links lead.
  ///
  /// Linear in the number of its steps that have written something.
  ///
  /// - Parameter run: A run that is about to be resumed; of a new one there are no folders yet.
  /// - Throws: ``JournalError`` that names the link.
  func expectNoLinks(inLogsOf run: RunID) throws(JournalError) {
    let folder = logFolder(of: run)
    for path in [folder] + FolderReader.names(in: folder).map({ folder + "/" + $0 })
    where Self.isLink(path) {
      throw JournalError("\"\(path)\" is a link, not a folder of logs; move it away")
    }
  }
}
