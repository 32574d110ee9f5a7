import Platform
import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// What holds an allocation that begins its steps itself.
struct PlaceHoldTests {
  @Test func `a place that is ended by its scheduler stops the steps in it, and waits for them`()
    async throws
  {
    let folder = try TemporaryFolder()
    let place = AttemptFolder(path: folder.path + "/place")
    try place.make()
    let pool = HostPool(place: place, on: "n1", claims: nil)
    let token = AttemptToken(run: RunID(), step: "a", generation: 1, attempt: 1)
    let attempt = AttemptFolder(of: token, in: KeptPlace.poolPath(in: place.path))
    try makeFolderTree(attempt.path)
    let script =
      "trap 'sleep 0.2; touch ended; exit 0' TERM; touch begun; while :; do sleep 0.05; done"
    var spec = AttemptSpec(command: ["/bin/sh", "-c", script], grace: .seconds(60))
    spec.directory = folder.path
    try attempt.write(spec)
    attempt.markSubmitted(as: "")
    let isStopped = Protected(false)
    let hold = PlaceHold(place, orphanAfter: .seconds(600), clock: SystemClock(), pool: pool)
    let wait = Task { await hold.wait { isStopped.value } }
    await expectEventually("the step has begun") { mayAccess(folder.path + "/begun", .existence) }
    // As after SIGTERM of the job.
    isStopped.withLock { $0 = true }
    await wait.value
    #expect(mayAccess(folder.path + "/ended", .existence))
    #expect(attempt.result == .stopped)
  }
}
