// Starts runs in processes of their own, which outlive this one.

import Dispatch
import Platform
import Reprise
import RepriseHost
package import RepriseJournal
import RepriseTerminal
import Synchronization

/// Starts commands that drive runs.
///
/// They go on when this process ends: they have a session of their own, and nothing of theirs is
/// connected to it. Thread-safe.
package final class StartedRuns: Sendable {
  /// The maximum number of commands that run at once: a page must not fill the machine.
  private static let countMax = 64
  /// How long to wait for the record of a run.
  private static let patience: Duration = .seconds(30)

  private let command: String
  private let journal: Journal
  private let count = Mutex((running: 0, started: 0))
  private let waiting = DispatchQueue(label: "reprise.web.started", attributes: .concurrent)

  /// Creates a starter.
  ///
  /// - Parameters:
  ///   - command: The path of the command `reprise`.
  ///   - journal: The journal of the project.
  package init(command: String, _ journal: Journal) {
    self.command = command
    self.journal = journal
  }

  /// Starts a command, and waits until its run is recorded.
  ///
  /// - Parameters:
  ///   - words: The arguments of the command.
  ///   - folder: The folder in which it runs; nil for the current one.
  ///   - record: The run that it resumes; nil for a new one.
  /// - Returns: The id of the run.
  /// - Throws: ``Refusal`` with the errors of the command if it ends first.
  func start(
    _ words: [String], in folder: String?, resuming record: RunRecord?
  ) async throws -> RunID {
    // A command line cannot have them, and the system would only say "invalid argument".
    guard !words.contains(where: { $0.utf8.contains(0) }) else {
      throw Refusal(400, "names and values must not contain zero bytes")
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
        inFolder(folder) + [command] + words.prefix(1) + state + words.dropFirst(),
        errors: errors.descriptor)
    } catch {
      count.withLock { $0.running -= 1 }
      throw Refusal(500, "\(command) cannot be started: \(error)")
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
    throw Refusal(
      409, text.isEmpty ? "the command has ended without a run" : text.withoutErrorPrefix)
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
      throw Refusal(409, "\(Self.countMax) runs that were started from here are in progress")
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
  private func inFolder(_ folder: String?) -> [String] {
    guard let folder else { return [] }
    return ["/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", folder]
  }
}

/// The standard error of a command, in a file that has lost its name.
private struct CommandErrors: ~Copyable {
  private let file: OpenFile

  var descriptor: Int32 { file.descriptor }

  init(in folder: String, number: Int) throws(Errno) {
    let path = folder + "/web-\(processID)-\(number).errors"
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
