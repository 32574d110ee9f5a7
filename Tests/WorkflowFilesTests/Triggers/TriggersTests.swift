import Schedules
import Testing

@testable import WorkflowFiles

/// Parsing of `on`, and the values of `trigger`.
struct TriggersTests {
  private func workflow(
    _ on: String, _ arguments: Arguments = Arguments(), rest: String = ""
  ) throws -> Workflow {
    try Workflow(
      text: "params: { folder: src }\non: \(on)\n\(rest)steps: [{ id: a, run: x }]\n",
      file: "w.yaml", with: arguments)
  }

  private func triggers(_ on: String) throws -> Triggers {
    try #require(try workflow(on).triggers)
  }

  @Test func `a workflow without on has no triggers`() throws {
    let workflow = try Workflow(text: "steps: [{ id: a, run: x }]\n", file: "w.yaml")
    #expect(workflow.triggers == nil)
  }

  @Test func `files is one pattern, a list, or a map with ignored patterns`() throws {
    #expect(try triggers("{ files: src/** }").files == FileTrigger(["src/**"]))
    #expect(
      try triggers("{ files: [src/**, '!src/x'] }").files == FileTrigger(["src/**", "!src/x"]))
    var expected = FileTrigger(["a", "!b", "!c"])
    expected.respectsGitignore = false
    #expect(
      try triggers("{ files: { paths: a, ignore: [b, c], gitignore: false } }").files == expected)
  }

  @Test func `patterns may contain parameters`() throws {
    #expect(
      try triggers("{ files: ['${{ params.folder }}/**'] }").files == FileTrigger(["src/**"]))
  }

  @Test func `a schedule is a cron expression with a time zone, or an interval`() throws {
    let schedules = try triggers(
      "{ schedule: [{ cron: '30 2 * * *', time-zone: Europe/Berlin, missed: skip }, { every: 10m }] }"
    ).schedules
    #expect(
      schedules == [
        Schedule(
          .cron(try CronExpression("30 2 * * *"), zone: "Europe/Berlin"),
          text: "30 2 * * * Europe/Berlin", catchesUp: false),
        Schedule(.every(.seconds(600)), text: "every 10m"),
      ])
  }

  @Test func `omitted settings of triggers have sensible defaults`() throws {
    let triggers = try triggers("{ start: true }")
    #expect(triggers.whenBusy == .queue)
    #expect(triggers.buffer == EventBuffer(size: 10, whenFull: .dropOldest))
    #expect(triggers.debounce == nil && !triggers.hasSocket && !triggers.restartsAffected)
  }

  @Test func `all settings of triggers can be combined`() throws {
    let triggers = try triggers(
      """
      { files: a, stdin: json, socket: true, after: [x, y], start: true, when-busy: queue,
        debounce: 1s, buffer: { size: 3, when-full: fail } }
      """)
    #expect(triggers.standardInput == .json)
    #expect(triggers.hasSocket && triggers.atStart)
    #expect(triggers.after == ["x", "y"])
    #expect(triggers.debounce == .seconds(1))
    #expect(triggers.buffer.size == 3 && triggers.buffer.whenFull == .fail)
    #expect(triggers.buffer.isPolicyChosen && !EventBuffer().isPolicyChosen)
    let restarting = try self.triggers("{ files: a, when-busy: restart, restart-from: affected }")
    #expect(restarting.whenBusy == .restart && restarting.restartsAffected)
  }

  // MARK: What started a run

  private static let event = Trigger(
    .stdin(line: "hello", data: .map(["n": .number(1)])), time: "2026-11-21T12:00:00.000000Z",
    count: 2, paths: ["b", "a b"])

  @Test func `steps see the trigger of their run, also where the graph depends on it`() throws {
    let workflow = try Workflow(
      text: """
        on: { stdin: lines }
        steps:
          - id: each
            foreach: ${{ trigger.paths }}
            run: x
          - id: last
            if: trigger.kind == 'stdin' && trigger.count > 1 && trigger.data.n == 1
            env: { LINE: "${{ trigger.line }}" }
            run: x
        """, file: "w.yaml", with: Arguments(trigger: Self.event))
    #expect(workflow.steps.map(\.id) == ["each[0]", "each[1]", "last"])
    let values = RunValues(
      run: "r", generation: 1, environment: [:], secrets: { _, _ in nil }, step: { _ in nil },
      status: .success, hashFiles: { _ in "" })
    let last = workflow.steps[2]
    #expect(try workflow.unmetCondition(of: last, values) == nil)
    #expect(try workflow.resolved(last, values).environment == ["LINE": "hello"])
  }

  @Test func `a run that the user started has a manual trigger`() throws {
    let workflow = try Workflow(
      text: """
        steps:
          - { id: a, foreach: "${{ trigger.paths }}", run: x }
          - { id: b, if: trigger.kind == 'manual', run: x }
        """, file: "w.yaml")
    #expect(workflow.steps.map(\.id) == ["b"])
  }

  @Test func `validating a file leaves the trigger open`() throws {
    let workflow = try Workflow(
      text: "steps: [{ id: a, foreach: '${{ trigger.paths }}', run: x }]\n", file: "w.yaml",
      with: Arguments(allowsMissing: true))
    #expect(workflow.steps.map(\.id) == ["a[0]"])
  }

  @Test func `a trigger survives a round trip through JSON`() {
    #expect(Trigger(json: Self.event.json) == Self.event)
    #expect(Trigger(json: "{}") == nil)
    #expect(Trigger(json: "nonsense") == nil)
  }

  @Test func `folded events merge their paths and keep the later event`() {
    var event = Trigger(.files, time: "1", count: 2, paths: ["b", "c"])
    event.fold(Trigger(.files, time: "2", count: 3, paths: ["a", "c"]))
    #expect(event == Trigger(.files, time: "2", count: 5, paths: ["a", "b", "c"]))
    event.fold(Trigger(.socket, time: "3"))
    #expect(event == Trigger(.socket, time: "3", count: 6, paths: ["a", "b", "c"]))
    event.fold(Trigger(.files, time: "4", paths: ["d"]))
    #expect(event == Trigger(.socket, time: "3", count: 7, paths: ["a", "b", "c", "d"]))
  }
}
