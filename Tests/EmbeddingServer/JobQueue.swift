// The server with `--queue`: jobs with ids, some of which are cancelled while they wait or run.

import Foundation
import Reprise
import RepriseHost
import RepriseJournal

/// Serves the jobs `job-0` to `job-N`: every third is cancelled while it runs, every sixth while it waits.
struct JobQueue {
  let host: RunHost
  /// Whether what should be cancelled is only interrupted: the error that the tests must find.
  let forgets: Bool

  /// Resumes what is unfinished, enqueues the jobs that are not recorded, and waits for all of them.
  func serve(_ count: Int) async throws {
    try await withThrowingTaskGroup { group in
      for record in try await host.journal.unfinishedRuns(of: "job") {
        while true {
          do {
            let queued = try await host.enqueue(resuming: record.id, with: Self.job())
            group.addTask { try await serve(queued) }
            break
          } catch HostError.isFull {
            try await group.next()
          }
        }
      }
      var number = 0
      while number < count {
        guard let id = RunID("job-\(number)") else { throw CocoaError(.coderInvalidValue) }
        do {
          let queued = try await host.enqueue(Self.job(), id: id)
          try Self.write(id, to: "accepted")
          if number % 6 == 1 { try await stop(queued) }
          group.addTask { try await serve(queued) }
        } catch HostError.idIsUsed {
        } catch HostError.isFull {
          try Self.write(id, to: "full")
          try await group.next()
          continue
        }
        number += 1
      }
      try await group.waitForAll()
    }
  }

  private func serve(_ queued: QueuedRun) async throws {
    do {
      let run = try await queued.begun()
      if Int("\(queued.id)".dropFirst(4)).map({ $0 % 3 }) == 0 {
        for await state in run.states.values where state.counts.final > 0 { break }
        try await stop(queued)
      }
      _ = try await run.outcome
    } catch HostError.cancelled, HostError.interrupted {
    }
  }

  /// Cancels a job, and writes that it is cancelled as soon as this is answered.
  private func stop(_ queued: QueuedRun) async throws {
    if forgets {
      queued.interrupt()
    } else {
      do throws(InterventionRefusal) {
        try await queued.perform(.cancel())
      } catch {
        return
      }
    }
    try Self.write(queued.id, to: "cancelled")
  }

  /// Steps of two kinds, each of which leaves a line in `effects`; three jobs run at a time.
  private static func job() throws -> Workflow {
    try Workflow("job", .concurrency(Concurrency(group: "jobs", policy: .queue, limit: 3))) {
      for number in 0..<3 {
        Step("swift-\(number)") { context in
          try await context.clock.sleep(for: .milliseconds(10))
          try write(context.run, to: "effects")
        }
        Step("shell-\(number)", run: "sleep 0.02; echo $REPRISE_RUN_ID >> effects")
      }
    }
  }

  /// Appends a line with one write.
  private static func write(_ id: RunID, to name: String) throws {
    guard let file = fopen(name, "a") else { throw CocoaError(.fileWriteUnknown) }
    defer { fclose(file) }
    fputs("\(id)\n", file)
  }
}
