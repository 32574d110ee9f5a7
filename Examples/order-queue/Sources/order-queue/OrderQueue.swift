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
    Task {
      for await signal in StopSignals([.interrupt, .terminate]) {
        // What runs and what waits is interrupted; the next process resumes it.
        await host.shutDown()
        exit(128 + signal.number)
      }
    }
    let unfinished = try await host.journal.unfinishedRuns(of: "order")
    await withDiscardingTaskGroup { reports in
      for record in unfinished {
        do {
          let workflow = try order(Arguments(record.parameters))
          let queued = try await host.enqueue(resuming: record.id, with: workflow)
          reports.addTask { await report(queued) }
        } catch {
          print("\(record.id): \(error)")
        }
      }
      for await number in lines() {
        guard let id = RunID("order-\(number)") else {
          print("\(number): not the number of an order")
          continue
        }
        do {
          // Recorded when this returns; three run at a time.
          let queued = try await host.enqueue(order(Arguments(["number": number])), id: id)
          reports.addTask { await report(queued) }
        } catch {
          print("\(id): \(error)")
        }
      }
    }
  }

  /// Waits for the end of a run, and says how it has ended.
  private static func report(_ queued: QueuedRun) async {
    do {
      print("\(queued.id): \(try await queued.begun().outcome)")
    } catch {
      print("\(queued.id): \(error)")
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
