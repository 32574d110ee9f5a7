// Runs the built command from outside, as a user or a script would.

import Foundation
import RepriseJournal
import Synchronization
import TestSupport
import Testing

@testable import ChildProcesses

/// A temporary folder, and commands that run in it.
///
/// A result must be checked: the compiler warns about an unused one.
final class Scenario: Sendable {
  /// The folder; removed with the scenario.
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("reprise-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// Writes a file in the folder, which is one change for a watch.
  ///
  /// Foundation's atomic write closes the file only after it has renamed it: on a busy machine, a watch
  /// then sees two changes.
  func write(_ text: String, to path: String) throws {
    let url = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    // Foundation's own name for such files, which a watch ignores.
    let draft = url.deletingLastPathComponent()
      .appendingPathComponent(".dat.nosync-\(UUID().uuidString)")
    try text.write(to: draft, atomically: false, encoding: .utf8)
    guard rename(draft.path, url.path) == 0 else {
      try? FileManager.default.removeItem(at: draft)
      throw CocoaError(.fileWriteUnknown)
    }
  }

  /// Returns the contents of a file in the folder; empty if it does not exist.
  func read(_ path: String) -> String {
    (try? String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)) ?? ""
  }

  /// Returns whether a file exists in the folder.
  func has(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path)
  }

  /// Runs a shell command line in the folder and waits for it to end.
  func shell(_ line: String) async throws -> Ended {
    // The folder is removed when the scenario is deallocated.
    defer { withExtendedLifetime(self) {} }
    return try await startShell(line).end()
  }

  /// Starts a shell command line in the folder.
  func startShell(_ line: String) throws -> Started {
    let shell = URL(fileURLWithPath: "/bin/bash")
    return try Started(shell, ["-c", line], in: folder, environment: [:])
  }

  /// Starts the command with its output redirected to a file in the folder, so that the test can
  /// read the output while the command runs.
  func start(_ line: String, writingTo file: String) throws -> Started {
    try startShell("exec '\(Started.executable.path)' \(line) > \(file) 2>&1")
  }

  /// Runs the command and waits for it to end.
  func reprise(_ arguments: String..., environment: [String: String] = [:]) async throws -> Ended {
    defer { withExtendedLifetime(self) {} }
    return try await start(arguments, environment: environment).end()
  }

  /// Starts the command without a terminal.
  func start(_ arguments: [String], environment: [String: String] = [:]) throws -> Started {
    try Started(Started.executable, arguments, in: folder, environment: environment)
  }

  /// Starts another program of this package, such as one of the test programs.
  func startProgram(_ name: String, _ arguments: [String]) throws -> Started {
    let program = Started.executable.deletingLastPathComponent().appendingPathComponent(name)
    return try Started(program, arguments, in: folder, environment: [:])
  }

  /// The exit status and output of a command.
  struct Ended: Sendable {
    let status: Int32
    let output: String
    let errors: String

    @discardableResult
    func succeeds(sourceLocation: SourceLocation = #_sourceLocation) -> Ended {
      fails(with: 0, sourceLocation: sourceLocation)
    }

    @discardableResult
    func fails(with status: Int32, sourceLocation: SourceLocation = #_sourceLocation) -> Ended {
      #expect(
        self.status == status, "output: \(output)\nerrors: \(errors)",
        sourceLocation: sourceLocation)
      return self
    }
  }

  /// A running command.
  final class Started: Sendable {
    private let process: Process
    private let output: Task<String, Never>
    private let errors: Task<String, Never>

    var id: Int32 { process.processIdentifier }

    fileprivate init(
      _ executable: URL, _ arguments: [String], in folder: URL, environment: [String: String]
    ) throws {
      let process = Process()
      process.executableURL = executable
      process.arguments = arguments
      process.currentDirectoryURL = folder
      process.environment = ProcessInfo.processInfo.environment.merging(
        // The tests may themselves run on a build server.
        ["TZ": "UTC", "LC_ALL": "C.UTF-8", "CI": "", "GITHUB_ACTIONS": "", "FORCE_COLOR": ""]
      ) { $1 }.merging(environment) { $1 }
      let (outputPipe, errorPipe) = (Pipe(), Pipe())
      process.standardOutput = outputPipe
      process.standardError = errorPipe
      process.standardInput = FileHandle.nullDevice
      self.process = process
      // Fail a test that would otherwise wait forever.
      let limit = ContinuousClock.now + .seconds(300)
      output = Self.reading(outputPipe, until: limit)
      errors = Self.reading(errorPipe, until: limit)
      try process.run()
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(300)) { [weak process] in
        // A process that was deallocated has ended, and its pipes are closed.
        guard let process, process.isRunning else { return }
        Issue.record("\(executable.lastPathComponent) \(arguments) has not ended after 300 s")
        // Its descendants, too: Foundation waits until they have closed a socket that they inherit.
        let tree = ProcessTable.current().withDescendants([process.processIdentifier])
        for member in tree { kill(member.pid, SIGKILL) }
      }
    }

    // Not until the end of the pipe: what a killed command has started may keep it open for ever.
    private static func reading(
      _ pipe: Pipe, until limit: ContinuousClock.Instant
    ) -> Task<String, Never> {
      let handle = pipe.fileHandleForReading
      return Task.detached {
        await withCheckedContinuation { continuation in
          // Use a separate thread: a few commands would block all threads of the global queue.
          DispatchQueue(label: "a pipe of a command").async {
            var data = Data()
            while ContinuousClock.now < limit {
              var state = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
              guard poll(&state, 1, 1000) > 0 else { continue }
              let piece = handle.availableData
              if piece.isEmpty { break }
              data += piece
            }
            continuation.resume(returning: String(decoding: data, as: UTF8.self))
          }
        }
      }
    }

    /// Sends a signal to the command alone.
    func send(_ signal: Int32) {
      kill(process.processIdentifier, signal)
    }

    /// Waits for the command to end.
    func end() async throws -> Ended {
      let (output, errors) = (await output.value, await errors.value)
      process.waitUntilExit()
      return Ended(status: process.terminationStatus, output: output, errors: errors)
    }

    /// The command as built next to the tests.
    static let executable: URL = {
      let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
      let folder =
        bundle?.deletingLastPathComponent()
        ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      return folder.appendingPathComponent("reprise")
    }()
  }
}

extension Scenario {
  /// A run as listed by `reprise runs --json`.
  struct ListedRun: Decodable, Sendable {
    let id: String
    let status: String
    let generation: Int
  }

  /// Returns the runs of the folder, newest first.
  func runs() async throws -> [ListedRun] {
    let ended = try await reprise("runs", "--json", "--limit", "1000").succeeds()
    return try ended.output.split(separator: "\n").map {
      try JSONDecoder().decode(ListedRun.self, from: Data($0.utf8))
    }
  }

  /// Waits until the workflow is being watched.
  func becomesWatched() async {
    await expectEventually("it is being watched") {
      let listed = try? await reprise("triggers", "--json")
      return listed?.output.contains(#""state":"watching""#) == true
    }
  }

  /// Opens the journal of the folder.
  func journal() throws -> Journal {
    try Journal(StateDirectory(path: folder.path + "/.reprise"))
  }
}
