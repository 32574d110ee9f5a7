import Foundation
import TestSupport
import Testing

@testable import ChildProcesses

/// Leftover processes of an engine that was killed together with its guardian.
struct LeftoversTests {
  /// The child has cleared its environment, so it is known only through its parent.
  @Test func `descendants of a leftover process are killed with it`() async throws {
    let entry = "REPRISE_TEST_LEFTOVER=\(UUID().uuidString)"
    let mark = "\(Int.random(in: 100_000...999_999)).\(Int.random(in: 1000...9999))"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [entry, "sh", "-c", "env -i sleep \(mark); :"]
    try process.run()
    await expectEventually("both run") { processes(with: "sleep\0\(mark)").count == 1 }
    #expect(killProcesses(startedWith: [entry]) == 2)
    await expectEventually("nothing is left") { processes(with: mark).isEmpty }
    // Foundation waits for every process that has its descriptors open.
    for pid in processes(with: mark) { kill(pid, SIGKILL) }
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL)
  }
}
