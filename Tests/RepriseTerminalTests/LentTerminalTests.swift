// Turns of the terminal.

import TestSupport
import Testing

@testable import RepriseTerminal

/// The order in which displays and steps use the terminal.
struct LentTerminalTests {
  @Test func `a step does not get the terminal before the display of its run exists`() async {
    let terminal = LentTerminal(input: 0, output: 1)
    let order = Protected<[String]>([])
    let step = await terminal.keepFromSteps {
      let step = Task {
        _ = await terminal.hold()
        order.withLock { $0.append("step") }
        terminal.release()
      }
      await expectEventually("the step waits") { terminal.waiterCount == 1 }
      order.withLock { $0.append("display") }
      return step
    }
    await step.value
    #expect(order.value == ["display", "step"])
  }
}
