// Finds the log files with the output of runs.

import Platform
package import Reprise

/// The log file of one attempt of a step.
package struct LogFile: Sendable, Equatable {
  /// The id of the step.
  package let step: String
  /// The generation of the run.
  package let generation: Int
  /// The attempt in that generation.
  package let attempt: Int
  /// The path of the file, which contains the lines of standard output and standard error.
  package let path: String
}

extension StateDirectory {
  /// Returns the log files of a run, ordered by step and attempt.
  ///
  /// A step without output has no file.
  ///
  /// - Parameters:
  ///   - run: The id of the run.
  ///   - steps: The ids of the steps, in the desired order.
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

  /// Checks that the log folders of a run are not symbolic links.
  ///
  /// Linear in the number of steps with output.
  ///
  /// - Parameter run: The id of a run to be resumed; a new run has no folders yet.
  /// - Throws: ``JournalError`` that names the link.
  func expectNoLinks(inLogsOf run: RunID) throws(JournalError) {
    let folder = logFolder(of: run)
    for path in [folder] + FolderReader.names(in: folder).map({ folder + "/" + $0 })
    where Self.isLink(path) {
      throw JournalError("\"\(path)\" is a symbolic link instead of a folder; move it away")
    }
  }
}
