// `reprise top` on a real terminal: the list of runs, a run that is opened from it, and the way back.

import Foundation
import Testing

struct TopTests {
  private func scenario() throws -> Scenario {
    let scenario = try Scenario()
    try scenario.write(
      """
      name: broken
      steps:
        - { id: build, run: "echo built >> log" }
        - { id: check, run: "echo looking; echo 'it is wrong'; test -e fixed" }
      """, to: "broken.yaml")
    try scenario.write(
      """
      name: slow
      steps: [{ id: wait, run: "touch began; sleep 60" }]
      """, to: "slow.yaml")
    return scenario
  }

  @Test func `an ended run is opened with the lines of its failure, and resumed in place`()
    async throws
  {
    let scenario = try scenario()
    let output = try await scenario.onTerminal(
      "reprise run broken.yaml --progress none; reprise top",
      keys: """
        shown '1 run'; printf '\\r'; shown 'check failed'; touch fixed; printf r; shown 'resume the run'
        printf y; shown 'generation 2'; shown '2 of 2 done'; printf q; shown 'succeeded (2)'; printf q
        """)
    #expect(output.contains("status 0"))
    #expect(scenario.read("log") == "built\n", "what has succeeded is not run again")
    #expect(output.contains("check failed") && output.contains("exited with status 1"))
    let runs = try await scenario.reprise("runs")
    #expect(runs.output.contains("succeeded (2)"))
  }

  @Test func `a live run is opened and left, filtered, and cancelled from the list`() async throws {
    let scenario = try scenario()
    let output = try await scenario.onTerminal(
      "reprise run broken.yaml --progress none; reprise run slow.yaml --detach; reprise top",
      keys: """
        wait_for began; shown '1 live'; printf '/slow\\r\\r'; shown 'q all runs'; printf q
        shown_times 2 'Enter open'; printf c; shown 'cancel run'; printf y; shown 'cancelled  '; printf q
        """)
    #expect(output.contains("status 0"))
    #expect(try await scenario.reprise("runs").output.contains("cancelled"))
  }

  @Test func `T shows the list during a run, which goes on, and q leads back to it`() async throws {
    let scenario = try scenario()
    try scenario.write(
      """
      name: counted
      steps: [{ id: count, run: "touch began; until test -e enough; do sleep 0.05; done" }]
      """, to: "counted.yaml")
    let output = try await scenario.onTerminal(
      "reprise run counted.yaml",
      keys: "wait_for began; printf T; shown 'RUN  '; shown '1 live'; touch enough; "
        + "shown '0 live'; printf q")
    #expect(output.contains("status 0") && output.contains("1 of 1 done"))
  }

  @Test func `without a terminal or a run there is nothing to show`() async throws {
    let scenario = try scenario()
    let piped = try await scenario.reprise("top")
    #expect(
      piped.status == 2 && piped.errors.contains("reprise top needs a terminal; reprise runs"))
    let output = try await scenario.onTerminal("reprise top", keys: ":")
    #expect(output.contains("No run has been recorded in") && output.contains("status 0"))
  }
}
