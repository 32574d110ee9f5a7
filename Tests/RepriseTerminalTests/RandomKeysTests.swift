// The display under random keys, sizes and events: it may never end a run.

import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseTerminal

struct RandomKeysTests {
  private static let roundCount =
    ProcessInfo.processInfo.environment["REPRISE_TEST_SCALE"].flatMap(Int.init) == nil ? 60 : 20

  private static let keys: [Key] =
    [
      .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .enter, .escape, .tab, .backspace,
      .wheelUp, .wheelDown, .pasted, "?", "?", "?", "y",
    ] + KeyBinding.table.flatMap(\.keys)
    + ["é", "漢", "😀"].map { .character($0) }

  private static let texts = [
    "", "plain", "漢字 and 😀 and e\u{301}", String(repeating: "long ", count: 400),
    "one\ntwo\n\nfour", "\u{1B}[31mred\u{1B}[0m", "\t\u{0}\u{202E}",
  ]

  /// A display with a run, which both change at random.
  private struct Trial {
    var generator: SeededGenerator
    var window: DisplayWindow
    var state = RunState()
    var events: [Event] = []
    let ids: [String]
    let run = RunID()
    var microseconds: Int64 = 1_700_000_000_000_000

    init(_ generator: SeededGenerator, _ folder: String) {
      self.generator = generator
      let count = [0, 1, 3, 40].randomElement(using: &self.generator) ?? 1
      ids = (0..<count).map { $0 % 7 == 3 ? "漢字\($0)" : "step-\($0)" }
      let hasLogs = Bool.random(using: &self.generator)
      let style = Style(
        hasColour: Bool.random(using: &self.generator),
        hasUnicode: Bool.random(using: &self.generator))
      let logs: @Sendable (RunID, String) -> [StepLog] = { _, _ in
        ["log", "none", "log"].enumerated().map { number, name in
          let file = StepLog.File(offset: 0, path: folder + "/" + name)
          return StepLog(generation: 1, attempt: number + 1, files: [file])
        }
      }
      window = DisplayWindow(style: style, hasKeys: true, logs: hasLogs ? logs : nil)
    }

    mutating func pick<Value>(_ values: [Value]) -> Value {
      values[Int.random(in: values.indices, using: &generator)]
    }

    mutating func happen(_ kind: Event.Kind) {
      // Also backwards, as when the clock is set.
      microseconds += pick([0, 1, 999, 1_000_000, 86_400_000_000, -5_000_000])
      let event = Event(
        time: Timestamp(microseconds: microseconds), run: run,
        generation: max(1, state.generation), kind: kind)
      guard (try? state.apply(event)) != nil else { return }
      window.history.apply(event)
      events.append(event)
    }

    mutating func stepEvent() -> Event.StepEvent {
      let text = pick(RandomKeysTests.texts)
      return pick([
        .waiting, .started(), .started(on: text), .awaitingApproval(text), .approved([:]),
        .cancelling,
        .output(.standardOutput, text: text, isPartial: false),
        .progress(pick([0, 0.5, 1, 7, -1]), text),
        .succeeded([:]), .failed(.exited(status: 1)), .skipped(SkipReason(text), [:]),
        .cancelled(.request),
        .retrying(.exited(status: 2), after: .seconds(3)),
        .pausing(until: Timestamp(microseconds: microseconds + 10)),
      ])
    }

    mutating func change() {
      switch Int.random(in: 0..<20, using: &generator) {
      case 0: happen(.runPaused)
      case 1: happen(.runUnpaused)
      case 2: happen(.runCancelling(.request))
      case 3: happen(.runEnded(pick([.succeeded, .cancelled, .skipped("")])))
      case 4: happen(.generationStarted(reset: nil))
      default:
        guard !ids.isEmpty else { return }
        // In the order of a real run more often than at random.
        let id = pick(ids)
        happen(.step(id, attempt: 0, .waiting))
        happen(.step(id, attempt: 1, .started()))
        let event = stepEvent()
        happen(.step(id, attempt: 1, event))
      }
    }

    mutating func size() -> WindowSize {
      let small = Bool.random(using: &generator)
      return WindowSize(
        columns: Int.random(in: 1...(small ? 12 : 300), using: &generator),
        rows: Int.random(in: 1...(small ? 6 : 100), using: &generator))
    }

    mutating func key(_ size: WindowSize) -> Key {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: .click(column: pick([0, 1, 65535]), row: Int.random(in: 0...110, using: &generator))
      case 1: .cursor(column: 1, row: pick([0, 1, size.rows, 65535]))
      default: pick(RandomKeysTests.keys)
      }
    }

    mutating func draw(_ size: WindowSize) -> TerminalSafe {
      let now = Timestamp(microseconds: microseconds + pick([0, 1, 3_600_000_000, -1_000_000]))
      var watch: WatchStatus?
      if Bool.random(using: &generator) {
        watch = WatchStatus(workflow: "w", triggers: RandomKeysTests.texts)
      }
      _ = window.nextChange(of: state, after: now)
      return window.draw(state, watch, at: now, size)
    }
  }

  @Test func `no key, size or moment ends the display`() async throws {
    var seeds = SeededGenerator.announced()
    let folder = try TemporaryFolder()
    try folder.write("log", (0..<3000).map { "line \($0) error 漢字\n" }.joined().utf8)
    var drawn = 0
    for round in 0..<Self.roundCount {
      var trial = Trial(SeededGenerator(seed: seeds.next()), folder.path)
      if round % 5 > 0 {
        let ids = trial.ids
        let outline = Outline.parallel(ids.indices.map { .step(StepIndex($0)) })
        let plan = RunPlan(
          workflow: trial.pick(Self.texts), steps: ids.map { PlannedStep(id: $0) },
          outline: trial.pick([outline, .sequence([.group("g", outline)])]))
        trial.happen(.runStarted(plan))
      }
      var size = trial.size()
      for _ in 0..<120 {
        if trial.pick([true, false, false]) { size = trial.size() }
        trial.change()
        let key = trial.key(size)
        let effect = trial.window.press(
          key, trial.state, hasWatch: trial.pick([true, false]),
          controls: DisplayControls(outputClosed: {}), size
        ).0
        if case .previewReload? = effect { trial.window.ask("reload?", .reload) }
        if trial.pick([true, false, false, false]) {
          trial.window.notify(TerminalSafe(trial.pick(Self.texts)))
        }
        let text = trial.draw(size)
        drawn += text.isEmpty ? 0 : 1
        switch Int.random(in: 0..<30, using: &trial.generator) {
        case 0: _ = trial.window.clear()
        case 1: _ = trial.window.suspend(keepsRows: trial.pick([true, false]))
        case 2: trial.window.beginRun()
        case 3: _ = trial.window.stream((trial.events.suffix(9), trial.pick([0, 7])), size)
        default: break
        }
      }
      let now = Timestamp(microseconds: trial.microseconds)
      _ = trial.window.lastFrame(of: trial.state, at: now, trial.size(), true)
    }
    #expect(drawn > 20 * Self.roundCount)
  }

  @Test func `help over a pane in a window of one to three rows is cut`() throws {
    for rows in 1...4 {
      for pane: Key in [.enter, "g", "t"] {
        var trial = Trial(SeededGenerator(seed: 3), "/nowhere")
        trial.happen(
          .runStarted(
            RunPlan(
              workflow: "w", steps: [PlannedStep(id: "a")], outline: .step(StepIndex(0)))))
        trial.happen(.step("a", attempt: 0, .waiting))
        trial.happen(.step("a", attempt: 1, .started()))
        let controls = DisplayControls(outputClosed: {})
        for key: Key in [pane, "?"] {
          let size = WindowSize(columns: 80, rows: rows)
          _ = trial.window.press(key, trial.state, hasWatch: false, controls: controls, size)
        }
        let text = trial.draw(WindowSize(columns: 80, rows: rows))
        #expect(!text.isEmpty)
      }
    }
  }

  @Test func `positions that no terminal has are no keys`() {
    var decoder = KeyDecoder()
    for text in [
      "\u{1B}[-9223372036854775808;1R", "\u{1B}[9223372036854775807;1R",
      "\u{1B}[<0;1;-9223372036854775808M", "\u{1B}[<0;99999;1M",
    ] { #expect(decoder.decode(text.utf8).isEmpty, "\(text.dropFirst())") }
    #expect(decoder.decode("\u{1B}[7;65535R".utf8) == [.cursor(column: 65535, row: 7)])
  }
}
