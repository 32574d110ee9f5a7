import Testing

@testable import Reprise

/// The JSON and the description of each event.
///
/// Add a row for each new case.
struct EventTableTests {
  private static let plan = RunPlan(workflow: "w", steps: [PlannedStep(id: "a")])

  private static func step(_ attempt: Int, _ event: Event.StepEvent) -> Event.Kind {
    .step("a", attempt: attempt, event)
  }

  private static let rows: [(kind: Event.Kind, json: String, text: String)] = [
    (
      .runStarted(plan),
      #"""
      {"event":"run-started","plan":{"outline":[0],"steps":[{"id":"a","needs":[]}],\#
      "workflow":"w"}}
      """#,
      "run started: 1 step"
    ),
    (
      .runResumed(plan),
      #"""
      {"event":"run-resumed","plan":{"outline":[0],"steps":[{"id":"a","needs":[]}],\#
      "workflow":"w"}}
      """#,
      "run resumed: 1 step"
    ),
    (
      .runReloaded(plan, WorkflowChanges(added: ["a"], removed: ["b", "c"])),
      #"""
      {"added":["a"],"event":"run-reloaded","plan":{"outline":[0],\#
      "steps":[{"id":"a","needs":[]}],"workflow":"w"},"removed":["b","c"]}
      """#,
      "run reloaded: added: a; removed: b, c"
    ),
    (.runRestarting(from: nil), #"{"event":"run-restarting"}"#, "run restarting"),
    (.runRestarting(from: ["a"]), #"{"event":"run-restarting","from":["a"]}"#, "run restarting: a"),
    (.generationStarted(reset: nil), #"{"event":"generation-started"}"#, "generation started"),
    (
      .generationStarted(reset: ["a"]),
      #"{"event":"generation-started","reset":["a"]}"#, "generation started: a"
    ),
    (
      .generationStarted(reset: []),
      #"{"event":"generation-started","reset":[]}"#, "generation started: "
    ),
    (
      .runCancelling(.request),
      #"{"cause":{"kind":"request"},"event":"run-cancelling"}"#, "run cancelling on request"
    ),
    (
      .runCancelling(.restart),
      #"{"cause":{"kind":"restart"},"event":"run-cancelling"}"#, "run cancelling for a restart"
    ),
    (
      .runCancelling(.failure(ofStep: "b")),
      #"{"cause":{"kind":"failure","step":"b"},"event":"run-cancelling"}"#,
      "run cancelling because step \"b\" failed"
    ),
    (
      .runCancelling(.runTimedOut),
      #"{"cause":{"kind":"run-timed-out"},"event":"run-cancelling"}"#,
      "run cancelling because the run timed out"
    ),
    (
      .runCancelling(.abandoned("disk")),
      #"{"cause":{"kind":"abandoned","text":"disk"},"event":"run-cancelling"}"#,
      "run cancelling because Reprise could not continue: disk"
    ),
    (
      .runCancelling(.interrupted),
      #"{"cause":{"kind":"interrupted"},"event":"run-cancelling"}"#,
      "run cancelling because it was interrupted"
    ),
    (.runPaused, #"{"event":"run-paused"}"#, "run paused"),
    (.runUnpaused, #"{"event":"run-unpaused"}"#, "run unpaused"),
    (
      .runNotice("2 jobs are left"), #"{"event":"run-notice","text":"2 jobs are left"}"#,
      "2 jobs are left"
    ),
    (
      .runEnded(.succeeded),
      #"{"event":"run-ended","outcome":"succeeded"}"#, "run ended: succeeded"
    ),
    (
      .runEnded(.failed(step: "a", reason: .exited(status: 3))),
      #"{"event":"run-ended","outcome":"failed","reason":{"kind":"exited","status":3},"step":"a"}"#,
      "run ended: step \"a\" failed: exited with status 3"
    ),
    (
      .runEnded(.skipped("if: x")),
      #"{"event":"run-ended","outcome":"skipped","text":"if: x"}"#, "run ended: skipped: if: x"
    ),
    (
      .runEnded(.cancelled),
      #"{"event":"run-ended","outcome":"cancelled"}"#, "run ended: cancelled"
    ),
    (
      .runEnded(.interrupted),
      #"{"event":"run-ended","outcome":"interrupted"}"#, "run ended: interrupted"
    ),
    (
      .runEnded(.timedOut(after: .milliseconds(1500))),
      #"{"event":"run-ended","outcome":"timed-out","seconds":1.5}"#,
      "run ended: timed out after 1.5 s"
    ),
    (
      .runEnded(.abandoned("no")),
      #"{"event":"run-ended","outcome":"abandoned","text":"no"}"#, "run ended: abandoned: no"
    ),
    (
      step(0, .waiting),
      #"{"attempt":0,"event":"step-ready","step":"a"}"#, "step a, attempt 0: ready"
    ),
    (
      step(0, .awaitingApproval("go?")),
      #"{"attempt":0,"event":"step-waiting","step":"a","text":"go?"}"#,
      "step a, attempt 0: waiting for approval: go?"
    ),
    (
      step(0, .approved([:])),
      #"{"attempt":0,"event":"step-approved","step":"a"}"#, "step a, attempt 0: approved"
    ),
    (
      step(1, .started()),
      #"{"attempt":1,"event":"step-started","step":"a"}"#, "step a, attempt 1: started"
    ),
    (
      step(
        1,
        .queued(RunnerPlace(runner: "big", token: "r.a.1.1.x", survives: true), text: "Priority")),
      #"{"attempt":1,"event":"step-queued","runner":"big","step":"a","survives":true,"#
        + #""text":"Priority","token":"r.a.1.1.x"}"#, "step a, attempt 1: queued on big: Priority"
    ),
    (
      step(1, .waitingForPool("db", text: "waits for pool \"db\"")),
      #"{"attempt":1,"event":"step-waiting-for-pool","pool":"db","step":"a","#
        + #""text":"waits for pool \"db\""}"#,
      "step a, attempt 1: waits for pool \"db\""
    ),
    (
      step(1, .started(on: "n1")),
      #"{"attempt":1,"event":"step-started","host":"n1","step":"a"}"#,
      "step a, attempt 1: started on n1"
    ),
    (
      step(1, .outOfSight("no answer")),
      #"{"attempt":1,"event":"step-out-of-sight","step":"a","text":"no answer"}"#,
      "step a, attempt 1: out of sight: no answer"
    ),
    (
      step(1, .inSight), #"{"attempt":1,"event":"step-in-sight","step":"a"}"#,
      "step a, attempt 1: in sight again"
    ),
    (
      step(1, .ready(["port": "5"])),
      #"{"attempt":1,"event":"step-available","outputs":{"port":"5"},"step":"a"}"#,
      "step a, attempt 1: ready to be used; port: 5"
    ),
    (
      step(1, .failed(.lost("gone"))),
      #"{"attempt":1,"event":"step-failed","reason":{"kind":"lost","text":"gone"},"step":"a"}"#,
      "step a, attempt 1: failed: was lost: gone"
    ),
    (
      step(1, .failed(.lost("gone", cause: .outOfMemory, status: 137))),
      #"{"attempt":1,"event":"step-failed","reason":{"cause":"out-of-memory","kind":"lost","status":137,"text":"gone"},"step":"a"}"#,
      "step a, attempt 1: failed: was lost: gone"
    ),
    (
      step(1, .progress(0.25, "half of the half")),
      #"{"attempt":1,"event":"step-progress","part":0.25,"step":"a","text":"half of the half"}"#,
      "step a, attempt 1: 25 %: half of the half"
    ),
    (
      step(1, .output(.standardOutput, text: "x", isPartial: true)),
      #"""
      {"attempt":1,"event":"step-output","partial":true,"step":"a","stream":"stdout",\#
      "text":"x"}
      """#,
      "step a, attempt 1: x"
    ),
    (
      step(1, .output(.standardError, text: "x\ny", isPartial: false)),
      #"{"attempt":1,"event":"step-output","step":"a","stream":"stderr","text":"x\ny"}"#,
      "step a, attempt 1: x\ny"
    ),
    (
      step(1, .succeeded([:])),
      #"{"attempt":1,"event":"step-succeeded","outputs":{},"step":"a"}"#,
      "step a, attempt 1: succeeded"
    ),
    (
      step(1, .succeeded(["a": "b"])),
      #"{"attempt":1,"event":"step-succeeded","outputs":{"a":"b"},"step":"a"}"#,
      "step a, attempt 1: succeeded; a: b"
    ),
    (
      step(1, .retrying(.exited(status: 75), after: .milliseconds(1500))),
      #"""
      {"attempt":1,"event":"step-retrying","reason":{"kind":"exited","status":75},\#
      "seconds":1.5,"step":"a"}
      """#,
      "step a, attempt 1: failed: exited with status 75; retrying in 1.5 s"
    ),
    (
      step(3, .repeating(StepRound(number: 3, limit: 30), after: .seconds(2))),
      #"{"attempt":3,"event":"step-repeating","limit":30,"round":3,"seconds":2,"step":"a"}"#,
      "step a, attempt 3: round 3 of 30 done; next in 2.0 s"
    ),
    (
      step(0, .pausing(until: Timestamp(microseconds: 0))),
      #"""
      {"attempt":0,"event":"step-pausing","step":"a","until":"1970-01-01T00:00:00.000000Z"}
      """#,
      "step a, attempt 0: waits until 1970-01-01T00:00:00.000000Z"
    ),
    (
      step(1, .wrote(["a": "1"])),
      #"{"attempt":1,"event":"step-wrote","outputs":{"a":"1"},"step":"a"}"#,
      "step a, attempt 1: wrote; a: 1"
    ),
    (
      step(1, .used(ResourceUse(processorTime: .milliseconds(1250), peakBytes: 35_651_584))),
      #"{"attempt":1,"event":"step-used","peak-bytes":35651584,"seconds":1.25,"step":"a"}"#,
      "step a, attempt 1: used 1.2 s of processor time, at most 34.0 MiB"
    ),
    (
      step(1, .leftBehind("sleep 9")),
      #"{"attempt":1,"command":"sleep 9","event":"step-left-behind","step":"a"}"#,
      "step a, attempt 1: ended: sleep 9, left behind"
    ),
    (
      step(1, .expanded([ExpandedItem(key: "x", item: .text("x"), label: "x")])),
      #"""
      {"attempt":1,"event":"step-expanded","items":[{"item":"x","key":"x","label":"x"}],"step":"a"}
      """#,
      "step a, attempt 1: expanded to 1 step"
    ),
    (
      step(1, .cancelling), #"{"attempt":1,"event":"step-cancelling","step":"a"}"#,
      "step a, attempt 1: being cancelled"
    ),
    (
      step(0, .cancelled(.cancellation(ofStep: "b"))),
      #"{"attempt":0,"cause":{"kind":"cancellation","step":"b"},"event":"step-cancelled","step":"a"}"#,
      "step a, attempt 0: cancelled because step \"b\" was cancelled"
    ),
    (
      step(1, .failed(.exited(status: 2))),
      #"{"attempt":1,"event":"step-failed","reason":{"kind":"exited","status":2},"step":"a"}"#,
      "step a, attempt 1: failed: exited with status 2"
    ),
    (
      step(1, .failed(.signalled(signal: 9))),
      #"{"attempt":1,"event":"step-failed","reason":{"kind":"signalled","signal":9},"step":"a"}"#,
      "step a, attempt 1: failed: terminated by SIGKILL (9)"
    ),
    (
      step(1, .failed(.timedOut(after: .seconds(3)))),
      #"{"attempt":1,"event":"step-failed","reason":{"kind":"timed-out","seconds":3},"step":"a"}"#,
      "step a, attempt 1: failed: timed out after 3.0 s"
    ),
    (
      step(1, .failed(.notStarted("no"))),
      #"""
      {"attempt":1,"event":"step-failed","reason":{"kind":"not-started","text":"no"},\#
      "step":"a"}
      """#,
      "step a, attempt 1: failed: could not start: no"
    ),
    (
      step(1, .failed(.badOutputs("no"))),
      #"""
      {"attempt":1,"event":"step-failed","reason":{"kind":"bad-outputs","text":"no"},\#
      "step":"a"}
      """#,
      "step a, attempt 1: failed: invalid outputs: no"
    ),
    (
      step(1, .failed(.badValue("no"))),
      #"{"attempt":1,"event":"step-failed","reason":{"kind":"bad-value","text":"no"},"step":"a"}"#,
      "step a, attempt 1: failed: no"
    ),
    (
      step(1, .failed(.rejected)),
      #"{"attempt":1,"event":"step-failed","reason":{"kind":"rejected"},"step":"a"}"#,
      "step a, attempt 1: failed: was not approved"
    ),
    (
      step(1, .failed(.threw("x"))),
      #"{"attempt":1,"event":"step-failed","reason":{"kind":"threw","text":"x"},"step":"a"}"#,
      "step a, attempt 1: failed: threw an error: x"
    ),
    (
      step(0, .cancelled(.restart)),
      #"{"attempt":0,"cause":{"kind":"restart"},"event":"step-cancelled","step":"a"}"#,
      "step a, attempt 0: cancelled for a restart"
    ),
    (
      step(0, .skipped("why", [:])),
      #"{"attempt":0,"event":"step-skipped","step":"a","text":"why"}"#,
      "step a, attempt 0: skipped: why"
    ),
    (
      step(0, .skipped("why", ["a": "b"])),
      #"{"attempt":0,"event":"step-skipped","outputs":{"a":"b"},"step":"a","text":"why"}"#,
      "step a, attempt 0: skipped: why; a: b"
    ),
  ]

  /// The format that Documentation/events.md promises; other programs depend on it.
  @Test(arguments: rows) func `an event is encoded as documented, and decoded`(
    _ kind: Event.Kind, _ json: String, _ text: String
  ) throws {
    let event = Event(
      time: Timestamp(microseconds: 0), run: try #require(RunID("r")), generation: 2, kind: kind)
    var shown = try JSONLine.text(event)
    for common in [
      #""generation":2,"#, #""run":"r","#, #","time":"1970-01-01T00:00:00.000000Z""#,
    ] { shown = shown.replacing(common, with: "") }
    #expect(shown == json)
    #expect(kind.description == text)
    #expect(try JSONLine.decoded([event]) == [event])
  }

  @Test func `who asked for something is a field of any event`() throws {
    let requester = Requester(
      .command, name: "reprise restart", process: 12, user: "ann", comment: "flaky", steps: ["a"])
    let event = Event(
      time: Timestamp(microseconds: 0), run: try #require(RunID("r")), generation: 2,
      kind: .runRestarting(from: ["a"]), by: requester)
    let text = try JSONLine.text(event)
    #expect(
      text.contains(
        #""by":{"comment":"flaky","kind":"command","name":"reprise restart","process":12,"#
          + #""steps":["a"],"user":"ann"}"#), "\(text)")
    #expect(try JSONLine.decoded([event]) == [event])
    #expect(requester.description == "reprise restart (user ann, pid 12)")
  }

  @Test func `every event has a row in the table`() {
    let missing = Set(Event.Kind.byName.keys).subtracting(Self.rows.map(\.kind.name))
    #expect(missing == [])
  }
}
