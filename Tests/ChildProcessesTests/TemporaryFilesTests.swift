import Foundation
import Testing

@testable import ChildProcesses

/// Temporary files of processes that have ended.
struct TemporaryFilesTests {
  @Test func `only temporary files of dead processes are removed`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/true")
    try process.run()
    process.waitUntilExit()
    let dead = process.processIdentifier
    let kept = [
      "reprise-\(getpid())-output-a", "reprise-1-report-b", "reprise-\(dead)-other-c",
      "reprise-x-output-d",
      "other-\(dead)-output-e",
    ]
    for name in kept + ["reprise-\(dead)-output-f"] {
      try "x".write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
    let channel = folder.appendingPathComponent("reprise-\(dead)-report-g")
    try FileManager.default.createDirectory(at: channel, withIntermediateDirectories: true)
    try "x".write(to: channel.appendingPathComponent("lines"), atomically: true, encoding: .utf8)
    // A step may have replaced its output file with a folder that contains symbolic links.
    let tree = folder.appendingPathComponent("reprise-\(dead)-output-h/a/b")
    try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: tree.appendingPathComponent("link"), withDestinationURL: folder)
    TemporaryFiles.removeLeftovers(["TMPDIR": folder.path])
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(left) == Set(kept))
  }
}
