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
  ///
  /// If the attempt wrote more than the limit of a log, this is its first half, and ``parts`` has
  /// what is kept of the rest.
  package let path: String
  /// The offsets in the output at which the files with the rest of it begin, in order.
  package let parts: [Int64]

  /// Returns the path of the file with the output from an offset on.
  static func partPath(of log: String, offset: Int64) -> String {
    log.dropLast(".log".count) + ".\(offset).log"
  }

  /// The files with the output, in order, each with its offset.
  package var files: [(offset: Int64, path: String)] {
    [(0, path)] + parts.map { ($0, Self.partPath(of: path, offset: $0)) }
  }
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
      logs(of: step, in: logFolder(of: run) + "/" + Self.fileName(step))
    }
  }

  private func logs(of step: String, in folder: String) -> [LogFile] {
    struct Attempt: Hashable {
      let generation: Int
      let attempt: Int
    }
    var heads: Set<Attempt> = []
    var parts: [Attempt: [Int64]] = [:]
    for name in FolderReader.names(in: folder) {
      let words = name.split(separator: ".")
      guard words.count >= 3, words.last == "log", let generation = Int(words[0]),
        let number = Int(words[1])
      else { continue }
      let attempt = Attempt(generation: generation, attempt: number)
      if words.count == 3 {
        heads.insert(attempt)
      } else if words.count == 4, let offset = Int64(words[2]) {
        parts[attempt, default: []].append(offset)
      }
    }
    return heads.sorted { ($0.generation, $0.attempt) < ($1.generation, $1.attempt) }.map {
      LogFile(
        step: step, generation: $0.generation, attempt: $0.attempt,
        path: folder + "/\($0.generation).\($0.attempt).log",
        parts: (parts[$0] ?? []).sorted())
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
