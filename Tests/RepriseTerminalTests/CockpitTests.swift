// What keys do: choosing a step, questions before anything is stopped, and requests.

import Reprise
import Testing
import Workflows

@testable import RepriseTerminal

struct CockpitTests {
  private typealias Effect = Cockpit.Effect

  private static let plan = RunPlan(
    workflow: "demo",
    steps: [
      PlannedStep(id: "a"), PlannedStep(id: "b", needs: ["a"]),
      PlannedStep(id: "t[0]", needs: ["b"]),
      PlannedStep(id: "t[1]", needs: ["b"]), PlannedStep(id: "c", needs: ["t[0]", "t[1]"]),
    ],
    outline: .sequence([
      .step(StepIndex(0)), .step(StepIndex(1)),
      .group("t", .parallel([.step(StepIndex(2)), .step(StepIndex(3))])), .step(StepIndex(4)),
    ]))

  private func context(_ kinds: [Event.Kind] = []) throws -> Cockpit.Context {
    var state = RunState()
    let run = RunID()
    for (second, kind) in ([.runStarted(Self.plan)] + kinds).enumerated() {
      try state.apply(
        Event(
          time: Timestamp(microseconds: Int64(second) * 1_000_000), run: run, generation: 1,
          kind: kind))
    }
    let rows = treeRows(Self.plan.outline, Style(hasColour: false, hasUnicode: true))
    return Cockpit.Context(run: state, rows: rows)
  }

  private func run(_ id: String) -> [Event.Kind] {
    [.step(id, attempt: 0, .waiting), .step(id, attempt: 1, .started())]
  }

  /// Presses keys and returns the last effect.
  @discardableResult
  private func press(_ keys: [Key], _ cockpit: inout Cockpit, _ context: Cockpit.Context) -> Effect?
  {
    keys.reduce(Effect?.none) { _, key in cockpit.press(key, context) }
  }

  @Test func `arrow keys choose steps and groups, and stop at the ends`() throws {
    let context = try context()
    var cockpit = Cockpit()
    var chosen: [String?] = []
    for _ in 0..<7 {
      _ = cockpit.press(.down, context)
      chosen.append(cockpit.chosen)
    }
    #expect(chosen == ["a", "b", "t", "t[0]", "t[1]", "c", "c"])
    press([.home, .up], &cockpit, context)
    #expect(cockpit.chosen == "a")
    press([.escape], &cockpit, context)
    #expect(cockpit.chosen == nil)
  }

  @Test(arguments: [
    ("r", Intervention.restart(from: [])), ("c", .cancel(steps: [], now: false)),
    ("R", .restart(from: ["b"])), ("O", .restartServices(["b"])),
    ("C", .cancel(steps: ["b"], now: false)),
    ("D", .set(steps: ["b"], .succeeded([:]))), ("S", .set(steps: ["b"], .skipped)), ("p", .pause),
  ])
  func `a key that stops something asks once`(
    _ key: String, _ intervention: Intervention
  ) throws {
    let context = try context(run("a") + [.step("a", attempt: 1, .succeeded([:]))] + run("b"))
    var cockpit = Cockpit()
    #expect(press([.character(Character(key))], &cockpit, context) == nil)
    #expect(cockpit.question?.text.string.hasSuffix("?") == true)
    #expect(press(["y"], &cockpit, context) == .request(intervention, key: key))
    #expect(cockpit.question == nil)

    #expect(press([.character(Character(key)), "n"], &cockpit, context) == nil)
    #expect(cockpit.notice == "nothing was done" && cockpit.question == nil)
  }

  @Test func `text that is typed or pasted into the wrong window stops nothing`() throws {
    let context = try context(run("a"))
    for line in ["clear", "cd src", "echo hello", "cat x | sort", "reprise run deploy"] {
      var cockpit = Cockpit()
      let effects = line.compactMap { cockpit.press(.character($0), context) }
      #expect(
        effects.allSatisfy { [.edit(step: "a"), .page(step: "a"), .previewReload].contains($0) },
        "\(line): \(effects)")
    }
    var cockpit = Cockpit()
    #expect(press(["c", .pasted, "y"], &cockpit, context) == nil)
  }

  @Test func `the question names the steps that run again`() throws {
    let context = try context(run("a"))
    var cockpit = Cockpit()
    press([.end, "R"], &cockpit, context)
    #expect(cockpit.question?.text == "restart c?")
    press(["n", .up, "R"], &cockpit, context)
    #expect(cockpit.question?.text == "restart t[1] and c, which needs it?")
    press(["n", .home, "R"], &cockpit, context)
    #expect(cockpit.question?.text == "restart a and the 4 steps that depend on it?")
  }

  @Test func `while a run is cancelled, c asks to kill and other keys say why they do nothing`()
    throws
  {
    let context = try context(run("a") + [.runCancelling(.request)])
    var cockpit = Cockpit()
    #expect(
      press(["c", "y"], &cockpit, context)
        == .request(.cancel(steps: [], now: true), key: "c"))
    for key: Key in ["r", "R", "C", "D", "S", "p"] {
      #expect(press([key, "y"], &cockpit, context) == nil)
      _ = cockpit.press(key, context)
      #expect(cockpit.notice == "the run is being cancelled and can no longer be restarted")
    }
  }

  @Test func `an approval is answered only if it is clear which one is meant`() throws {
    let asking = ["t[0]", "t[1]"].flatMap {
      [.step($0, attempt: 0, .waiting), .step($0, attempt: 0, .awaitingApproval("ship \($0)?"))]
        as [Event.Kind]
    }
    let one = try context(Array(asking.prefix(2)))
    var cockpit = Cockpit()
    press(["a"], &cockpit, one)
    #expect(cockpit.question?.text == "approve t[0]: ship t[0]?")
    #expect(
      press(["y"], &cockpit, one) == .request(.approve(step: "t[0]", isApproved: true), key: "a"))

    let two = try context(asking)
    cockpit = Cockpit()
    press(["x"], &cockpit, two)
    #expect(cockpit.question == nil && cockpit.notice?.string.hasPrefix("2 steps wait") == true)
    press([.down, .down], &cockpit, two)
    #expect(
      press(["x", "y"], &cockpit, two)
        == .request(.approve(step: "t[1]", isApproved: false), key: "x"))
    #expect(
      press(["a"], &cockpit, try context()) == nil && cockpit.notice == "no step waits for approval"
    )
  }

  @Test func `Enter opens the log of the chosen step, and Esc closes it`() throws {
    let context = try context(run("a"))
    var cockpit = Cockpit()
    press([.enter], &cockpit, context)
    #expect(cockpit.view == .log(step: "a"))
    #expect(press(["f"], &cockpit, context) == .scroll(.follow))
    #expect(press(["R", "y"], &cockpit, context) == .request(.restart(from: ["a"]), key: "R"))
    press([.escape], &cockpit, context)
    #expect(cockpit.view == .tree)
    press([.escape, .down, .down, .down, .enter], &cockpit, context)
    #expect(cockpit.view == .tree && cockpit.notice == "t is a group: choose one of its steps")
  }

  @Test func `after the end, keys resume, restart or quit`() throws {
    let steps = ["a", "b", "t[0]", "t[1]", "c"]
    let over = try context(
      run("a") + [.step("a", attempt: 1, .failed(.exited(status: 1)))]
        + steps.dropFirst().map { .step($0, attempt: 0, .cancelled(.failure(ofStep: "a"))) }
        + [.runEnded(.failed(step: "a", reason: .exited(status: 1)))])
    var cockpit = Cockpit()
    #expect(press(["r", "y"], &cockpit, over) == .leave(.resume))
    #expect(press(["R", "y"], &cockpit, over) == .leave(.restart(from: "a")))
    #expect(press(["D", "y"], &cockpit, over) == .leave(.set(step: "a", .succeeded([:]))))
    #expect(press(["S", "y"], &cockpit, over) == .leave(.set(step: "a", .skipped)))
    #expect(press(["q"], &cockpit, over) == .leave(.quit))
    #expect(press(["c"], &cockpit, over) == nil && cockpit.notice == "the run is over")
    #expect(press(["q"], &cockpit, try context(run("a"))) == nil)
  }

  @Test func `q asks before it leaves a run that can go on in the background`() throws {
    var context = try context(run("a"))
    context.canDepart = true
    var cockpit = Cockpit()
    #expect(press(["q"], &cockpit, context) == nil)
    #expect(cockpit.question?.text == "leave the run in the background?")
    #expect(press(["n"], &cockpit, context) == nil && cockpit.question == nil)
    #expect(press(["q", "y"], &cockpit, context) == .depart)
    context.canDepart = false
    #expect(press(["q"], &cockpit, context) == nil && cockpit.question == nil)
    #expect(cockpit.notice == "the run goes on: c cancels it")
  }

  @Test func `a click chooses the step in the row that was clicked`() throws {
    var context = try context(run("a"))
    context.targets = [1: "a", 2: "b"]
    context.frameRows = 8
    var cockpit = Cockpit()
    #expect(cockpit.press(.click(column: 3, row: 14), context) == .findCursor)
    // The frame begins eight rows above the cursor.
    #expect(cockpit.press(.cursor(column: 1, row: 20), context) == nil)
    #expect(cockpit.chosen == "b")
  }

  // MARK: Finding steps, and values of approvals

  @Test func `a step is found by a part of its name while it is typed`() throws {
    let context = try context()
    var cockpit = Cockpit()
    press(["/", "t", "["], &cockpit, context)
    #expect(cockpit.chosen == "t[0]")
    press([.enter, "n"], &cockpit, context)
    #expect(cockpit.chosen == "t[1]")
    #expect(cockpit.notice == "2 of 2")
    press(["n"], &cockpit, context)
    #expect(cockpit.chosen == "t[0]")
    press(["N"], &cockpit, context)
    #expect(cockpit.chosen == "t[1]")
    press(["/", "c", .escape], &cockpit, context)
    #expect(cockpit.chosen == "t[1]")
    press(["/", "z"], &cockpit, context)
    #expect(cockpit.notice?.string.contains("no step has this") == true)
  }

  @Test func `the values of an approval are typed and chosen in a form`() throws {
    var plan = Self.plan
    plan.steps[0].approvalValues = [
      PlannedValue(Parameter(name: "reason")),
      PlannedValue(
        Parameter(name: "channel", kind: .choice(["beta", "stable"]), defaultValue: .text("beta"))),
    ]
    var context = try context()
    var state = RunState()
    for kind: Event.Kind in [
      .runStarted(plan), .step("a", attempt: 0, .waiting),
      .step("a", attempt: 0, .awaitingApproval("Go?")),
    ] {
      try state.apply(
        Event(time: Timestamp(microseconds: 0), run: RunID(), generation: 1, kind: kind))
    }
    context.run = state
    var cockpit = Cockpit()
    // A required value cannot be left out.
    press(["a", .enter, .enter], &cockpit, context)
    #expect(cockpit.form != nil && cockpit.question == nil)
    press(["h", "o", "t", .backspace, "t", .enter, .right, .left, "2", .enter], &cockpit, context)
    #expect(cockpit.question?.text == "approve a with channel=stable, reason=hot?")
    let values = ["reason": "hot", "channel": "stable"]
    #expect(
      press(["y"], &cockpit, context)
        == .request(.approve(step: "a", isApproved: true, values: values), key: "a"))
    press(["a", .escape], &cockpit, context)
    #expect(cockpit.form == nil && cockpit.question == nil)
    // Rejecting asks for nothing.
    press(["x"], &cockpit, context)
    #expect(cockpit.question != nil)
  }

  @Test func `u after the end shows what the file would change`() throws {
    let failed = FailureReason.exited(status: 1)
    let others = ["b", "t[0]", "t[1]", "c"].map {
      Event.Kind.step($0, attempt: 0, .cancelled(.failure(ofStep: "a")))
    }
    let context = try context(
      run("a") + [.step("a", attempt: 1, .failed(failed))] + others
        + [.runEnded(.failed(step: "a", reason: failed))])
    var cockpit = Cockpit()
    #expect(press(["u"], &cockpit, context) == .previewReload)
  }
}
