// Starts runs in processes of their own, which outlive this one.

import Dispatch
import Platform
package import Reprise
package import RepriseJournal
import RepriseTerminal
import Synchronization

/// Starts commands that drive runs.
///
/// They go on when this process ends: they have a session of their own, and nothing of theirs is
/// connected to it. Thread-safe.
package final class StartedRuns: Sendable {
  /// The maximum number of commands that run at once: a page must not fill the machine with runs.
  private static let countMax = 64
  /// How long to wait for the record of a run.
  private static let patience: Duration = .seconds(30)

  private let command: String
  private let journal: Journal
  private let count = Mutex((running: 0, started: 0))
  private let waiting = DispatchQueue(label: "reprise.started", attributes: .concurrent)

  /// Creates a starter.
  ///
  /// - Parameters:
  ///   - command: The path of the command `reprise`.
  ///   - journal: The journal of the project.
  package init(command: String, _ journal: Journal) {
    self.command = command
    self.journal = journal
  }

  /// Resumes a run that has ended, and waits until it is live.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - options: Further words of the command `reprise resume`, such as `--from STEP`.
  /// - Throws: ``Problem`` with the errors of the command if it ends first.
  package func resume(_ record: RunRecord, _ options: [String] = []) async throws {
    let words = ["resume", record.id.description, "--progress", "none"] + options
    _ = try await start(
      words, in: record.moved(to: journal.directory).request.directory, resuming: record)
  }

  /// Starts the workflow of a run again, with the same parameters, as a new run.
  ///
  /// - Parameter record: The run, which must have ended.
  /// - Returns: The id of the new run.
  /// - Throws: ``Problem``.
  package func startAgain(_ record: RunRecord) async throws -> RunID {
    guard !record.status.isLive else {
      throw Problem("error: run \(record.id) is in progress: it can be restarted")
    }
    let moved = record.moved(to: journal.directory).request
    return try await start(try moved.wordsToStartAgain(), in: moved.directory, resuming: nil)
  }

  /// Starts a command, and waits until its run is recorded.
  ///
  /// - Parameters:
  ///   - words: The arguments of the command.
  ///   - folder: The folder in which it runs.
  ///   - record: The run that it resumes; nil for a new one.
  /// - Returns: The id of the run.
  /// - Throws: ``Problem`` with the errors of the command if it ends first.
  package func start(
    _ words: [String], in folder: String, resuming record: RunRecord?
  ) async throws -> RunID {
    // A command line cannot have them, and the system would only say "invalid argument".
    guard !words.contains(where: { $0.utf8.contains(0) }) else {
      throw Problem("error: names and values must not contain zero bytes")
    }
    let number = try takeNumber()
    let state = ["--state-dir", journal.directory.path]
    let errors = try CommandErrors(in: journal.directory.livePath, number: number)
    let changes = try FolderChanges(ofLiveRunsIn: journal.directory)
    let hasEnded = Mutex(false)
    let program: DetachedProgram
    do {
      // Words after "--" are arguments of the workflow.
      program = try DetachedProgram(
        Self.inFolder(folder) + [command] + words.prefix(1) + state + words.dropFirst(),
        errors: errors.descriptor)
    } catch {
      count.withLock { $0.running -= 1 }
      throw Problem("error: \(command) cannot be started: \(error)", cause: .internalFailure)
    }
    waiting.async { [self] in
      program.waitForEnd()
      count.withLock { $0.running -= 1 }
      hasEnded.withLock { $0 = true }
      changes.look()
    }
    let found = try await changes.first(within: Self.patience) { () -> RunID?? in
      let isOver = hasEnded.withLock { $0 }
      if let id = try await run(of: Int(program.process), resuming: record) { return .some(id) }
      return isOver ? .some(nil) : nil
    }
    if let run = found ?? nil { return run }
    let text = errors.text
    throw Problem(
      text.isEmpty ? "error: the command has ended without a run" : TerminalSafe(lines: text))
  }

  /// Counts a run that is about to start, and returns its number.
  private func takeNumber() throws -> Int {
    let number = count.withLock { count -> Int? in
      guard count.running < Self.countMax else { return nil }
      count.running += 1
      count.started += 1
      return count.started
    }
    guard let number else {
      throw Problem(
        "error: \(Self.countMax) runs that were started from here are in progress")
    }
    return number
  }

  private func run(of process: Int, resuming record: RunRecord?) async throws -> RunID? {
    let runs = try await blocking { [journal] in
      try record.map { [try journal.run(named: $0.id.description)] } ?? journal.runs(limit: 50)
    }
    return runs.first { $0.process == process }?.id
  }

  /// The words before a command that runs it in a folder.
  private static func inFolder(_ folder: String) -> [String] {
    ["/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", folder]
  }
}

/// The standard error of a command, in a file that has lost its name.
private struct CommandErrors: ~Copyable {
  private let file: OpenFile

  var descriptor: Int32 { file.descriptor }

  init(in folder: String, number: Int) throws(Errno) {
    let path = folder + "/started-\(processID)-\(number).errors"
    file = try OpenFile(
      path, .readWrite, options: [.create, .exclusiveCreate, .noFollow],
      permissions: .ownerReadWrite)
    // If the name cannot be removed, the file stays until the folder is cleaned up.
    try? removeFile(path)
  }

  /// The first lines.
  var text: String {
    var bytes = [UInt8](repeating: 0, count: 8 << 10)
    let count = (try? file.readOnce(at: 0, into: &bytes)) ?? 0
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    return text.split(separator: "\n").prefix(20).joined(separator: "\n")
  }
}
