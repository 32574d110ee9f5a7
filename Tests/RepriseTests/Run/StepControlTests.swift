import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

struct StepControlTests {
  @Test func `a kill calls a registered handler once`() {
    var control = StepControl()
    let calls = Protected(0)
    #expect(control.register { calls.withLock { $0 += 1 } } != nil)
    for handler in control.takeKillHandlers() { handler() }
    for handler in control.takeKillHandlers() { handler() }
    #expect(calls.value == 1)
  }

  @Test func `a handler that is registered after a kill is refused`() {
    var control = StepControl()
    #expect(control.takeKillHandlers().isEmpty)
    #expect(control.register {} == nil)
  }

  @Test func `an unregistered handler is not called`() throws {
    var control = StepControl()
    let number = try #require(control.register { Issue.record("the handler was called") })
    control.unregister(number)
    for handler in control.takeKillHandlers() { handler() }
  }

  @Test func `a closed gate admits no generation, and a stopped step does not continue`() {
    var control = StepControl()
    control.open(for: 2)
    #expect(control.admits(2) && control.mayContinue(2) && !control.admits(1))
    #expect(control.stop(.cancelled(.request)) == nil, "a step has no future while it is pending")
    #expect(control.admits(2) && !control.mayContinue(2))
    control.reset()
    #expect(control.mayContinue(2))
    control.close()
    #expect(!control.admits(2))
  }

  @Test func `what was asked for by hand counts more than any other reason to stop a step`() {
    let set = StepStop.set(SetResult(result: .skipped, by: nil))
    let inOrder: [StepStop] = [
      .cancelled(.failure(ofStep: "a")), .failed(.rejected, in: .run), .unused,
      .cancelled(.request), set,
    ]
    for (position, stop) in inOrder.enumerated() {
      for (other, later) in inOrder.enumerated() where other != position {
        #expect(later.replaces(stop) == (other > position))
      }
    }
  }

  @Test func `an approval is given once`() {
    var control = StepControl()
    #expect(control.takeApproval() == nil)
    let ticket = control.ask()
    #expect(control.takeApproval() === ticket)
    #expect(control.takeApproval() == nil)
  }
}
