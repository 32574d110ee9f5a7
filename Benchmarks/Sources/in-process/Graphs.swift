// Runs graphs of steps that do nothing, to measure the cost of a step in the engine.

import AllocationCounter
import Reprise
@_spi(Benchmarks) import WorkflowFiles

/// Runs a graph with the engine; its steps are closures that return immediately.
///
/// The time is measured from the finished workflow value to the outcome.
func measureEngine(_ shape: Shape) async throws -> [String: Double] {
  let workflow = Workflow(
    graphOf: (0..<shape.count).map { step in
      (id: "s\(step)", needs: shape.needs(of: step).map { "s\($0)" })
    })
  let memory = maxResident()
  let start = seconds()
  let run = Engine(executor: ClosureExecutor { _ in [:] }).start(workflow)
  let outcome = try await run.outcome
  let time = seconds() - start
  precondition(outcome == .succeeded, "the run has ended with \(outcome)")
  return figures(of: shape, time: time, growth: maxResident() - memory)
}

/// Counts the allocations of a run, including its end.
func countAllocations(_ count: Int) async throws -> [String: Double] {
  checkCounting()
  _ = try await measureEngine(layers(100))
  allocation_counter_start()
  _ = try await measureEngine(layers(count))
  let engine = allocation_counter_stop()
  return ["engine-allocations-per-step": Double(engine) / Double(count)]
}

private func figures(of shape: Shape, time: Double, growth: Double) -> [String: Double] {
  let start = seconds()
  precondition(kahnLoop(shape) == shape.count, "BUG: the loop has not reached all steps")
  let kahn = seconds() - start
  return [
    "microseconds-per-step": time / Double(shape.count) * 1e6,
    "nanoseconds-per-edge": time / Double(max(shape.edgeCount, 1)) * 1e9,
    "bytes-per-step": growth / Double(shape.count),
    "multiple-of-kahn": time / kahn,
  ]
}
