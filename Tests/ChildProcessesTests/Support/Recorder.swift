// Runs commands in tests and records their output.

import Foundation
import Synchronization
import Testing

@testable import ChildProcesses

/// Records output, from any thread.
final class Recorder: Sendable {
  private let lines = Mutex<[OutputLines]>([])

  func take(_ output: OutputLines) -> Bool {
    lines.withLock { $0.append(output) }
    return true
  }

  /// Returns all complete lines of a stream.
  func text(of stream: OutputLines.Stream = .standardOutput) -> [String] {
    lines.withLock { $0 }.filter { $0.stream == stream && !$0.isPartial }
      .flatMap { $0.text.split(separator: "\n", omittingEmptySubsequences: false) }
      .map(String.init)
  }

  var partials: [String] { lines.withLock { $0 }.filter(\.isPartial).map(\.text) }
}

/// Returns a shell command with a tag that identifies all of its processes.
func shell(_ script: String, tag: String = UUID().uuidString, directory: String? = nil) -> Command {
  Command(
    executable: "/bin/sh", arguments: ["-c", script],
    environment: ["PATH": "/usr/local/bin:/usr/bin:/bin", "TAG": tag], directory: directory,
    tag: ["TAG"])
}

/// Runs a command and waits for it to end.
func run(_ command: Command, _ recorder: Recorder = Recorder()) async throws -> ChildExit {
  try await ChildProcess.spawn(command, onOutput: recorder.take).end()
}

/// Runs a command and waits for it to end, with a pause of the output after each piece.
func runWithPauses(_ command: Command, _ recorder: Recorder) async throws -> ChildExit {
  try await ChildProcess.spawn(command, roomForOutput: { await Task.yield() }) { lines in
    _ = recorder.take(lines)
    return false
  }.end()
}

/// Creates an empty folder.
func temporaryFolder() throws -> String {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  return url.path
}
