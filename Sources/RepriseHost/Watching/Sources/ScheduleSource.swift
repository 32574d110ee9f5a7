// The source of events for schedules.

import Reprise
import RepriseJournal

extension ScheduleTrigger: TriggerSource {
  func start(in sources: WatchSources) async throws {
    for schedule in schedules {
      let watch = sources.watch
      let last = try await blocking { try watch.lastMoment(of: schedule.text) }
      sources.keep(Task { await sources.follow(schedule, handledUntil: last) })
    }
  }
}

extension WatchSources {
  fileprivate func follow(_ schedule: Schedule, handledUntil: Int64?) async {
    var handledUntil = handledUntil
    let plans = SchedulePlans(schedule, handledUntil: handledUntil, clock: clock)
    for await plan in plans where !Task.isCancelled {
      if plan.missed > 0 {
        say("missed times of the schedule \"\(schedule.text)\": \(plan.missed)")
      }
      if plan.handledUntil != handledUntil {
        let event = plan.due.map {
          WatchEvent(
            Trigger(.schedule, time: Timestamp(microseconds: $0 * 1_000_000).description))
        }
        inbox.put { transaction throws(JournalError) in
          let accepted = try transaction.accept(
            event, of: schedule.text, handledUntil: plan.handledUntil)
          return accepted.map { [$0] } ?? []
        }
      }
      handledUntil = plan.handledUntil
      note(plan.next.map { Timestamp(microseconds: $0 * 1_000_000) }, of: schedule.text)
    }
  }
}
