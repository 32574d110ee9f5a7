// The list of runs: what its keys do, and what its rows say in windows of any size.

import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseTerminal

struct RunsListTests {
  private static let style = Style(hasColour: false, hasUnicode: true)

  private static func entry(
    _ id: String, _ workflow: String = "build", state: String = "running",
    _ standing: RunEntry.Standing = .running, isLive: Bool = true, activity: String = ""
  ) -> RunEntry {
    RunEntry(
      id: id, workflow: workflow, state: state, standing: standing, isLive: isLive,
      requested: "2026-11-28 12:00:00", took: "1.2 s", activity: activity)
  }

  private static let entries = [
    entry("r4", activity: "3 of 9  compile"), entry("r3", "Deploy", state: "paused", .paused),
    entry("r2", state: "failed", .failed, isLive: false),
    entry("r1", state: "succeeded", .succeeded, isLive: false),
  ]

  private func list() -> RunsList {
    var list = RunsList()
    list.update(Self.entries)
    return list
  }

  @discardableResult
  private func press(_ keys: [Key], _ list: inout RunsList) -> RunsList.Effect? {
    keys.reduce(RunsList.Effect?.none) { _, key in list.press(key, pageRows: 2, helpPages: 1) }
  }

  @Test func `arrow keys choose runs and stop at the ends, and windows are two rows high here`() {
    var list = list()
    #expect(list.chosen == "r4")
    press([.down], &list)
    #expect(list.chosen == "r3")
    press([.pageDown], &list)
    #expect(list.chosen == "r1")
    press([.down, .down], &list)
    #expect(list.chosen == "r1")
    press([.pageUp, .up, .up, "k"], &list)
    #expect(list.chosen == "r4")
    press([.end], &list)
    #expect(list.chosen == "r1")
    press([.home, "j"], &list)
    #expect(list.chosen == "r3")
  }

  @Test func `the choice stays with its run when others come and go`() {
    var list = list()
    press([.down], &list)
    list.update([Self.entry("r5")] + Self.entries)
    #expect(list.chosen == "r3")
    list.update(Self.entries.filter { $0.id != "r3" })
    #expect(list.chosen == "r4")
    list.update([])
    #expect(list.chosen == nil && press([.enter], &list) == nil)
  }

  @Test func `Enter opens the chosen run, and q leaves the list`() {
    var list = list()
    #expect(press([.down, .enter], &list) == .open("r3"))
    #expect(press(["q"], &list) == .leave)
  }

  @Test func `what is typed after a slash is searched in what the rows say, keys included`() {
    var list = list()
    press(["/", "d", "e", "p"], &list)
    #expect(list.shown.map(\.id) == ["r3"] && list.chosen == "r3")
    press([.enter], &list)
    #expect(press([.enter], &list) == .open("r3"))
    press([.escape], &list)
    #expect(list.shown.count == 4 && list.chosen == "r3")
    press(["/", "c", "o", "m", "p", "q"], &list)
    #expect(list.shown.isEmpty && list.notice == "no run has \"compq\" in its words")
    press([.backspace, .backspace], &list)
    #expect(list.shown.map(\.id) == ["r4"])
    press([.escape], &list)
    press(["/", "B"], &list)
    #expect(list.shown.isEmpty, "a capital is searched as it is")
  }

  @Test func `what stops something is asked first, and only y confirms`() {
    var list = list()
    press(["c"], &list)
    #expect(list.question?.text == "cancel run r4 of build?")
    #expect(press(["n"], &list) == nil)
    #expect(press(["c", .pasted], &list) == nil && list.question == nil)
    #expect(press(["c", "y"], &list) == .request("r4", .cancel(steps: [], now: false)))
    #expect(press(["r", "y"], &list) == .request("r4", .restart(from: [])))
    #expect(press(["p", "y"], &list) == .request("r4", .pause))
    #expect(press([.down, "p"], &list) == .request("r3", .unpause))
    list.update([Self.entry("r9", state: "cancelling")])
    #expect(press(["c", "y"], &list) == .request("r9", .cancel(steps: [], now: true)))
  }

  @Test func `a run that is over is resumed, or run again if it has succeeded`() {
    var list = list()
    press([.down, .down, "c"], &list)
    #expect(list.question == nil && list.notice == "run r2 of build is over")
    #expect(press(["r", "y"], &list) == .resume("r2", isAgain: false))
    press([.down, "r"], &list)
    #expect(list.question?.text == "run all steps again: run r1 of build?")
    #expect(press(["y"], &list) == .resume("r1", isAgain: true))
  }

  @Test func `the rows say what each run does, and those that do not fit lose whole columns`() {
    let rows = RunsView(list: list(), style: Self.style)
      .frame(WindowSize(columns: 100, rows: 9)).rows.map(\.string)
    #expect(
      rows == [
        "Runs  2 live · 4 runs",
        "  RUN  WORKFLOW  STATE      REQUESTED            TOOK   ",
        "❯ r4   build     running    2026-11-28 12:00:00  1.2 s  3 of 9  compile",
        "  r3   Deploy    paused     2026-11-28 12:00:00  1.2 s  ",
        "  r2   build     failed     2026-11-28 12:00:00  1.2 s  ",
        "  r1   build     succeeded  2026-11-28 12:00:00  1.2 s  ", "", "",
        "↑ ↓ choose · Enter open · / filter · r restart · c cancel · p pause · q quit · ? help",
      ])
    let narrow = RunsView(list: list(), style: Self.style)
      .frame(WindowSize(columns: 40, rows: 9)).rows.map(\.string)
    #expect(narrow[1] == "  RUN  WORKFLOW  STATE      TOOK   ")
    #expect(narrow[2] == "❯ r4   build     running    1.2 s  3 o…")
  }

  @Test func `each window has as many rows as it can, and the chosen run is one of them`() {
    var generator = SeededGenerator.announced()
    let keys = KeyBinding.table.filter { $0.place == .runs }.flatMap(\.keys) + [.pasted, "y", "é"]
    for _ in 0..<300 {
      let count = Int.random(in: 0...30, using: &generator)
      var list = RunsList()
      list.update(
        (0..<count).map { Self.entry("run\($0)", $0 % 3 == 0 ? "漢字漢字漢字漢字漢字" : "b") })
      var frame = RunsView.Frame(rows: [])
      for _ in 0..<20 {
        let key = keys[Int.random(in: keys.indices, using: &generator)]
        _ = list.press(key, pageRows: frame.pageRows, helpPages: frame.helpPages)
        let size = WindowSize(
          columns: Int.random(in: 2...120, using: &generator),
          rows: Int.random(in: 1...40, using: &generator))
        frame = RunsView(list: list, style: Self.style).frame(size)
        #expect(frame.rows.count == size.rows, "\(size)")
        #expect(frame.rows.allSatisfy { $0.width < size.columns }, "\(size)")
        if size.rows > 8, size.columns > 3, list.helpPage == 0, list.chosenEntry != nil {
          #expect(frame.rows.contains { $0.string.hasPrefix("❯ ") }, "\(size) \(list)")
        }
      }
    }
  }
}
