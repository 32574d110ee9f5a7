// order-queue: a recorded run for each order, a number on a line of standard input. Resumes what an
// earlier process has left, however it ended.

import Foundation
import Reprise
import RepriseHost
import RepriseJournal

@main
struct OrderQueue {
  static func main() async throws {
    let host = RunHost(Engine(), recordingIn: try Journal()) { print($0) }
    let working = Task {
      try await withThrowingDiscardingTaskGroup { group in
        for record in try await host.journal.unfinishedRuns(of: "order") {
          group.addTask {
            await report(record.id) {
              try await host.resume(record.id, with: try order(Arguments(record.parameters)))
            }
          }
        }
        for await number in lines() {
          guard let id = RunID("order-\(number)") else {
            print("\(number): not the number of an order")
            continue
          }
          group.addTask {
            await report(id) {
              try await host.start(try order(Arguments(["number": number])), id: id)
            }
          }
        }
      }
    }
    let stopping = Task { () -> Int32 in
      for await signal in StopSignals([.interrupt, .terminate]) {
        working.cancel()
        return 128 + signal.number
      }
      return 0
    }
    try await working.value
    guard working.isCancelled else { return }
    exit(await stopping.value)
  }

  /// Begins a run, waits for its end, and says how it has ended; interrupts it with the task.
  private static func report(_ id: RunID, _ begin: () async throws -> Run) async {
    do {
      let run = try await begin()
      let outcome = try await withTaskCancellationHandler {
        // Cancelling this task would end the wait, too, so it waits in a task of its own.
        try await Task { try await run.outcome }.value
      } onCancel: {
        run.interrupt()
      }
      print("\(id): \(outcome)")
    } catch {
      print("\(id): \(error)")
    }
  }

  /// The workflow of one order.
  private static func order(_ arguments: Arguments) throws -> Workflow {
    let receipt = StepOutput<String>("charge")
    return try Workflow(
      "order", .parameter("number", .number), .durability(.power), .grace(.seconds(2)),
      .concurrency(Concurrency(group: "orders", policy: .queue, limit: 3)), with: arguments
    ) {
      Step(receipt) { context in try charge(context.run) }
      Step("pack", exec: ["sleep", "1"])
      Step("ship", .needs("charge", "pack")) { context in
        print("shipped \(context.run) with \(try context.input(receipt))")
      }
    }
  }

  /// Charges an order, as a payment service does: a second request with a key gets the first receipt.
  nonisolated private static func charge(_ key: RunID) throws -> String {
    let file = URL(fileURLWithPath: "receipt-\(key)")
    if let receipt = try? String(contentsOf: file, encoding: .utf8) { return receipt }
    let receipt = "receipt \(Int.random(in: 1000...9999))"
    try Data(receipt.utf8).write(to: file, options: .atomic)
    return receipt
  }

  /// The lines of standard input; read on a thread of their own, as reading blocks.
  private static func lines() -> AsyncStream<String> {
    AsyncStream { lines in
      Thread.detachNewThread {
        while let line = readLine() { lines.yield(line) }
        lines.finish()
      }
    }
  }
}
