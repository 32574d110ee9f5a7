// The server with `--confirm`: makes one request to a run, and kills itself when it is answered.

import Foundation
import Reprise
import RepriseHost
import RepriseJournal

/// Requests something of a run that waits for approval, or for its turn, and dies after the answer.
struct Acknowledgement {
  let host: RunHost
  /// Whether it does not wait for the record: the error that the tests must find.
  let forgets: Bool

  static func workflow() throws -> Workflow {
    try Workflow("asking", .concurrency(Concurrency(group: "asking", policy: .queue))) {
      Step("go", approval: "Go?")
      Step("long") { context in try await context.clock.sleep(for: .seconds(600)) }
    }
  }

  /// Makes the request: `cancel`, `approve`, `reject`, or `cancel-queued`.
  func request(_ what: String) async throws {
    let run = try await host.start(Self.workflow())
    for await state in run.states.values where !state.awaitingApproval.isEmpty { break }
    switch what {
    case "cancel" where forgets: run.cancel()
    case "cancel": try await run.perform(.cancel())
    case "approve" where forgets: try run.approve("go")
    case "approve": try await run.perform(.approve())
    case "reject" where forgets: try run.refuse("go")
    case "reject": try await run.perform(.approve(isApproved: false))
    case "cancel-queued":
      let queued = try await host.enqueue(Self.workflow(), id: RunID("queued") ?? RunID())
      if forgets { queued.cancel() } else { try await queued.perform(.cancel()) }
    default: throw CocoaError(.coderInvalidValue)
    }
    kill(getpid(), SIGKILL)
  }
}
