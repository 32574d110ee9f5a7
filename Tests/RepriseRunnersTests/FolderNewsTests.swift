import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// How often the folders of attempts on other machines are looked at.
struct FolderNewsTests {
  @Test(arguments: [
    // One that has just begun, and one that has said nothing for a while.
    (0, 1, true, 0, 1), (0, 1, true, 160, 10), (0, 1, true, 60_000, 20), (1, 0, false, 60_000, 20),
    // Of many, those that run come first.
    (1000, 48, true, 60_000, 20), (1000, 48, false, 0, 1000), (0, 1000, true, 0, 200),
    (48, 0, false, 60_000, 48),
  ])
  func `the more attempts are followed, the less often each is looked at`(
    _ waiting: Int, _ running: Int, _ hasStarted: Bool, _ quiet: Int, _ pace: Int
  ) {
    let followed = FollowedAttempts(waiting: waiting, running: running)
    #expect(
      followed.pace(hasStarted: hasStarted, quietFor: .milliseconds(quiet)) == .milliseconds(pace))
  }

  @Test(arguments: [(0, 1, 500), (200, 50, 500), (900, 100, 2000)])
  func `the site is asked twice a second for one attempt, and less often for each of many`(
    _ waiting: Int, _ running: Int, _ milliseconds: Int
  ) {
    let followed = FollowedAttempts(waiting: waiting, running: running)
    #expect(followed.lookInterval == .milliseconds(milliseconds))
  }

  @Test func `a bell ends the pause in progress, or the next one, but only one`() async throws {
    let bell = PauseBell()
    let clock = SystemClock()
    bell.ring()
    let start = ContinuousClock.now
    try await bell.pause(for: .seconds(60), clock)
    try await bell.pause(for: .milliseconds(50), clock)
    #expect(start.duration(to: .now) >= .milliseconds(50))
    let pause = Task { try await bell.pause(for: .seconds(60), clock) }
    await expectEventually("the pause ends") {
      bell.ring()
      return start.duration(to: .now) >= .milliseconds(60)
    }
    try await pause.value
    #expect(start.duration(to: .now) < .seconds(30))
  }

  @Test func `a pause ends with its task`() async {
    let bell = PauseBell()
    let pause = Task { try await bell.pause(for: .seconds(60), SystemClock()) }
    pause.cancel()
    await #expect(throws: CancellationError.self) { try await pause.value }
  }
}
