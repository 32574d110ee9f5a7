// The notification at the end of a run.

import Foundation
import Reprise
import Testing

@testable import RepriseTerminal

struct EndNotificationTests {
  @Test func `a notification names the workflow and the outcome, and rings the bell`() {
    let failed = RunOutcome.failed(step: "test", reason: .exited(status: 2))
    #expect(
      EndNotification(workflow: "ci", ending: failed.description).text.string
        == "\u{1B}]9;reprise: ci: step \"test\" failed: exited with status 2\u{07}"
        + "\u{1B}]777;notify;reprise: ci;step \"test\" failed: exited with status 2\u{07}\u{07}")
    #expect(
      EndNotification(workflow: "ci", ending: "succeeded").text.string.contains(
        "reprise: ci;succeeded\u{07}"))
  }

  @Test func `a name cannot end a sequence, begin a field or be of any length`() {
    let name = "a;b\u{07}\u{1B}]0;title\u{07}\u{9C}\n" + String(repeating: "x", count: 10_000)
    let text = EndNotification(workflow: name, ending: name).text.string
    #expect(text.unicodeScalars.count { $0 == "\u{07}" } == 3)
    #expect(text.unicodeScalars.count { $0 == "\u{1B}" } == 2)
    #expect(!text.unicodeScalars.contains("\u{9C}") && !text.contains("\n"))
    // OSC 9 has one semicolon, OSC 777 three.
    #expect(text.count { $0 == ";" } == 4)
    #expect(text.utf8.count < 2000)
  }

  @Test func `only a terminal gets it, the first one of the outputs`() throws {
    let pipe = Pipe()
    EndNotification(workflow: "w", ending: "succeeded").send(
      to: [pipe.fileHandleForWriting.fileDescriptor])
    try pipe.fileHandleForWriting.close()
    #expect(try pipe.fileHandleForReading.readToEnd() ?? Data() == Data())
  }
}
