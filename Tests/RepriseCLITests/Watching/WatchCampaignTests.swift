import Foundation
import Reprise
import RepriseJournal
import TestSupport
import Testing

/// The promises of a watch under load, with saves at random moments and under SIGKILL.
@Suite(.serialized) struct WatchCampaignTests {
  private struct Counts: Decodable {
    let accepted: Int
    let folded: Int
    let dropped: Int
    let runs: Int
    let restarts: Int
    let waiting: Int
  }

  private func counts(_ scenario: Scenario) async throws -> Counts {
    let line = try await scenario.reprise("triggers", "--json").succeeds().output
    return try JSONDecoder().decode(Counts.self, from: Data(line.utf8))
  }

  /// 1,000 events a second with runs of 100 ms.
  @Test func `a flood of events is handled one at a time, in order, and counted exactly`()
    async throws
  {
    let scenario = try Scenario()
    let count = rounds(1000, soak: 10_000)
    try scenario.write(
      """
      on: { stdin: lines, buffer: { size: 10, when-full: drop-oldest } }
      steps:
        - id: a
          env: { LINE: "${{ trigger.line }}" }
          run: |
            exec 9> lock
            flock -n 9 || echo $LINE >> overlaps
            echo $LINE >> log
            grep VmRSS /proc/$PPID/status >> memory
            sleep 0.1
      """, to: "w.yaml")
    let executable = Scenario.Started.executable.path
    // Ten lines every ten milliseconds.
    try await scenario.shell(
      """
      for i in $(seq \(count)); do
        echo $i
        if [ $((i % 10)) = 0 ]; then sleep 0.01; fi
      done | \(executable) watch w.yaml --progress none
      """
    ).fails(with: 1)
    let handled = scenario.read("log").split(separator: "\n").compactMap { Int($0) }
    #expect(handled == handled.sorted(), "order is kept")
    #expect(scenario.read("overlaps") == "", "one run at a time")
    #expect(handled.first == 1 && handled.last == count)
    let counts = try await counts(scenario)
    #expect(counts.accepted == count)
    #expect(counts.runs == handled.count)
    #expect(
      counts.runs + counts.dropped == count && counts.waiting == 0 && counts.folded == 0,
      "\(counts)")
    #expect(handled.count >= 10, "useful work was done")
    let memory = scenario.read("memory").split(separator: "\n").compactMap {
      Int($0.filter(\.isNumber))
    }
    // Skip the first third, while the allocators fill up.
    let early = try #require(memory.dropFirst(memory.count / 3).first)
    let late = try #require(memory.last)
    #expect(late - early < 16 * 1024, "memory is flat: \(early) to \(late) KiB")
  }

  /// The button in the article, pressed by an editor.
  @Test func `the last successful run has seen the last of many saves`() async throws {
    var generator = SeededGenerator.announced()
    let scenario = try Scenario()
    try scenario.write("0", to: "src/a.txt")
    try scenario.write(
      """
      on: { files: src, when-busy: restart }
      grace: 2s
      steps:
        - id: read
          run: |
            exec 9> lock
            flock -n 9 || echo $REPRISE_RUN_ID $REPRISE_GENERATION >> overlaps
            cat src/a.txt > seen; echo >> seen
            sleep 0.08
        - id: publish
          run: |
            exec 9> lock
            flock -n 9 || echo $REPRISE_RUN_ID $REPRISE_GENERATION >> overlaps
            cat seen >> published
      """, to: "w.yaml")
    let watching = try scenario.start(["watch", "w.yaml", "--progress", "none"])
    await scenario.becomesWatched()
    let count = rounds(60, soak: 500)
    let clock = SystemClock()
    for number in 1...count {
      let url = scenario.folder.appendingPathComponent("src/a.txt")
      // Editors write in place or replace the file.
      try Data("\(number)".utf8).write(
        to: url, options: Bool.random(using: &generator) ? .atomic : [])
      try await clock.sleep(for: .milliseconds(Int.random(in: 0...160, using: &generator)))
      if number % 10 == 0 {
        // Let the run finish every ten saves.
        await expectEventually("save \(number) is published") {
          scenario.read("published").hasSuffix("\(number)\n")
        }
        try await expectEventually("its run is over") {
          try await scenario.runs().allSatisfy { $0.status != "running" }
        }
      }
    }
    await expectEventually("the last save is published") {
      scenario.read("published").hasSuffix("\(count)\n")
    }
    try await expectEventually("the run is over") {
      try await scenario.runs().allSatisfy { $0.status != "running" }
    }
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
    #expect(scenario.read("overlaps") == "", "no two generations were alive at once")
    for run in try await scenario.runs() {
      #expect(processes(startedWith: "REPRISE_RUN_ID=\(run.id)") == [], "nothing is left")
    }
    let counts = try await counts(scenario)
    #expect(
      counts.accepted == counts.folded + counts.dropped + counts.runs + counts.restarts
        + counts.waiting)
    #expect(counts.runs >= count / 20 && counts.restarts > 0, "useful work was done: \(counts)")
  }

  /// Kills the watch, its guardian or both at a random moment.
  @Test func `no accepted event is lost or handled twice, however the watch is killed`()
    async throws
  {
    var generator = SeededGenerator.announced()
    let scenario = try Scenario()
    try scenario.write(
      """
      name: site
      params: { n: { type: number, required: true } }
      on: { socket: true, buffer: { size: 10000 } }
      steps:
        - { id: a, env: { N: "${{ params.n }}" }, run: echo $N $REPRISE_RUN_ID >> log }
        - { id: b, run: sleep 0.01 }
      """, to: "w.yaml")
    let clock = SystemClock()
    var number = 0
    var accepted: Set<Int> = []
    var kills = 0
    // A watch that is killed early may have accepted no event. Continue until there is something to
    // lose, and then kill only after an event, however slow the machine is.
    let killsMin = rounds(6, soak: 100)
    while kills < killsMin || accepted.isEmpty {
      let watching = try scenario.start(["watch", "w.yaml", "--progress", "none"])
      await scenario.becomesWatched()
      let delay = Duration.milliseconds(Int.random(in: 0...600, using: &generator))
      let chosen = Int.random(in: 0..<3, using: &generator)
      let mayBeKilled = Gate()
      if kills < killsMin { mayBeKilled.open() }
      let killer = Task {
        await mayBeKilled.wait()
        try? await clock.sleep(for: delay)
        let victims = KillTests.engineAndGuardian(watching.id)
        for (position, victim) in victims.enumerated()
        where chosen == 2 || chosen == position || victims.count == 1 {
          kill(victim, SIGKILL)
        }
      }
      var isLive = true
      while isLive {
        number += 1
        let ended = try await scenario.reprise("trigger", "site", "-p", "n=\(number)")
        isLive = ended.status == 0
        if isLive { accepted.insert(number) }
        mayBeKilled.open()
      }
      await killer.value
      kills += 1
      _ = try await watching.end()
    }
    let watching = try scenario.start(["watch", "w.yaml", "--progress", "none"])
    await scenario.becomesWatched()
    try await expectEventually("all events are handled") {
      let runs = try scenario.journal().runs(workflow: "site")
      return try await counts(scenario).waiting == 0
        && runs.allSatisfy { $0.status == .succeeded }
    }
    watching.send(SIGINT)
    try await watching.end().fails(with: 130)
    let runs = try scenario.journal().runs(workflow: "site")
    let handled = runs.compactMap { $0.request.parameters["n"].flatMap { Int($0) } }
    #expect(Set(handled).count == handled.count, "no event is handled twice")
    #expect(accepted.isSubset(of: handled), "no accepted event is lost")
    // A succeeded step is not run again, so each number must have been written by one run.
    var writers: [Substring: Set<Substring>] = [:]
    for line in scenario.read("log").split(separator: "\n") {
      let words = line.split(separator: " ")
      writers[words[0], default: []].insert(words[1])
    }
    #expect(writers.values.allSatisfy { $0.count == 1 })
    #expect(Set(writers.keys.compactMap { Int($0) }) == Set(handled))
  }
}
