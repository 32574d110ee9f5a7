import Platform
import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// The files through which an engine and a host know of each other.
struct AttemptFolderTests {
  private func folder(in temporary: TemporaryFolder) throws -> AttemptFolder {
    let folder = AttemptFolder(path: temporary.path + "/attempt")
    try folder.make()
    return folder
  }

  private static func takes(_ folder: AttemptFolder, as host: String) -> Bool {
    guard let claim = try? folder.takeClaim(host: host) else { return false }
    return claim.descriptor > 2
  }

  @Test func `of many claims at once one succeeds`() async throws {
    let temporary = try TemporaryFolder()
    let folder = try folder(in: temporary)
    let count = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<50 {
        group.addTask { Self.takes(folder, as: "h\(number)") }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(count == 1)
  }

  @Test func `a claim is held until its holder is gone`() throws {
    let temporary = try TemporaryFolder()
    let folder = try folder(in: temporary)
    #expect(folder.isHeld == nil)
    if let claim = try folder.takeClaim(host: "h") {
      let descriptor = claim.descriptor
      #expect(descriptor > 2)
      #expect(folder.isHeld == true)
      #expect(folder.claim?.host == "h")
    }
    #expect(folder.isHeld == false)
  }

  #if os(Linux)
  @Test func `what waits for a folder wakes at a result, and when a claim is given up`()
    async throws
  {
    let temporary = try TemporaryFolder()
    let folder = try folder(in: temporary)
    let alarm = try #require(FolderAlarm(folder.path))
    if let claim = try folder.takeClaim(host: "h") {
      // An hour: only a change can end these waits.
      try await alarm.wait(upTo: .seconds(3600), clock: SystemClock())
      try folder.write(.succeeded([:]))
      try await alarm.wait(upTo: .seconds(3600), clock: SystemClock())
      #expect(claim.descriptor > 2)
    }
    while folder.isHeld == true {
      try await alarm.wait(upTo: .seconds(3600), clock: SystemClock())
    }
    #expect(folder.result == .succeeded([:]))
  }
  #endif

  @Test(arguments: [
    AttemptResult.succeeded(["a": "1", "b": "two\nlines"]), .succeeded([:]),
    .failed(.exited(status: 7)), .failed(.signalled(signal: 9)),
    .failed(.timedOut(after: .seconds(3))), .stopped,
  ])
  func `a result is read as it was written`(_ result: AttemptResult) throws {
    let temporary = try TemporaryFolder()
    let folder = try folder(in: temporary)
    #expect(folder.result == nil)
    try folder.write(result)
    #expect(folder.result == result)
  }

  @Test func `a request to stop can only become more urgent`() throws {
    let temporary = try TemporaryFolder()
    let folder = try folder(in: temporary)
    try folder.requestStop(grace: .seconds(5))
    try folder.requestStop(grace: .seconds(60))
    #expect(folder.requestedGrace == .seconds(5))
    try folder.requestStop(grace: .zero)
    #expect(folder.requestedGrace == .zero)
  }

  @Test func `what to run can be read by this user only`() throws {
    let temporary = try TemporaryFolder()
    let folder = try folder(in: temporary)
    var spec = AttemptSpec(command: ["true"], environment: ["A": "1"])
    spec.secrets = ["hidden-value"]
    try folder.write(spec)
    let status = try Stat(at: folder.path + "/spec")
    #expect(status.permissions.rawValue & 0o077 == 0)
  }

  @Test func `a token is plain for each name of a step`() throws {
    for text in ["", "../x", "a b", "-x", ".x", String(repeating: "x", count: 200), "a/b", "ü"] {
      #expect(AttemptToken(text) == nil)
    }
    #expect(AttemptToken("e19dvx02rr.a.1.1.wxxqz") != nil)
  }
}
