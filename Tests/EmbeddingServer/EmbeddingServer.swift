// EmbeddingServer COUNT [--forget | --wait | --queue [--forget] | --confirm WHAT [--forget]]: a program that embeds the engine with the host and the journal, for
// `EmbeddingServerTests`. Resumes the interrupted runs of the folder, starts more up to COUNT runs, and
// ends when all have succeeded. With `--forget`, it runs resumed runs again from the top: the error that
// the tests must find. With `--queue`, it enqueues jobs with ids and cancels some of them; with `--forget`, too,
// these are only interrupted. With `--confirm`, it dies right after the answer to a request.

import Foundation
import Reprise
import RepriseHost
import RepriseJournal

@main
struct EmbeddingServer {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let count = arguments.dropFirst().first.flatMap(Int.init) ?? 1
    let forgets = arguments.contains("--forget")
    let waits = arguments.contains("--wait")
    let journal = try Journal()
    let host = RunHost(Engine(), recordingIn: journal)
    if arguments.contains("--queue") {
      return try await JobQueue(host: host, forgets: forgets).serve(count)
    }
    if let what = arguments.firstIndex(of: "--confirm").map({ arguments[$0 + 1] }) {
      return try await Acknowledgement(host: host, forgets: forgets).request(what)
    }
    let workflow = waits ? try gated() : try orders()
    try await withThrowingTaskGroup { group in
      let runs = try await journal.runs
      for record in runs where record.status == .interrupted {
        group.addTask {
          let run = try await host.resume(record.id, with: workflow)
          if forgets { run.restart() }
          try await run.value()
        }
      }
      for _ in runs.count..<max(count, runs.count) {
        group.addTask { try await host.start(workflow).value() }
      }
      try await group.waitForAll()
    }
  }

  /// Four layers of steps in Swift and a process after each layer; each leaves a line in `effects`.
  static func orders() throws -> Workflow {
    try Workflow("orders", .maxParallel(3)) {
      for layer in 0..<4 {
        Parallel {
          for position in 0..<3 {
            Step("s\(layer)-\(position)") { context in
              try await context.clock.sleep(for: .milliseconds(5 + 7 * position))
              try record(context)
            }
          }
        }
        Step(
          "p\(layer)",
          run: "sleep 0.02; echo $REPRISE_RUN_ID $REPRISE_STEP_ID $REPRISE_GENERATION >> effects")
      }
    }
  }

  /// A step in Swift, and a process that waits for the file `go`.
  static func gated() throws -> Workflow {
    try Workflow("gated") {
      Step("first") { context in try record(context) }
      Step("wait", run: "echo waiting; until [ -e go ]; do sleep 0.02; done")
    }
  }

  /// Appends the effect of a step, with one write.
  private static func record(_ context: StepContext) throws {
    let file = fopen("effects", "a")
    guard let file else { throw CocoaError(.fileWriteUnknown) }
    defer { fclose(file) }
    fputs("\(context.run) \(context.step.id) \(context.generation)\n", file)
  }
}
