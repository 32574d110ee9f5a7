import TestSupport
import Testing

@testable import Reprise

struct TicketTests {
  @Test func `the first answer counts`() async {
    let ticket = Ticket<Int>()
    #expect(ticket.answer(1))
    #expect(!ticket.answer(2))
    #expect(await ticket.value() == 1)
  }

  @Test func `a wait ends with the answer`() async {
    let ticket = Ticket<Int>()
    let waiting = Task { await ticket.value() }
    await Task.yield()
    ticket.answer(7)
    #expect(await waiting.value == 7)
  }

  @Test func `cancelling the waiting task ends the wait without an answer`() async {
    let ticket = Ticket<Int>()
    let isOver = Protected(false)
    let waiting = Task {
      defer { isOver.withLock { $0 = true } }
      return await ticket.value()
    }
    waiting.cancel()
    await expectEventually("the wait ends") { isOver.value }
    #expect(!ticket.answer(1), "no task is waiting")
    #expect(await waiting.value == nil)
  }

  @Test func `of a concurrent answer and cancellation exactly one counts`() async {
    for _ in 0..<scaled(5000) {
      let ticket = Ticket<Int>()
      let waiting = Task { await ticket.value() }
      let answering = Task { ticket.answer(1) }
      waiting.cancel()
      let (value, isFirst) = (await waiting.value, await answering.value)
      #expect((value == 1) == isFirst)
    }
  }
}
