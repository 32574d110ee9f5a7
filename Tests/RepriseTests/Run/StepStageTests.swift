// Tests stages of a step alone, without an engine, a driver or a pipeline.

import Masking
import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

struct StepStageTests {
  /// One step of a run whose stages are called by hand.
  private struct Life {
    let clock = VirtualClock()
    let ledger: RunLedger
    let tools: StageTools
    let job: StepJob

    init(_ step: String, masker: Masker = Masker(secrets: [])) throws {
      let workflow = try Workflow(text: "steps: [{ id: a, \(step) }]", file: "w.yaml")
      let plan = Plan(workflow)
      ledger = RunLedger(run: RunID(), of: plan, clock: clock)
      let slots = Slots(for: plan, maxParallel: 1)
      let index = plan.order[0]
      ledger.decide { page in
        page.slots = slots
        page.controls = [StepControl()]
        page.record(.runStarted(RunPlan(workflow)), generation: 1)
        page.controls[index].open(for: 1)
        page.record(.waiting, of: index, attempt: 0)
      }
      tools = StageTools(
        ledger: ledger, slots: slots, masker: masker, clock: clock, runtime: Runtime(),
        stepEnded: { _ in }, retryRequested: { _ in })
      job = StepJob(
        index: index, plan: plan, step: plan[index], generation: 1, connection: 1,
        status: .success, results: [], blockingResult: nil)
    }

    var state: StepState { ledger.state.steps[job.index] }
  }

  @Test func `attempts are counted, with their failures and rounds`() throws {
    let step = try Life("run: x, retry: 3, repeat: { until: \"status == 0\", limit: 9 }").job.step
    var attempt = PlannedAttempt(of: step, adopting: (0, nil))
    #expect(attempt.isFirst && attempt.round == StepRound(number: 1, limit: 10))
    attempt.advance(after: 1)
    attempt.advance(after: nil)
    #expect((attempt.number, attempt.failedCount) == (3, 1))
    #expect(attempt.round.number == 2 && !attempt.isFirst)
    var adopted = PlannedAttempt(of: step, adopting: (4, AttemptToken("t")))
    #expect(adopted.number == 5 && adopted.isAdopted && !adopted.isFirst)
    adopted.advance(after: nil)
    #expect(adopted.number == 6 && !adopted.isAdopted)
  }

  @Test func `a step that only waits has its result after its time`() async throws {
    let life = try Life("wait: 5s")
    let approval = ApprovalStage(tools: life.tools, secrets: Secrets())
    let stage = WaitStage(tools: life.tools, approval: approval)
    let result = Task { try await stage.result(of: life.job) }
    await expectEventually("it waits") { life.state.waitsUntil != nil }
    #expect(life.state.phase == .waiting)
    life.clock.advanceToNextWake()
    #expect(try await result.value == .succeeded([:]))
    #expect(life.state.phase == .succeeded([:]))
    #expect(life.clock.now.microseconds == 5_000_000)
    // Another kind of step goes on with the next stage.
    let other = try Life("run: x")
    #expect(try await stage.result(of: other.job) == nil)
  }

  @Test func `a stage of a step that is stopped, or connected anew, records nothing`() async throws
  {
    for isStopped in [true, false] {
      let life = try Life("wait: 5s")
      life.ledger.decide { page in
        if isStopped {
          _ = page.controls[life.job.index].stop(.cancelled(.request))
        } else {
          page.controls[life.job.index].open(for: 2)
        }
      }
      let approval = ApprovalStage(tools: life.tools, secrets: Secrets())
      let stage = WaitStage(tools: life.tools, approval: approval)
      await #expect(throws: Withdrawn.self) { try await stage.result(of: life.job) }
      #expect(life.state.phase == .waiting && life.state.waitsUntil == nil)
    }
  }

  @Test func `an approval before the work gives values or fails the step`() async throws {
    for isApproved in [true, false] {
      let life = try Life("run: x, approval: Go?")
      let stage = ApprovalStage(tools: life.tools, secrets: Secrets())
      let result = Task { try await stage.result(of: life.job) }
      await expectEventually("it asks") { life.state.approval == "Go?" }
      let ticket = life.ledger.decide { $0.controls[life.job.index].takeApproval() }
      ticket?.answer(Approval(isApproved: isApproved, by: .api, values: ["by": "hand"]))
      #expect(try await result.value == (isApproved ? nil : .failed("a")))
      #expect(life.state.given == (isApproved ? ["by": "hand"] : [:]))
      #expect(life.state.phase == (isApproved ? .waiting : .failed(.rejected)))
    }
  }

  @Test func `a step takes its slot, and an attempt starts once`() async throws {
    let life = try Life("run: x")
    let stage = PlaceStage(tools: life.tools, pools: PoolPlaces(), poolFolder: nil)
    life.tools.slots.enter(life.job.index, generation: 1) {}
    life.tools.slots.startNext()
    try await stage.takeSlots(life.job, attempt: 1, isAdopted: false)
    #expect(stage.begin(life.job, attempt: 1) == .begun)
    #expect(life.state.phase == .running && life.state.attempt == 1)
    life.ledger.decide { $0.controls[life.job.index].close() }
    #expect(stage.begin(life.job, attempt: 2) == .stopped)
  }
}
