// The parts of a simulated engine: the witness of the executor, the recorder and the observer.

import Reprise
import WorkflowFiles

extension Simulation: ExecutorWitness {
  func started(_ context: StepContext) -> (Scenario.Behaviour, token: Int) {
    let id = context.step.id
    tokenCount += 1
    if let computed = scenario.computed, Scenario.ComputedItems.contains(id) {
      let isList = id == Scenario.ComputedItems.list
      let length = isList ? computed.listLength : computed.itemLength
      return (Scenario.Behaviour(length: length), tokenCount)
    }
    if let forest = oracle.forest {
      print("start \(id) \(context.generation).\(context.attempt)")
      if !forest.contains(id), let position = oracle.plan.positions[id] {
        return (oracle.plan.steps[position].spec.behaviours[0], tokenCount)
      }
      return (forest.execute(id, token: tokenCount, at: scheduler.tick()), tokenCount)
    }
    guard let position = oracle.plan.positions[id] else {
      oracle.fail("plan", "the executor gets an unknown step \"\(id)\"")
      return (Scenario.Behaviour(), tokenCount)
    }
    print("start \(id) \(context.generation).\(context.attempt)")
    oracle.check(
      !oracle.durableSuccesses.contains(position), "run again",
      "\(id) runs again although its success is recorded")
    oracle.add(
      Oracle.Note(
        time: scheduler.tick(),
        kind: .started(
          token: tokenCount,
          Oracle.Attempt(
            step: position, generation: context.generation, startedAt: scheduler.now),
          attempt: context.attempt, inputs: context.inputs,
          durable: scenario.disk.isUsed ? disk.acknowledgedCount : .max)))
    scheduler.note(UInt64(position) << 8 | UInt64(truncatingIfNeeded: context.attempt))
    let planned = oracle.plan.steps[position]
    let behaviours = planned.spec.behaviours
    let number = executions[id, default: 0] + planned.item
    executions[id, default: 0] += 1
    return (behaviours[number % behaviours.count], tokenCount)
  }

  func ended(_ token: Int) {
    print("end of attempt \(token)")
    if let forest = oracle.forest { return forest.ended(token, at: scheduler.tick()) }
    oracle.add(Oracle.Note(time: scheduler.tick(), kind: .ended(token: token)))
  }
}

/// Records on the disk of a simulation, and reports acknowledged events to the oracle.
struct AcknowledgingRecorder: Recorder {
  let simulation: Simulation

  func record(_ events: [Event]) throws {
    do {
      try simulation.disk.record(events)
    } catch {
      throw error
    }
    guard !simulation.scheduler.isDead else { return }
    simulation.oracle.acknowledge(events[...])
  }

  func keep(_ output: Event) throws {
    do {
      try simulation.disk.keep(output)
    } catch {
      throw error
    }
  }
}

/// Passes the events of one engine to the oracle.
struct SimulatedObserver: EngineObserver, RunObserver {
  let simulation: Simulation
  let incarnation: Int

  func runStarted(_ run: RunID, of workflow: Workflow) -> (any RunObserver)? { self }

  func receive(_ event: Event) {
    simulation.receive(event, incarnation: incarnation)
  }

  func observe(_ context: StepContext, _ attempt: StepAttempt) async throws -> StepOutputs {
    try await attempt(context)
  }
}
