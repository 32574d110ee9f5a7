import Reprise
import Testing

@testable import RepriseTerminal

struct TreeViewTests {
  private static let plan = RunPlan(
    workflow: "demo", steps: ["a", "b1", "b2", "c"].map { PlannedStep(id: $0) },
    outline: .sequence([
      .step(StepIndex(0)), .parallel([.step(StepIndex(1)), .step(StepIndex(2))]),
      .step(StepIndex(3)),
    ]))

  /// Returns the state after events that are one second apart.
  private func state(_ kinds: [Event.Kind], plan: RunPlan = plan) throws -> RunState {
    var state = RunState()
    let run = RunID()
    var generation = 1
    for (second, kind) in ([.runStarted(plan)] + kinds).enumerated() {
      if case .generationStarted = kind { generation += 1 }
      try state.apply(
        Event(
          time: Timestamp(microseconds: Int64(second) * 1_000_000), run: run,
          generation: generation, kind: kind))
    }
    return state
  }

  private func started(_ id: String) -> [Event.Kind] {
    [.step(id, attempt: 0, .waiting), .step(id, attempt: 1, .started())]
  }

  private func lines(
    _ state: RunState, columns: Int = 60, rows: Int = 20, unicode: Bool = true,
    colour: Bool = false, options: TreeView.Options = TreeView.Options(hasKeys: false)
  ) -> [String] {
    TreeView(
      state: state, now: Timestamp(microseconds: 10_000_000),
      style: Style(hasColour: colour, hasUnicode: unicode), options: options
    ).lines(WindowSize(columns: columns, rows: rows)).map { line in
      String(line.string.reversed().drop { $0 == " " }.reversed())
    }
  }

  @Test func `steps are shown in file order with their states, times and last lines`() throws {
    let state = try state(
      started("a") + [.step("a", attempt: 1, .succeeded([:]))] + started("b1") + [
        .step("b1", attempt: 1, .output(.standardOutput, text: "one\ntwo", isPartial: false))
      ])
    #expect(
      lines(state) == [
        "demo",
        "  ✔ a        1.0s",
        "  ├ ⠋ b1     5.0s  two",
        "  └ · b2",
        "  · c",
        "1 of 4 done · 1 running · 2 waiting   10s",
      ])
  }

  @Test func `states are distinct without Unicode and colour`() throws {
    let state = try state(
      started("a") + [.step("a", attempt: 1, .failed(.exited(status: 2)))] + started("b1") + [
        .step("c", attempt: 0, .cancelled(.failure(ofStep: "a")))
      ])
    #expect(
      lines(state, unicode: false) == [
        "demo",
        "  x a        1.0s  exited with status 2",
        "  |-| b1     5.0s",
        "  `-. b2",
        "  / c              not run: a failed",
        "a failed: exited with status 2",
        "0 of 4 done, 1 running, 1 failed, 1 not run   10s",
      ])
  }

  @Test func `a restart shows its generation and the steps that it waits for`() throws {
    let waiting = try state(started("a") + [.runRestarting(from: nil)])
    #expect(lines(waiting).first == "demo  restarting: waiting for a, 7.0s; killed in 3s")
    // Other branches go on.
    let part = try state(started("b1") + started("b2") + [.runRestarting(from: ["b2", "c"])])
    #expect(lines(part).first == "demo  restarting: waiting for b2, 5.0s; killed in 5s")
    let again = try state([.runRestarting(from: nil), .generationStarted(reset: nil)])
    #expect(lines(again).first == "demo  generation 2")
  }

  @Test func `the time until a service is killed begins with the end of what it waits for`() throws
  {
    let plan = RunPlan(
      workflow: "demo", steps: ["a", "b"].map { PlannedStep(id: $0, isService: true) })
    let up = ["a", "b"].flatMap { started($0) + [.step($0, attempt: 1, .ready([:]))] }
    let both = try state(up + [.runCancelling(.request)], plan: plan)
    #expect(lines(both).first == "demo  cancelling: waiting for a, b, 3.0s")
    let one = try state(
      up + [.runCancelling(.request), .step("b", attempt: 1, .cancelled(.request))], plan: plan)
    #expect(lines(one).first == "demo  cancelling: waiting for a, 3.0s; killed in 8s")
  }

  @Test func `expanded steps are shown below a row for their group`() throws {
    let plan = RunPlan(
      workflow: "many",
      steps: [
        PlannedStep(id: "t[0]", label: "linux, 5"), PlannedStep(id: "t[1]", label: "mac, 6"),
        PlannedStep(id: "use/a"), PlannedStep(id: "use/b", continuesOnError: true),
      ],
      outline: .sequence([
        .group("t", .parallel([.step(StepIndex(0)), .step(StepIndex(1))])),
        .group("use", .sequence([.step(StepIndex(2)), .step(StepIndex(3))])),
      ]))
    let state = try state(
      started("t[0]") + [.step("t[0]", attempt: 1, .skipped("up to date", ["a": "b"]))]
        + started("t[1]") + started("use/b") + [.step("use/b", attempt: 1, .failed(.rejected))],
      plan: plan)
    #expect(
      lines(state, columns: 70) == [
        "many",
        "  ▸ t               0 of 2 done · 1 running · 1 skipped",
        "  ├ ○ [0] linux, 5     1.0s  skipped: up to date",
        "  └ ⠋ [1] mac, 6       5.0s",
        "  ✖ use             0 of 2 done · 1 waiting · 1 failed",
        "  ┌ · use/a",
        "  └ ✖ use/b            1.0s  was not approved; the run continues",
        "━━━━━───── 0 of 4 done · 1 running · 1 failed · 1 skipped   10s",
      ])
  }

  @Test func `a step whose items are computed has one row with all of them`() throws {
    let workflow = try Workflow(
      text: """
        steps:
          - { id: list, run: x }
          - { id: work, foreach: "${{ fromJSON(steps.list.outputs.l) }}", run: x }
        """, file: "w.yaml")
    let items = ["x", "y"].enumerated().map { number, label in
      ExpandedItem(key: String(number), item: .text(label), label: label)
    }
    let plan = RunPlan(workflow)
    let before = try state([], plan: plan)
    #expect(lines(before).contains("  · work"))
    let after = try state(
      started("work") + [
        .step("work", attempt: 1, .expanded(items)), .step("work", attempt: 1, .succeeded([:])),
      ]
        + started("work[0]"), plan: plan)
    let rows = lines(after)
    #expect(rows.count { $0.contains(" work") } == 1)
    #expect(
      rows.contains {
        $0.hasPrefix("  ▸ work") && $0.hasSuffix("0 of 2 done · 1 running · 1 waiting")
      })
    #expect(after.tally.total == 3)
  }

  @Test func `sequential steps of a parallel branch are shown in a bracket`() throws {
    let ids = ["a", "b1", "b2", "b3", "b4", "c"]
    let plan = RunPlan(
      workflow: "nested", steps: ids.map { PlannedStep(id: $0) },
      outline: .sequence([
        .parallel([
          .step(StepIndex(0)),
          .sequence([
            .step(StepIndex(1)), .parallel([.step(StepIndex(2)), .step(StepIndex(3))]),
            .step(StepIndex(4)),
          ]),
        ]), .step(StepIndex(5)),
      ]))
    func tree(unicode: Bool) throws -> [String] {
      Array(lines(try state([], plan: plan), unicode: unicode).dropFirst().dropLast())
    }
    #expect(
      try tree(unicode: true) == [
        "  ├ · a", "  └ ┌ · b1", "    │ ├ · b2", "    │ └ · b3", "    └ · b4", "  · c",
      ])
    #expect(
      try tree(unicode: false) == [
        "  |-. a", "  `-,-. b1", "    | |-. b2", "    | `-. b3", "    `-. b4", "  . c",
      ])
  }

  @Test func `in a narrow window a long name leaves room for times and reasons`() throws {
    let long = "a-step-with-quite-a-long-name-that-says-it-all"
    let plan = RunPlan(workflow: "narrow", steps: [PlannedStep(id: long), PlannedStep(id: "b")])
    let state = try state(
      started(long) + [.step(long, attempt: 1, .failed(.exited(status: 2)))], plan: plan)
    #expect(lines(state, columns: 40)[1] == "  ✖ a-step-w…-it-all     1.0s  exited …")
    #expect(lines(state, columns: 120)[1].hasSuffix("exited with status 2"))
    // Folded steps take no space from the visible ones.
    let folded = RunPlan(
      workflow: "folded",
      steps: (0..<30).map { PlannedStep(id: $0 == 0 ? long : "s\($0)") })
    let ended = try self.state(
      started(long) + [.step(long, attempt: 1, .succeeded([:]))] + started("s1"), plan: folded)
    #expect(lines(ended, rows: 10).contains("  ⠋ s1     5.0s"))
  }

  @Test func `a refused key shows the reason`() throws {
    var options = TreeView.Options()
    options.notice = "the run is being cancelled"
    let state = try state(started("a") + [.runCancelling(.request)])
    #expect(lines(state, options: options).contains("the run is being cancelled"))
  }

  @Test func `a bar shows the reported or usual progress of a step`() throws {
    let plan = RunPlan(
      workflow: "bars",
      steps: [
        PlannedStep(id: "told"), PlannedStep(id: "usual", usualSeconds: 12),
        PlannedStep(id: "late", usualSeconds: 2), PlannedStep(id: "quick", usualSeconds: 0.1),
      ])
    let state = try state(
      started("told") + [.step("told", attempt: 1, .progress(0.7, "compiling"))] + started("usual")
        + started("late") + started("quick"), plan: plan)
    #expect(
      lines(state, columns: 70) == [
        "bars",
        "  ⠋ told      8.0s  ━━━━━━━───  70%  compiling",
        "  ⠋ usual     5.0s  ━━━━──────≈ 41%",
        "  ⠋ late      3.0s  ━━━━━━━━━─≈ 95%",
        "  ⠋ quick     1.0s",
        "────────── 0 of 4 done · 4 running   10s",
      ])
  }

  @Test func `a step that waits for approval is shown with its keys`() throws {
    let state = try state([
      .step("a", attempt: 0, .waiting),
      .step("a", attempt: 0, .awaitingApproval("Ship \u{1B}[31mit?")),
    ])
    let shown = lines(state, columns: 80, options: TreeView.Options())
    #expect(shown[1] == "  ◌ a              waits for approval: Ship it?")
    #expect(shown.contains("a approve a · x reject"))
  }

  @Test func `a step that waits for approval is the last to be folded, with its question`() throws {
    let ids = (1...30).map { "s\($0)" } + ["gate"] + (31...60).map { "s\($0)" }
    let plan = RunPlan(
      workflow: "many", steps: ids.map { PlannedStep(id: $0) },
      outline: .parallel(ids.indices.map { .step(StepIndex($0)) }))
    let running = (1...20).flatMap { started("s\($0)") }
    let state = try state(
      running + [
        .step("gate", attempt: 0, .waiting),
        .step("gate", attempt: 0, .awaitingApproval("Really?")),
      ],
      plan: plan)
    for rows in 6...24 {
      let shown = lines(state, columns: 80, rows: rows, options: TreeView.Options())
      #expect(
        shown.contains { $0.contains("gate") && $0.contains("waits for approval: Really?") },
        "\(rows) rows: \(shown)")
    }
  }

  @Test func `the question of an approval is shown below the tree if its row may be too short`()
    throws
  {
    let question = "Deploy the version 1.2.3 to production, where people are at work?"
    let state = try state([
      .step("a", attempt: 0, .waiting), .step("a", attempt: 0, .awaitingApproval(question)),
    ])
    for columns in [24, 40, 60, 80] {
      let footer = lines(state, columns: columns, options: TreeView.Options())
        .drop { !$0.contains("of 4 done") }.dropFirst()
      #expect(
        footer.joined(separator: " ").replacing(" ", with: "").contains(
          question.replacing(" ", with: "")), "\(columns) columns: \(footer)")
    }
    #expect(
      !lines(state, columns: 160, options: TreeView.Options()).contains("a: \(question)"))
  }

  @Test func `no row is wider than the window, for any content`() throws {
    let text = "\u{1B}[31m漢字漢字漢字漢字漢字漢字漢字漢字\t\u{202E}abc\u{7}" + String(repeating: "x", count: 500)
    let state = try state(
      started("a") + [.step("a", attempt: 1, .output(.standardOutput, text: text, isPartial: true))]
    )
    for columns in 1...80 {
      for line in lines(state, columns: columns) {
        #expect(TerminalSafe(line).width <= max(1, columns - 1))
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
      }
    }
  }

  @Test func `a long workflow folds finished steps, then waiting steps, and fits the window`()
    throws
  {
    let ids = (0..<1000).map { "s\($0)" }
    let plan = RunPlan(workflow: "long", steps: ids.map { PlannedStep(id: $0) })
    var kinds: [Event.Kind] = []
    for id in ids.prefix(400) { kinds += started(id) + [.step(id, attempt: 1, .succeeded([:]))] }
    for id in ids[400..<405] { kinds += started(id) }
    let state = try state(kinds, plan: plan)
    let shown = lines(state, rows: 20)
    #expect(shown.count <= 19)
    #expect(shown[1] == "  400 steps finished")
    for id in ids[400..<405] { #expect(shown.contains { $0.contains(" \(id) ") }) }
    #expect(shown.contains { $0.hasSuffix("steps waiting") })
  }

  @Test func `a frame changes ten times a second while a step runs, and not while nothing moves`()
    throws
  {
    let running = try state(started("a") + started("b1"))
    let late = Timestamp(microseconds: 70_300_000)
    #expect(TreeView.nextChange(of: running, after: late) == .milliseconds(100))
    // Only the clock of the run goes on.
    let waiting = try state([.step("a", attempt: 0, .waiting)])
    #expect(TreeView.nextChange(of: waiting, after: late) == .milliseconds(700))
    let over = try state(
      ["a", "b1", "b2", "c"].map { .step($0, attempt: 0, .skipped("", [:])) }
        + [.runEnded(.succeeded)])
    #expect(TreeView.nextChange(of: over, after: late) == nil)
    #expect(TreeView.nextChange(of: RunState(), after: late) == nil)
  }

  @Test func `the clocks of steps that started together agree in every frame`() throws {
    let plan = RunPlan(
      workflow: "pair", steps: [PlannedStep(id: "a"), PlannedStep(id: "b")],
      outline: .parallel([.step(StepIndex(0)), .step(StepIndex(1))]))
    var state = RunState()
    let run = RunID()
    let kinds: [Event.Kind] = [.runStarted(plan)] + started("a") + started("b")
    for kind in kinds {
      try state.apply(
        Event(time: Timestamp(microseconds: 37_000), run: run, generation: 1, kind: kind))
    }
    for now in stride(from: Int64(40_000), to: 80_000_000, by: 61_000) {
      let rows = TreeView(
        state: state, now: Timestamp(microseconds: now),
        style: Style(hasColour: false, hasUnicode: true)
      ).lines(WindowSize(columns: 60, rows: 20)).map(\.string)
      let times = [rows[1], rows[2]].map { $0.split(separator: " ").last }
      #expect(times[0] == times[1], "\(rows)")
    }
  }

  @Test func `the output of a failed step is shown while the run goes on`() throws {
    let state = try state(
      started("b1") + [
        .step("b1", attempt: 1, .output(.standardError, text: "one\ntwo", isPartial: false)),
        .step("b1", attempt: 1, .failed(.exited(status: 2))),
      ] + started("b2"))
    let shown = lines(state)
    let failure = shown.firstIndex(of: "b1 failed: exited with status 2")
    #expect(failure.map { Array(shown[($0 + 1)...($0 + 2)]) } == ["│ one", "│ two"], "\(shown)")
    // In a small window, the failure is more than the steps.
    #expect(lines(state, rows: 6).contains("│ two"), "\(lines(state, rows: 6))")
  }

  @Test func `a step that takes much longer than usual is marked`() throws {
    let plan = RunPlan(
      workflow: "slow",
      steps: [PlannedStep(id: "a", usualSeconds: 2), PlannedStep(id: "b", usualSeconds: 7)])
    let shown = lines(try state(started("a") + started("b"), plan: plan), columns: 80)
    #expect(shown[1].contains("usually 2.0s"))
    #expect(!shown[2].contains("usually"))
  }

  @Test func `the rows around the chosen step are shown, and it is marked`() throws {
    let plan = RunPlan(workflow: "long", steps: (0..<1000).map { PlannedStep(id: "s\($0)") })
    var options = TreeView.Options(hasKeys: false)
    options.chosen = "s500"
    let shown = lines(try state([], plan: plan), rows: 12, options: options)
    #expect(shown.contains("❯ · s500"))
    #expect(shown.contains("  · s499") && shown.contains("  · s501"))
    #expect(shown[1] == "  497 above" && shown.contains("  496 below"), "\(shown)")
    for position in [0, 1, 998, 999] {
      options.chosen = "s\(position)"
      let shown = lines(try state([], plan: plan), rows: 12, options: options)
      #expect(shown.contains("❯ · s\(position)"))
      #expect(shown.count <= 11)
    }
  }

  @Test func `the last row says how the run has ended`() throws {
    let all = ["a", "b1", "b2", "c"]
    let run = all.flatMap { started($0) + [.step($0, attempt: 1, .succeeded([:]))] }
    let state = try state(run + [.runEnded(.succeeded)])
    let id = try #require(state.run)
    #expect(lines(state).last == "succeeded  4 of 4 done   13.0s   run \(id)")
  }

  @Test func `colours are used only if enabled`() throws {
    let state = try state(started("a"))
    #expect(lines(state, colour: true).joined().contains("\u{1B}["))
    #expect(!lines(state, colour: false).joined().contains("\u{1B}"))
    #expect(Style(environment: ["TERM": "xterm", "NO_COLOR": "1"]).hasColour == false)
    #expect(Style(environment: ["TERM": "dumb"]).hasColour == false)
    #expect(Style(environment: ["TERM": "xterm", "LANG": "en_US.UTF-8"]).hasUnicode)
  }
}
