// Deletes ended runs that exceed the limits of `keep`.

import Platform
package import Reprise
import SQLite

extension Retention {
  /// A run that may be deleted.
  package struct Candidate: Equatable {
    let isProtected: Bool
    let isUnfinished: Bool
    let endedAt: Timestamp
    let bytes: Int64

    /// Creates a candidate.
    ///
    /// - Parameters:
    ///   - isProtected: Whether the run must be kept; it counts for the limits all the same.
    ///   - isUnfinished: Whether the run goes on, now or when it is resumed: it must be kept, and only its
    ///     output counts.
    ///   - endedAt: The end of the run.
    ///   - bytes: The size of its output.
    package init(
      isProtected: Bool, isUnfinished: Bool = false, endedAt: Timestamp, bytes: Int64
    ) {
      self.isProtected = isProtected
      self.isUnfinished = isUnfinished
      self.endedAt = endedAt
      self.bytes = bytes
    }
  }

  /// Returns the positions of the runs to delete.
  ///
  /// - Parameters:
  ///   - runs: The runs, newest first.
  ///   - now: The current time.
  /// - Returns: The positions, in order.
  package func positionsToDelete(_ runs: [Candidate], now: Timestamp) -> [Int] {
    var (count, size) = (0, Int64(0))
    return runs.indices.filter { position in
      let run = runs[position]
      size += run.bytes
      guard !run.isUnfinished else { return false }
      count += 1
      let isOver =
        count > self.runs ?? .max || size > bytes ?? .max
        || (age.map { now - run.endedAt > $0 } ?? false)
      guard isOver, !run.isProtected else { return false }
      count -= 1
      size -= run.bytes
      return true
    }
  }
}

extension Journal {
  /// Deletes the ended runs that exceed limits.
  ///
  /// Keeps runs that are live or interrupted, the newest run of each workflow, which may be resumed, and
  /// the last success, from which successes are numbered. Linear in the number of runs.
  ///
  /// - Parameters:
  ///   - retention: The limits.
  ///   - workflow: The name of the workflow whose runs are limited; nil for all runs together.
  /// - Returns: The deleted runs.
  /// - Throws: ``JournalError``.
  @discardableResult
  package func deleteRuns(
    exceeding retention: Retention, of workflow: String? = nil
  ) throws(JournalError) -> [RunID] {
    guard retention.runs != nil || retention.age != nil || retention.bytes != nil else { return [] }
    let runs = try runs(workflow: workflow)
    let lastSuccess = try explaining {
      try database.read { connection in
        try connection.value(
          "SELECT number FROM run WHERE success > 0 ORDER BY success DESC LIMIT 1"
        ).integer
      }
    }
    var seen: Set<String> = []
    var candidates: [Retention.Candidate] = []
    for run in runs {
      let isNewest = seen.insert(run.request.workflow).inserted
      let isUnfinished = try run.status.isLive ? true : self.isUnfinished(run)
      candidates.append(
        Retention.Candidate(
          isProtected: isNewest || run.number == lastSuccess,
          isUnfinished: isUnfinished,
          endedAt: run.endedAt ?? run.requestedAt,
          bytes: retention.bytes == nil ? 0 : directory.outputBytes(of: run.id)))
    }
    var deleted: [RunID] = []
    for position in retention.positionsToDelete(candidates, now: SystemClock().now)
    where try remove(runs[position]) {
      deleted.append(runs[position].id)
    }
    return deleted
  }
}

extension StateDirectory {
  /// The file with the limits of the project: a map with the keys of `keep`.
  package var retentionPath: String { path + "/keep.yaml" }

  /// Returns the limits of the project.
  ///
  /// - Returns: The limits; without any if there is no file.
  /// - Throws: ``WorkflowError`` with all errors in the file.
  package func retention() throws(WorkflowError) -> Retention {
    guard let bytes = fileContents(retentionPath, upTo: 1 << 16) else { return Retention() }
    return try Retention(bytes, file: retentionPath)
  }

  /// Returns the size of the output of a run and of the files in its folder.
  func outputBytes(of run: RunID) -> Int64 {
    let folder = logFolder(of: run)
    return Self.bytes(in: filesFolder(of: run), depth: 0)
      + FolderReader.names(in: folder).reduce(0) { sum, step in
        FolderReader.names(in: folder + "/" + step).reduce(sum) { sum, name in
          let status = try? Stat(at: folder + "/\(step)/\(name)", followsLink: false)
          return sum + (status?.size ?? 0)
        }
      }
  }

  /// Returns the size of the files below a folder, down to a depth of 100.
  private static func bytes(in folder: String, depth: Int) -> Int64 {
    guard depth < 100 else { return 0 }
    return FolderReader.names(in: folder).reduce(0) { sum, name in
      let path = folder + "/" + name
      guard let status = try? Stat(at: path, followsLink: false) else { return sum }
      return sum
        + (status.type == .directory ? bytes(in: path, depth: depth + 1) : Int64(status.size))
    }
  }
}
