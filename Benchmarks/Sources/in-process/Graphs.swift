// Compiles and runs a graph of steps that do nothing, in two ways: as bare publishers, and by the
// engine.

import AllocationCounter
import CombineOperators
import Reprise
import Synchronization

/// Compiles a graph into publishers as `PipelineExecution.connect` does, and waits for its last step.
///
/// Time is that of both; memory is the growth of the process's peak from just before until the end.
/// The same graph is then run by a plain loop, for comparison.
func measurePipeline(_ shape: Shape) async -> [String: Double] {
  let memory = maxResident()
  let start = seconds()
  let left = Countdown(shape.count)
  var published: [SharedPublisher<Int, Never>] = []
  published.reserveCapacity(shape.count)
  var subscriptions: [AnyCancellable] = []
  subscriptions.reserveCapacity(shape.count)
  for step in 0..<shape.count {
    let publisher = shape.needs(of: step).map { published[$0] }.zip()
      .task { (values: [Int]) -> Int in
        left.countDown()
        return values.count
      }
      .share(replay: 1)
    published.append(publisher)
    subscriptions.append(publisher.sink { _ in })
  }
  await left.zero()
  let time = seconds() - start
  let growth = maxResident() - memory
  // Steps are released in the opposite order, or a chain would overflow the stack.
  while let last = subscriptions.popLast() { last.cancel() }
  return figures(of: shape, time: time, growth: growth)
}

/// Runs a graph with the engine, whose steps are closures that return at once.
///
/// Time begins when the workflow is a value already, and ends with the outcome.
func measureEngine(_ shape: Shape) async -> [String: Double] {
  let steps = (0..<shape.count).map { step in
    Workflow.Step(
      id: "s\(step)", needs: shape.needs(of: step).map { "s\($0)" }, action: .run("true"))
  }
  guard let workflow = try? Workflow(name: "layers", steps: steps) else {
    preconditionFailure("BUG: the graph of a shape is not valid")
  }
  let memory = maxResident()
  let start = seconds()
  let run = Engine(executor: ClosureExecutor { _ in [:] }).start(workflow)
  let outcome = await run.outcome
  let time = seconds() - start
  precondition(outcome == .succeeded, "the run has ended with \(outcome)")
  return figures(of: shape, time: time, growth: maxResident() - memory)
}

/// Counts the allocations of both ways, with their ends.
func countAllocations(_ count: Int) async -> [String: Double] {
  checkCounting()
  let shape = layers(count)
  _ = await measurePipeline(layers(100))
  _ = await measureEngine(layers(100))
  allocation_counter_start()
  _ = await measurePipeline(shape)
  let pipeline = allocation_counter_stop()
  allocation_counter_start()
  _ = await measureEngine(shape)
  let engine = allocation_counter_stop()
  return [
    "pipeline-allocations-per-step": Double(pipeline) / Double(count),
    "engine-allocations-per-step": Double(engine) / Double(count),
  ]
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

/// Counts down to zero, for whoever waits for that.
final class Countdown: Sendable {
  private let left: Atomic<Int>
  private let ends: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

  /// Begins at a number above zero.
  init(_ count: Int) {
    left = Atomic(count)
    ends = AsyncStream.makeStream(of: Void.self)
  }

  /// One less.
  func countDown() {
    let left = left.subtract(1, ordering: .acquiringAndReleasing).newValue
    if left == 0 { ends.continuation.finish() }
  }

  /// Waits for zero; by one task only.
  func zero() async {
    for await _ in ends.stream {}
  }
}
