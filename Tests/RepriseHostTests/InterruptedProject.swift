// `InterruptedProject`: runs the command in a folder, and kills engines.

import Foundation
import Reprise
import RepriseHost
import RepriseJournal
import TestSupport
import Testing

/// A project with a workflow whose run is interrupted while its surviving steps run.
struct InterruptedProject {
  let folder: TemporaryFolder
  /// The steps that run when the engine is killed.
  let longCount: Int

  init(_ workflow: String) throws {
    folder = try TemporaryFolder()
    try folder.write("w.yaml", workflow.utf8)
    longCount = workflow.contains("foreach") ? 2 : 1
  }

  func lines() -> [String] {
    let text = (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  /// Runs the command.
  @discardableResult
  func reprise(_ arguments: String...) throws -> (status: Int32, output: String) {
    let process = try started(arguments)
    process.process.waitUntilExit()
    let data = process.output.fileHandleForReading.readDataToEndOfFile()
    return (process.process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  func started(_ arguments: [String]) throws -> (process: Process, output: Pipe) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return (process, output)
  }

  /// Starts the run and kills its engine while the step runs; returns the id of the run.
  func interrupted() async throws -> RunID {
    let started = try started(["run", "w.yaml", "--progress", "none"])
    await expectEventually("the steps run") { lines().count { $0 == "begun" } == longCount }
    for process in Self.children(of: started.process.processIdentifier) {
      kill(process, SIGKILL)
    }
    started.process.waitUntilExit()
    let journal = try StateDirectory(path: folder.path + "/.reprise").openJournal(process: 0)
    let record = try #require(try journal.runs().first)
    #expect(record.status == .interrupted)
    #expect(!processes(startedWith: "REPRISE_RUN_ID=\(record.id)").isEmpty)
    return record.id
  }

  static func children(of process: Int32) -> [Int32] {
    let path = "/proc/\(process)/task/\(process)/children"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: " ").compactMap { Int32($0) }
  }

  private static let program = {
    let tests = Bundle.main.executablePath ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/reprise"
  }()
}
