import Reprise
import Testing

@testable import RepriseTerminal

/// The display of a watch.
struct WatchRowsTests {
  private func lines(
    _ status: WatchStatus, columns: Int = 80, rows: Int = 20, hasKeys: Bool = true
  ) -> [String] {
    let style = Style(hasColour: false, hasUnicode: true)
    var view = TreeView(
      state: RunState(), now: Timestamp(microseconds: 0), style: style,
      options: TreeView.Options(hasKeys: hasKeys))
    view.watch = WatchRows(status: status, style: style, offset: { _ in .seconds(3600) })
    return view.lines(WindowSize(columns: columns, rows: rows)).map(\.string)
  }

  private var status: WatchStatus {
    WatchStatus(workflow: "site", triggers: ["files src/**", "schedule every 5s"])
  }

  @Test func `a new watch shows only its triggers and keys`() {
    #expect(
      lines(status) == [
        "site  waiting for:", "  files src/**", "  schedule every 5s", "0 runs",
        "T trigger now · P pause · Ctrl-C quit",
      ])
  }

  @Test func `the queue, the last event, the next time in local time and the counts are shown`() {
    var status = status
    status.waiting = 5
    status.waitingFor = ["stdin: a", "stdin: \u{1B}[31mb", "stdin: c"]
    status.last = "stdin: e"
    status.next = Timestamp(microseconds: 0)
    status.counts.runs = 1
    status.counts.restarts = 2
    status.counts.folded = 3
    status.counts.dropped = 4
    status.isPaused = true
    let shown = lines(status, columns: 200, hasKeys: false)
    #expect(shown.first == "site  paused")
    #expect(
      shown.last
        == "5 waiting (stdin: a; stdin: b; stdin: c; 2 more) · last: stdin: e · next at 1970-01-01 01:00:00 "
        + "· 1 run · 2 restarts · 3 folded · 4 dropped")
  }

  @Test func `the rows fit into the window`() {
    var status = status
    status.triggers = (0..<50).map { "files \($0) " + String(repeating: "x", count: 200) }
    let shown = lines(status, columns: 40, rows: 6)
    #expect(shown.count <= 5)
    #expect(shown.allSatisfy { TerminalSafe($0).width < 40 })
  }
}
