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
    [.step(id, attempt: 0, .ready), .step(id, attempt: 1, .started)]
  }

  private func lines(
    _ state: RunState, columns: Int = 60, rows: Int = 20, unicode: Bool = true,
    colour: Bool = false, options: TreeView.Options = TreeView.Options(hasKeys: false)
  ) -> [String] {
    TreeView(
      state: state, now: Timestamp(microseconds: 10_000_000),
      style: Style(hasColour: colour, hasUnicode: unicode), options: options
    ).lines(TreeView.Size(columns: columns, rows: rows)).map { line in
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
        "  ├ ⠴ b1       5s  two",
        "  └ · b2",
        "  · c",
        "1 of 4 done · 1 running   10s",
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
        "  |-/ b1       5s",
        "  `-. b2",
        "  / c              cancelled because step \"a\" failed",
        "1 of 4 done, 1 running, 1 failed, 1 cancelled   10s",
      ])
  }

  @Test func `a restart shows its generation and the steps that it waits for`() throws {
    let waiting = try state(started("a") + [.runRestarting(from: nil)])
    #expect(lines(waiting).first == "demo  restarting: waiting for a, 7s")
    let again = try state([.runRestarting(from: nil), .generationStarted(reset: nil)])
    #expect(lines(again).first == "demo  generation 2")
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
        "  ▸ t               0 of 2 done",
        "  ├ ○ [0] linux, 5     1.0s  skipped: up to date",
        "  └ ⠴ [1] mac, 6         5s",
        "  ✖ use             1 of 2 done",
        "  ┌ · use/a",
        "  └ ✖ use/b            1.0s  was not approved; the run continues",
        "1 of 4 done · 1 running · 1 failed · 1 skipped   10s",
      ])
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
    #expect(lines(state, columns: 40)[1] == "  ✖ a-step-with-qui…     1.0s  exited …")
    #expect(lines(state, columns: 120)[1].hasSuffix("exited with status 2"))
    // Folded steps take no space from the visible ones.
    let folded = RunPlan(
      workflow: "folded",
      steps: (0..<30).map { PlannedStep(id: $0 == 0 ? long : "s\($0)") })
    let ended = try self.state(
      started(long) + [.step(long, attempt: 1, .succeeded([:]))] + started("s1"), plan: folded)
    #expect(lines(ended, rows: 10).contains("  ⠴ s1       5s"))
  }

  @Test func `a refused key shows the reason`() throws {
    var options = TreeView.Options()
    options.refusal = "the run is being cancelled"
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
        "  ⠇ told        8s  ━━━━━━━───  70%  compiling",
        "  ⠴ usual       5s  ━━━━──────≈ 41%",
        "  ⠸ late        3s  ━━━━━━━━━─≈ 95%",
        "  ⠙ quick       1s",
        "0 of 4 done · 4 running   10s",
      ])
  }

  @Test func `a step that waits for approval is shown with its keys`() throws {
    let state = try state([
      .step("a", attempt: 0, .ready), .step("a", attempt: 0, .waiting("Ship \u{1B}[31mit?")),
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
        .step("gate", attempt: 0, .ready), .step("gate", attempt: 0, .waiting("Really?")),
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
      .step("a", attempt: 0, .ready), .step("a", attempt: 0, .waiting(question)),
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

  @Test func `the view does not change for a whole second without events`() throws {
    let state = try state(started("a") + started("b1"))
    func picture(at microseconds: Int64) -> [TerminalSafe] {
      let now = Timestamp(microseconds: microseconds)
      return TreeView(
        state: state, now: TreeView.second(of: state, at: now).beginning,
        style: Style(hasColour: true, hasUnicode: true), options: TreeView.Options()
      ).lines(TreeView.Size(columns: 60, rows: 20))
    }
    #expect(picture(at: 9_000_000) == picture(at: 9_999_999))
    #expect(picture(at: 9_999_999) != picture(at: 10_000_000))
    let (_, untilNext) = TreeView.second(of: state, at: Timestamp(microseconds: 9_900_000))
    #expect(untilNext == .milliseconds(100))
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

struct PlainLogTests {
  @Test func `events that a late subscriber has missed are marked`() throws {
    let run = try #require(RunID("abc"))
    let kinds: [Event.Kind] = [
      .runStarted(RunPlan(workflow: "w", steps: [PlannedStep(id: "a")])),
      .step("a", attempt: 0, .ready), .step("a", attempt: 1, .started),
      .step("a", attempt: 1, .output(.standardOutput, text: "x", isPartial: false)),
      .step("a", attempt: 1, .succeeded([:])),
    ]
    func text(joinedAt seconds: Int64?) -> String {
      let joinedAt = seconds.map { Timestamp(microseconds: $0 * 1_000_000) }
      var log = PlainLog(style: Style(hasColour: false, hasUnicode: true), joinedAt: joinedAt) {
        _ in
        .zero
      }
      return kinds.enumerated().map { second, kind in
        let time = Timestamp(microseconds: Int64(second) * 1_000_000)
        return log.text(for: Event(time: time, run: run, generation: 1, kind: kind)).string
      }.joined()
    }
    let lines = [
      "00:00:00.000 run abc of w started: 1 step", "00:00:02.000 a started", "00:00:03.000 a │ x",
      "00:00:04.000 a succeeded after 2.0 s",
    ]
    #expect(text(joinedAt: nil) == lines.map { $0 + "\n" }.joined())
    #expect(text(joinedAt: 0) == text(joinedAt: nil))
    var marked = lines
    marked.insert("new events:", at: 2)
    marked.insert("earlier events:", at: 0)
    #expect(text(joinedAt: 3) == marked.map { $0 + "\n" }.joined())
  }

  @Test func `transitions and lines are shown with their times`() throws {
    var log = PlainLog(style: Style(hasColour: false, hasUnicode: true)) { _ in .seconds(3600) }
    let run = try #require(RunID("abc"))
    let plan = RunPlan(workflow: "w", steps: [PlannedStep(id: "a")])
    let kinds: [Event.Kind] = [
      .runStarted(plan), .step("a", attempt: 0, .ready), .step("a", attempt: 1, .started),
      .step("a", attempt: 1, .output(.standardError, text: "x\n\u{1B}[2Jy", isPartial: false)),
      .step("a", attempt: 1, .output(.standardOutput, text: "50%", isPartial: true)),
      .step("a", attempt: 1, .failed(.signalled(signal: 9))),
      .runEnded(.failed(step: "a", reason: .signalled(signal: 9))),
    ]
    var lines: [TerminalSafe] = []
    for (second, kind) in kinds.enumerated() {
      let time = Timestamp(microseconds: Int64(second) * 1_000_000)
      lines += log.lines(for: Event(time: time, run: run, generation: 1, kind: kind))
      if second == 2 {
        #expect(log.heartbeat(at: time)?.string.hasSuffix("still running: a (0 ms)") == true)
      }
    }
    #expect(
      lines == [
        "01:00:00.000 run abc of w started: 1 step",
        "01:00:02.000 a started",
        "01:00:03.000 a │ x", "01:00:03.000 a │ y",
        "01:00:05.000 a failed after 3.0 s: terminated by SIGKILL (9)",
        "01:00:06.000 run failed after 6.0 s, first at a",
      ])
  }
}
