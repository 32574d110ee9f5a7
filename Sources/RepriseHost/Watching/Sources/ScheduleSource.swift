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
    let times = ScheduleTimes(schedule)
    var handledUntil = handledUntil
    while !Task.isCancelled {
      let now = clock.wallTime.microseconds / 1_000_000
      // A new schedule has missed nothing.
      let plan = times.plan(handledUntil: handledUntil ?? now, now: now)
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
      let next = plan.next.map { Timestamp(microseconds: $0 * 1_000_000) }
      note(next, of: schedule.text)
      guard let next, (try? await clock.sleep(untilWallTime: next)) != nil else { return }
    }
  }
}
