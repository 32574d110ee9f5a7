// Measures one operator at a time: ours, or the closest one of OpenCombine with the same work.

import AllocationCounter

/// The two measurements of an operator: values through one subscription, and subscriptions.
struct OperatorWork {
  /// Sends values through one subscription, and waits until all have arrived.
  var send: (_ count: Int) async -> Void
  /// Subscribes and cancels repeatedly, without a value.
  var subscribe: (_ count: Int) -> Void
}

/// Measures one operator.
///
/// - Parameters:
///   - name: A name such as `zip-ours` or `zip-theirs`.
///   - count: The number of values to send; a tenth of it is the number of subscriptions.
/// - Returns: The figures by name.
func measureOperator(_ name: String, _ count: Int) async -> [String: Double] {
  guard let work = ourWorks[name] ?? openCombineWorks[name] else {
    preconditionFailure("there is no operator \(name)")
  }
  checkCounting()
  // Warm up, so that one-time allocations do not count.
  await work.send(100)
  work.subscribe(10)
  var start = seconds()
  await work.send(count)
  let valueTime = seconds() - start
  let subscriptionCount = count / 10
  start = seconds()
  work.subscribe(subscriptionCount)
  let subscriptionTime = seconds() - start
  // In separate passes, so that counting does not affect the times.
  allocation_counter_start()
  await work.send(count)
  let valueAllocations = allocation_counter_stop()
  allocation_counter_start()
  work.subscribe(subscriptionCount)
  let subscriptionAllocations = allocation_counter_stop()
  let perValue = (Double(valueAllocations) / Double(count) * 100).rounded() / 100
  let perSubscription = Double(subscriptionAllocations) / Double(subscriptionCount)
  return [
    "nanoseconds-per-value": valueTime / Double(count) * 1e9,
    "nanoseconds-per-subscription": subscriptionTime / Double(subscriptionCount) * 1e9,
    // The cost of the one subscription is spread over all values and disappears when rounded to
    // hundredths.
    "allocations-per-value": perValue,
    "allocations-per-subscription": perSubscription,
    "allocations-with-ten-values": perSubscription + 10 * perValue,
  ]
}

/// Ends the process if the counter does not see allocations of the Swift runtime, that is, if
/// shared libraries do not use the `malloc` of the executable.
func checkCounting() {
  allocation_counter_start()
  var last = makeBlock(before: nil)
  for _ in 1..<100 { last = makeBlock(before: last) }
  let count = withExtendedLifetime(last) { allocation_counter_stop() }
  guard (100...110).contains(count) else {
    fatalError("BUG: \(count) allocations of 100 objects were counted")
  }
}

private final class Block {
  let before: Block?

  init(before: Block?) { self.before = before }
}

// Not inlined, because the objects might be allocated on the stack otherwise.
@inline(never) private func makeBlock(before: Block?) -> Block { Block(before: before) }
