// The display in windows that are small, narrow or resized.

import Reprise
import Testing

@testable import RepriseTerminal

struct SmallWindowTests {
  private static let question = "Ship version 7 to all customers now?"

  private let style = Style(hasColour: false, hasUnicode: true)

  /// Returns the state of a run of 40 steps: one asks, one fails, one runs.
  private func state(_ more: [Event.Kind] = []) throws -> RunState {
    let ids = (1...37).map { "s\($0)" } + ["gate", "broken", "slow"]
    let plan = RunPlan(
      workflow: "small", steps: ids.map { PlannedStep(id: $0) },
      outline: .parallel(ids.indices.map { .step(StepIndex($0)) }))
    let kinds: [Event.Kind] = [
      .step("gate", attempt: 0, .waiting),
      .step("gate", attempt: 0, .awaitingApproval(Self.question)),
      .step("broken", attempt: 0, .waiting), .step("broken", attempt: 1, .started()),
      .step("broken", attempt: 1, .failed(.exited(status: 2))),
      .step("slow", attempt: 0, .waiting), .step("slow", attempt: 1, .started()),
    ]
    var state = RunState()
    let run = RunID()
    for (second, kind) in ([.runStarted(plan)] + kinds + more).enumerated() {
      try state.apply(
        Event(
          time: Timestamp(microseconds: Int64(second) * 1_000_000), run: run, generation: 1,
          kind: kind))
    }
    return state
  }

  private func frame(
    _ state: RunState, _ size: WindowSize, _ options: TreeView.Options = TreeView.Options()
  ) -> [String] {
    TreeView(
      state: state, now: Timestamp(microseconds: 12_000_000), style: style, options: options
    ).lines(size).map { line in String(line.string.reversed().drop { $0 == " " }.reversed()) }
  }

  @Test func `every frame leaves a row for the cursor, and shows the time of the run`() throws {
    var all: [TreeView.Options] = []
    for chosen in [nil, "s3", "gate"] {
      for helpPage in 0...1 {
        for notice: TerminalSafe? in [nil, "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight"] {
          var options = TreeView.Options()
          (options.chosen, options.helpPage, options.notice) = (chosen, helpPage, notice)
          all.append(options)
          options.question = "restart broken and the 17 steps that depend on it?"
          all.append(options)
        }
      }
    }
    let state = try state()
    for options in all {
      for rows in 2...30 {
        for columns in [30, 40, 80] {
          let shown = frame(state, WindowSize(columns: columns, rows: rows), options)
          #expect(shown.count < rows, "\(columns)x\(rows): \(shown)")
          if options.question != nil { #expect(shown.contains { $0.contains("y/n") }) }
          guard rows >= 6, columns >= 40 else { continue }
          #expect(shown.contains { $0.hasPrefix("0 of 40 done") || $0.contains(" 0 of 40 done") })
          #expect(shown.contains { $0.hasSuffix("   12s") }, "\(columns)x\(rows): \(shown)")
        }
      }
    }
  }

  @Test func `the question of an approval is shown wherever the tree is scrolled`() throws {
    let state = try state()
    var options = TreeView.Options()
    for chosen in [nil, "s1", "gate", "slow"] {
      options.chosen = chosen
      for size in [WindowSize(columns: 40, rows: 10), WindowSize(columns: 200, rows: 20)] {
        let shown = frame(state, size, options).joined().replacing(" ", with: "")
        #expect(shown.contains(Self.question.replacing(" ", with: "")), "\(shown)")
      }
    }
  }

  @Test func `the outcome and the time are more important than the numbers`() throws {
    let ended = (1...37).map { Event.Kind.step("s\($0)", attempt: 0, .cancelled(.request)) }
    let rest: [Event.Kind] = ["gate", "slow"].map { .step($0, attempt: 0, .cancelled(.request)) }
    let over = try state(ended + rest + [.runEnded(.cancelled)])
    let last = try #require(
      frame(over, WindowSize(columns: 40, rows: 10)).last { $0.contains("done") })
    #expect(last == "cancelled  0 of 40 done   47.0s")
  }

  @Test func `a narrow window shows when a stopping step is killed`() throws {
    let stopping = try state([.runCancelling(.request)])
    #expect(
      frame(stopping, WindowSize(columns: 40, rows: 10))[0]
        == "small  cancelling, killed in 6s: gate,…")
  }

  @Test func `the help has pages if it does not fit`() throws {
    let state = try state()
    var options = TreeView.Options()
    var seen = ""
    for page in 1...30 {
      options.helpPage = page
      let view = TreeView(
        state: state, now: Timestamp(microseconds: 0), style: style, options: options)
      let frame = view.frame(
        WindowSize(columns: 40, rows: 10), treeRows(state.plan?.outline ?? .sequence([]), style))
      seen += frame.rows.map(\.string).joined(separator: "\n")
      if page == frame.helpPages { break }
    }
    for binding in KeyBinding.table where binding.place == .steps {
      #expect(seen.contains(binding.help), "\(binding.help)")
    }
  }

  @Test func `the help has no rows without room, as over a pane in a small window`() throws {
    var options = TreeView.Options()
    options.helpPage = 1
    let view = TreeView(
      state: try state(), now: Timestamp(microseconds: 0), style: style, options: options)
    for room in -2...0 {
      #expect(view.helpRows([.steps], columns: 40, room: room).rows.isEmpty, "\(room)")
    }
    #expect(view.helpRows([.steps], columns: 40, room: 1).rows.count == 1)
  }

  @Test func `a resize while a pane is open leaves no old rows when it is closed`() throws {
    let state = try state()
    var window = DisplayWindow(style: style, hasKeys: true, logs: nil)
    let controls = DisplayControls(outputClosed: {})
    let (large, narrow) = (WindowSize(columns: 80, rows: 24), WindowSize(columns: 40, rows: 24))
    let now = Timestamp(microseconds: 0)
    _ = window.draw(state, nil, at: now, large)
    _ = window.press("g", state, hasWatch: false, controls: controls, large)
    _ = window.draw(state, nil, at: now, large)
    _ = window.draw(state, nil, at: now, narrow)
    let closing = window.press(.escape, state, hasWatch: false, controls: controls, narrow).1
    let text = window.draw(state, nil, at: now, narrow).string
    #expect(closing.string.contains("\u{1B}[?1049l"))
    // The rows above the cursor are cleared before others are written.
    #expect(
      text.firstRange(of: "\u{1B}[J").map { !text[..<$0.lowerBound].contains("small") } == true)
  }
}
