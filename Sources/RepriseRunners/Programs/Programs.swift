// Finds programs, and runs those that answer at once.

import ChildProcesses
import Platform
package import Reprise
import Synchronization

/// Returns the path of a program; nil if it is not in a search path.
package func findProgram(_ name: String, in path: String?) -> String? {
  if name.contains("/") { return mayAccess(name, .execution) ? name : nil }
  for folder in (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":") {
    let candidate = folder + "/" + name
    if mayAccess(candidate, .execution) { return candidate }
  }
  return nil
}

/// The answer of a program.
public struct ProgramAnswer: Sendable {
  /// Its exit status; nil if it was ended by a signal, or took too long.
  public internal(set) var status: Int?
  /// The lines of its standard output.
  public internal(set) var output: String
  /// The lines of its standard error.
  public internal(set) var errors: String

  package init(status: Int? = nil, output: String, errors: String) {
    (self.status, self.output, self.errors) = (status, output, errors)
  }

  /// All that it says about a failure, as one line, without a prefix such as `sbatch: error:`.
  ///
  /// - Parameter program: The name of the program.
  /// - Returns: The line.
  func wholeComplaint(of program: String) -> String {
    let lines = (errors.isEmpty ? output : errors).split(whereSeparator: \.isNewline).map { line in
      var text = line[...]
      for prefix in ["\(program): ", "error: "] where text.hasPrefix(prefix) {
        text = text.dropFirst(prefix.count)
      }
      return String(text)
    }
    let text = lines.filter { !$0.isEmpty }.prefix(4).joined(separator: "; ")
    return text.isEmpty ? complaint : text
  }

  /// The first line of what it says about a failure; `status 1` or `no answer` if it says nothing.
  public var complaint: String {
    let text = errors.isEmpty ? output : errors
    let line = text.split(separator: "\n").first.map(String.init) ?? ""
    return line.isEmpty ? (status.map { "status \($0)" } ?? "no answer") : line
  }
}

/// Runs a program and waits for its end.
///
/// - Parameters:
///   - command: The program with its arguments.
///   - environment: Its environment.
///   - limit: The time after which it is killed.
/// - Returns: Its answer.
/// - Throws: ``RunnerFailure/refused(_:)`` if it cannot be started, and
///   ``RunnerFailure/neverBegun(_:)`` if this system is only out of processes or descriptors now.
package func answer(
  of command: [String], in environment: [String: String], within limit: Duration = .seconds(30)
) async throws(RunnerFailure) -> ProgramAnswer {
  let lines = Mutex(ProgramAnswer(output: "", errors: ""))
  let collected = Collected(lines: lines)
  let child: ChildProcess
  do {
    child = try await ChildProcess.spawn(
      Command(
        executable: command[0], arguments: Array(command.dropFirst()), environment: environment)
    ) { piece in
      collected.take(piece)
      return true
    }
  } catch {
    switch error {
    case .outOfProcesses, .outOfDescriptors: throw .neverBegun(error.description)
    default: throw .refused(error.description)
    }
  }
  let timer = Task {
    guard (try? await SystemClock().sleep(for: limit)) != nil else { return }
    child.kill()
  }
  let end = await withTaskCancellationHandler {
    await child.end()
  } onCancel: {
    child.kill()
  }
  timer.cancel()
  var answer = collected.answer
  if case .exited(let code) = end { answer.status = Int(code) }
  return answer
}

extension RunnerFailure {
  /// Why a program was not started: refused, unless this system is only out of processes or
  /// descriptors now.
  init(notStarting program: String, _ error: Errno) {
    let text = "cannot start \(program): \(error)"
    switch error {
    case .resourceTemporarilyUnavailable, .noMemory, .tooManyOpenFiles, .tooManyOpenFilesInSystem:
      self = .neverBegun(text)
    default: self = .refused(text)
    }
  }
}

/// The output of a program while it runs.
private final class Collected: Sendable {
  private let lines: Mutex<ProgramAnswer>
  private static let bytesMax = 8 << 20

  init(lines: consuming Mutex<ProgramAnswer>) { self.lines = lines }

  var answer: ProgramAnswer { lines.withLock { $0 } }

  func take(_ piece: OutputLines) {
    guard !piece.isPartial else { return }
    lines.withLock { lines in
      guard lines.output.utf8.count + lines.errors.utf8.count < Self.bytesMax else { return }
      switch piece.stream {
      case .standardOutput: lines.output += piece.text + "\n"
      case .standardError: lines.errors += piece.text + "\n"
      case .report, .leftBehind: break
      }
    }
  }
}

/// Returns a word that a shell takes as exactly this text.
func shellQuoted(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    + "'"
}
