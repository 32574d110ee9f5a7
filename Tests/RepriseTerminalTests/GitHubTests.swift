// The output under GitHub Actions: groups, annotations, the summary, and hostile values in them.

import Foundation
import Reprise
import Testing

@testable import RepriseTerminal

struct GitHubTests {
  private static let job = GitHubJob(environment: ["GITHUB_WORKSPACE": "/checkout/app"])

  /// Returns what is shown for a run with these steps and events, one event each second.
  private func shown(
    of steps: [String], _ kinds: [Event.Kind], place: (path: String, line: Int?)? = nil
  ) throws -> (pieces: [String], state: RunState) {
    let style = Style(hasColour: false, hasUnicode: true)
    var log = PlainLog(style: style) { _ in .zero }
    var groups = GitHubGroups(Self.job) { "token" }
    let run = try #require(RunID("abc"))
    let plan = RunPlan(workflow: "w", steps: steps.map { PlannedStep(id: $0) })
    let pieces = ([.runStarted(plan)] + kinds).enumerated().map { second, kind in
      let time = Timestamp(microseconds: Int64(second) * 1_000_000)
      let event = Event(time: time, run: run, generation: 1, kind: kind)
      return groups.text(for: event, in: &log, place: place).string
    }
    return (pieces.filter { !$0.isEmpty }, log.state)
  }

  private func started(_ id: String) -> [Event.Kind] {
    [.step(id, attempt: 0, .waiting), .step(id, attempt: 1, .started())]
  }

  private func output(_ id: String, _ text: String) -> Event.Kind {
    .step(id, attempt: 1, .output(.standardOutput, text: text, isPartial: false))
  }

  @Test func `the output of parallel steps is shown in groups that do not interleave`() throws {
    let kinds =
      started("a") + started("b") + [
        output("a", "a1"), output("b", "b1\nb2"), output("a", "a2"),
        .step("b", attempt: 1, .succeeded([:])), .step("a", attempt: 1, .succeeded([:])),
        .runEnded(.succeeded),
      ]
    #expect(
      try shown(of: ["a", "b"], kinds).pieces == [
        "00:00:00.000 run abc of w started: 2 steps\n", "00:00:02.000 a started\n",
        "00:00:04.000 b started\n",
        """
        00:00:08.000 b succeeded after 4.0 s
        ::group::b (4.0s)
        ::stop-commands::token
        b1
        b2
        ::token::
        ::endgroup::

        """,
        """
        00:00:09.000 a succeeded after 7.0 s
        ::group::a (7.0s)
        ::stop-commands::token
        a1
        a2
        ::token::
        ::endgroup::

        """, "00:00:10.000 run succeeded after 10.0 s\n",
      ])
  }

  @Test func `a failure is an annotation at the line of the step`() throws {
    let kinds =
      started("a") + [
        output("a", "50%\nno: such, file"), .step("a", attempt: 1, .failed(.exited(status: 2))),
        .runEnded(.failed(step: "a", reason: .exited(status: 2))),
      ]
    func annotation(_ place: (path: String, line: Int?)?) throws -> String? {
      try shown(of: ["a"], kinds, place: place).pieces.joined().split(separator: "\n")
        .first { $0.hasPrefix("::error") }.map(String.init)
    }
    let message = "exited with status 2%0A50%25%0Ano: such, file"
    #expect(
      try annotation((path: "/checkout/app/workflows/ci.yaml", line: 7))
        == "::error file=workflows/ci.yaml,line=7,title=a::\(message)")
    #expect(
      try annotation((path: "/else/ci.yaml", line: nil))
        == "::error file=/else/ci.yaml,title=a::\(message)")
    #expect(try annotation(nil) == "::error title=a::\(message)")
  }

  @Test func `a run that timed out is an annotation, too`() throws {
    let kinds =
      started("a") + [
        .runCancelling(.runTimedOut), .step("a", attempt: 1, .cancelled(.runTimedOut)),
        .runEnded(.timedOut(after: .seconds(3))),
      ]
    #expect(
      try shown(of: ["a"], kinds).pieces.last?.hasSuffix(
        "\n::error title=w::timed out after 3.0 s\n") == true)
  }

  @Test func `no value can be taken for a command or end the text around it`() throws {
    let id = "x[a:b,c%0A##[add-mask]d\r\n::set-env name=A::b]"
    let hostile = """
      ::set-env name=PATH::/evil
        ::stop-commands::other
      text ##[add-mask]everything
      ::endgroup::
      \u{1B}]0;title
      """
    let kinds =
      started(id) + [
        output(id, hostile), .step(id, attempt: 1, .failed(.notStarted("a\n::error::b"))),
        .runEnded(.failed(step: id, reason: .notStarted(""))),
      ]
    let text = try shown(of: [id], kinds, place: (path: "/checkout/app/a:b,c.yaml", line: 1)).pieces
      .joined()
    // What GitHub's runner does with the lines: commands in both forms, except while stopped.
    var token: Substring?
    var commands: [String] = []
    for line in text.split(separator: "\n") {
      let trimmed = line.drop { $0.isWhitespace }
      if let awaited = token {
        if trimmed.hasPrefix("::\(awaited)::") { token = nil }
      } else if trimmed.hasPrefix("::stop-commands::") {
        token = trimmed.dropFirst("::stop-commands::".count)
      } else if trimmed.hasPrefix("::") || line.contains("##[") {
        commands.append(String(trimmed.prefix { $0 != " " && $0 != "x" }))
      }
    }
    #expect(commands == ["::group::", "::endgroup::", "::error"])
    #expect(token == nil)
    let name = "x[a%3Ab%2Cc%250A##[add-mask]d�"
    #expect(text.contains("::error file=a%3Ab%2Cc.yaml,line=1,title=\(name)"))
    #expect(!text.contains("\u{1B}") && !text.contains("\r"))
  }

  @Test func `tokens are random`() {
    let tokens = Set((0..<100).map { _ in GitHubCommand.makeToken() })
    #expect(tokens.count == 100 && tokens.allSatisfy { $0.count > 20 })
  }

  @Test func `attempts have a group each, and nothing waits beyond the end of the run`() throws {
    let kinds =
      started("a") + [
        output("a", "one"),
        .step("a", attempt: 1, .retrying(.exited(status: 1), after: .zero)),
        .step("a", attempt: 2, .started()),
        .step("a", attempt: 2, .output(.standardError, text: "two", isPartial: false)),
        .step("a", attempt: 2, .output(.standardError, text: "t", isPartial: true)),
        .step("a", attempt: 2, .cancelled(.request)), .runEnded(.cancelled),
      ]
    let groups = try shown(of: ["a"], kinds).pieces.joined().split(separator: "\n")
      .filter { $0.hasPrefix("::group") || !$0.contains(":") }
    #expect(groups == ["::group::a (2.0s)", "one", "::group::a, attempt 2 (3.0s)", "two"])
  }

  @Test func `what waits is bounded, and no line is lost`() throws {
    let line = String(repeating: "x", count: 99)
    let lines = Array(repeating: line, count: 1000).joined(separator: "\n")
    // 30 steps write 900,000 bytes each, and one of them 3,000,000 bytes.
    let ids = (0..<30).map { "s\($0)" }
    let kinds =
      ids.flatMap { started($0) }
      + (0..<9).flatMap { _ in ids.map { output($0, lines) } }
      + (0..<21).map { _ in output("s0", lines) }
    let ends = ids.map { Event.Kind.step($0, attempt: 1, .succeeded([:])) }
    let pieces = try shown(of: ids, kinds + ends).pieces
    // What is shown before the step has ended; other groups follow the line about the end.
    let parts = pieces.flatMap { $0.split(separator: "::endgroup::\n") }
      .filter { $0.hasPrefix("::group::") }
    let shownBytes = parts.map { $0.split(separator: "\n").count { $0 == line } * 100 }
    #expect(shownBytes.allSatisfy { $0 <= GitHubGroups.stepBytesMax + 100_000 })
    #expect(29_100_000 - shownBytes.reduce(0, +) < GitHubGroups.bytesMax)
    #expect(parts.contains { $0.hasPrefix("::group::s0, part 2\n") })
    let all = pieces.joined()
    #expect(all.split(separator: "\n").count { $0 == line } == 291_000)
    #expect(all.contains("::group::s0, part 4 (5:50)\n"))
  }

  @Test func `which output is shown early depends on sizes and names only`() throws {
    let line = String(repeating: "x", count: 500_000)
    let ids = (0..<40).map { "s\($0)" }
    let kinds = ids.flatMap { started($0) } + ids.map { output($0, line) }
    let titles = try shown(of: ids, kinds).pieces.joined().split(separator: "\n")
      .filter { $0.hasPrefix("::group::") }
    #expect(titles == ids.prefix(34).sorted().prefix(18).map { "::group::\($0), part 1" })
  }

  // MARK: The summary

  private func summary(_ steps: [String], _ kinds: [Event.Kind]) throws -> GitHubSummary {
    GitHubSummary(state: try shown(of: steps, kinds).state)
  }

  @Test func `the summary has the outcome, a table of the steps, and the output of failures`()
    throws
  {
    let failed = FailureReason.exited(status: 2)
    let kinds =
      started("lint") + [.step("lint", attempt: 1, .succeeded([:]))] + started("build") + [
        output("build", "no\nluck"), .step("build", attempt: 1, .failed(failed)),
        .step("ship", attempt: 0, .cancelled(.failure(ofStep: "build"))),
        .runEnded(.failed(step: "build", reason: failed)),
      ]
    #expect(
      try summary(["lint", "build", "ship"], kinds).markdown(room: GitHubSummary.bytesMax) == """
        ### ❌ w: failed after 9.0s

        | step | result | time |
        | --- | --- | ---: |
        | lint | ✅ succeeded | 1.0s |
        | build | ❌ exited with status 2 | 2.0s |
        | ship | 🚫 not run\\: build failed |  |

        #### build

        ```text
        no
        luck
        ```

        """)
  }

  @Test func `values in the summary are not taken for Markdown`() throws {
    let id = "a|b`<img src=x>"
    let kinds =
      started(id) + [
        output(id, "```\n````sh\n</details>\n\u{1B}[31mred"),
        .step(id, attempt: 1, .failed(.exited(status: 1))),
        .runEnded(.failed(step: id, reason: .exited(status: 1))),
      ]
    let markdown = try summary([id], kinds).markdown(room: GitHubSummary.bytesMax)
    #expect(markdown.contains(#"| a\|b\`\<img src\=x\> | ❌"#))
    #expect(
      markdown.hasSuffix(
        "\n`````text\n```\n````sh\n</details>\nred\n`````\n"))
  }

  @Test(arguments: [0, 100, 1000, 20_000, 1 << 20])
  func `the summary fits into the room that is left, and counts what does not fit`(
    _ room: Int
  ) throws {
    let ids = (0..<40_000).map { "step-number-\($0)" }
    let kinds =
      started(ids[0]) + [
        output(
          ids[0],
          Array(repeating: String(repeating: "é", count: 700), count: 20).joined(
            separator: "\n")),
        .step(ids[0], attempt: 1, .failed(.exited(status: 1))),
      ]
      + ids.dropFirst().map { .step($0, attempt: 0, .cancelled(.failure(ofStep: ids[0]))) }
      + [.runEnded(.failed(step: ids[0], reason: .exited(status: 1)))]
    let markdown = try summary(ids, kinds).markdown(room: room)
    #expect(markdown.utf8.count <= room)
    #expect(markdown.contains(" more steps\n") == (room >= 1000))
    #expect(markdown.contains("```text") == (room == 1 << 20))
  }
}
