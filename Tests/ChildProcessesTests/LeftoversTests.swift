import Foundation
import TestSupport
import Testing

@testable import ChildProcesses

/// What an engine and a guardian that were both killed have left behind.
struct LeftoversTests {
  /// The child has scrubbed its environment, so that it is known by its parent alone.
  @Test func `what a leftover process has started is ended with it`() async throws {
    let entry = "REPRISE_TEST_LEFTOVER=\(UUID().uuidString)"
    let mark = "\(Int.random(in: 100_000...999_999)).\(Int.random(in: 1000...9999))"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [entry, "sh", "-c", "env -i sleep \(mark); :"]
    try process.run()
    await expectEventually("both run") { processes(with: "sleep\0\(mark)").count == 1 }
    #expect(killProcesses(startedWith: [entry]) == 2)
    await expectEventually("nothing is left", within: .seconds(5)) {
      processes(with: mark).isEmpty
    }
    // Foundation waits for all that has its descriptors.
    for pid in processes(with: mark) { kill(pid, SIGKILL) }
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL)
  }
}
