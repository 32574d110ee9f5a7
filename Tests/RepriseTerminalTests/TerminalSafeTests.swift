import Reprise
import Testing

@testable import RepriseTerminal

/// A text with control characters that a terminal may obey, one of each kind.
struct Hostile: Sendable, CustomTestStringConvertible {
  let kind: String
  let text: String
  /// The expected text without them.
  let left: String

  var testDescription: String { kind }

  static let all =
    [
      Hostile(kind: "OSC with BEL", text: "a\u{1B}]0;PWN\u{7}b", left: "ab"),
      Hostile(kind: "OSC with ST", text: "a\u{1B}]8;;http://x\u{1B}\\b", left: "ab"),
      Hostile(kind: "OSC without end", text: "a\u{1B}]0;PWN", left: "a"),
      Hostile(kind: "CSI", text: "a\u{1B}[1;31mb\u{1B}[0m", left: "ab"),
      Hostile(kind: "character set", text: "a\u{1B}(Bb", left: "ab"),
      Hostile(kind: "character set without end", text: "a\u{1B}(", left: "a"),
      Hostile(kind: "DCS", text: "a\u{1B}P$q\u{1B}\\b", left: "ab"),
      Hostile(kind: "BEL", text: "a\u{7}b", left: "a\u{FFFD}b"),
      Hostile(kind: "BS", text: "a\u{8}b", left: "a\u{FFFD}b"),
      Hostile(kind: "CR", text: "a\rb", left: "a\u{FFFD}b"),
      Hostile(kind: "DEL", text: "a\u{7F}b", left: "a\u{FFFD}b"),
    ]
    + ([0x80...0x9F, 0x061C...0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069]
    as [ClosedRange<UInt32>]).joined().compactMap(Unicode.Scalar.init).map { scalar in
      Hostile(
        kind: "U+" + String(scalar.value, radix: 16, uppercase: true),
        text: "a" + String(scalar) + "b", left: "a\u{FFFD}b")
    }
}

/// Returns whether a terminal would obey any part of a text; line feeds and tabs are allowed.
///
/// Decides independently of the code under test.
func isObeyed(_ text: String) -> Bool {
  text.unicodeScalars.contains { scalar in
    scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
      || scalar.properties.isBidiControl
  }
}

struct TerminalSafeTests {
  @Test(arguments: Hostile.all) func `terminal controls are removed from a value`(
    _ hostile: Hostile
  ) {
    #expect(isObeyed(hostile.text))
    #expect(TerminalSafe(hostile.text).string == hostile.left)
  }

  @Test(arguments: Hostile.all) func `terminal controls are removed from an interpolated value`(
    _ hostile: Hostile
  ) {
    struct TestError: Error, CustomStringConvertible {
      let description: String
    }
    struct Bare: Error {
      let name: String
    }
    let text: TerminalSafe = "<\(hostile.text)> \(hostile.text[...])"
    #expect(text.string == "<\(hostile.left)> \(hostile.left)")
    let error: any Error = TestError(description: hostile.text)
    #expect(("\(error)" as TerminalSafe).string == hostile.left)
    #expect(("\(TestError(description: hostile.text))" as TerminalSafe).string == hostile.left)
    let bare: TerminalSafe = "\(Bare(name: hostile.text))"
    #expect(!isObeyed(bare.string))
  }

  @Test(arguments: Hostile.all) func `terminal controls are removed from each line`(
    _ hostile: Hostile
  ) {
    let text = TerminalSafe(lines: "first\n\(hostile.text)\n\tlast\n")
    #expect(text.string == "first\n\(hostile.left)\n\tlast\n")
  }

  @Test(arguments: Hostile.all) func `JSON keeps its meaning without terminal controls`(
    _ hostile: Hostile
  ) throws {
    let value = Value.map(["a": .list([.text(hostile.text)])])
    let json = TerminalSafe(json: value.json + "\n").string
    #expect(!isObeyed(json))
    #expect(try Value(json: json) == value)
  }

  @Test func `a value is one line, an error may have several`() {
    struct TestError: Error, CustomStringConvertible {
      let description = "one\n\ttwo"
    }
    let name = "one\ntwo\tthree"
    #expect(("\(name)" as TerminalSafe).string == "one\u{FFFD}two    three")
    #expect(("\(TestError())" as TerminalSafe).string == "one\n\ttwo")
  }

  @Test func `output keeps its colours to the end of the line, and nothing else, if asked to`() {
    let colour = "\u{1B}[1;38;5;9mred\u{1B}[2J\u{1B}[31"
    #expect(
      TerminalSafe(colour, keepsColours: true).string == "\u{1B}[1;38;5;9mred\u{1B}[0m")
    #expect(TerminalSafe(colour, keepsColours: false).string == "red")
    #expect(TerminalSafe("plain", keepsColours: true).string == "plain")
    for hostile in Hostile.all where hostile.kind != "CSI" {
      #expect(TerminalSafe(hostile.text, keepsColours: true).string == hostile.left)
      #expect(
        TerminalSafe(lines: "\(colour)\n\(hostile.text)", keepsColours: true).string
          == "\u{1B}[1;38;5;9mred\u{1B}[0m\n\(hostile.left)")
    }
  }

  @Test func `harmless text and literals are unchanged`() {
    let text = "漢字 é e\u{301} 👩‍👩‍👧 naïve"
    #expect(TerminalSafe(text).string == text)
    #expect(TerminalSafe(lines: text + "\n").string == text + "\n")
    #expect(TerminalSafe(json: "{\"a\":\"\(text)\"}\n").string == "{\"a\":\"\(text)\"}\n")
    #expect(("\u{1B}[\(1)m\(text)" as TerminalSafe).string == "\u{1B}[1m" + text)
    #expect(["a", "b", "c"].joined(separator: ", ").string == "a, b, c")
  }

  @Test(arguments: [
    ("abc", 3), ("漢字", 4), ("é", 1), ("e\u{301}", 1), ("😀", 2), ("", 0), ("✅", 2), ("⚡", 2),
    ("✔", 1), ("❤️", 2), ("हि", 2),
  ])
  func `the width is the number of terminal columns`(_ text: String, _ width: Int) {
    #expect(TerminalSafe(text).width == width)
  }

  // MARK: Displays of events

  private static func events(naming text: String) throws -> [Event] {
    let run = try #require(RunID("abc"))
    let step = PlannedStep(id: text, label: text)
    let plan = RunPlan(workflow: text, steps: [step, PlannedStep(id: "b" + text)])
    let kinds: [Event.Kind] = [
      .runStarted(plan), .step(text, attempt: 0, .waiting), .step(text, attempt: 1, .started()),
      .step(text, attempt: 1, .output(.standardOutput, text: text, isPartial: false)),
      .step(text, attempt: 1, .progress(0.5, text)),
      .runCancelling(.failure(ofStep: text)),
      .step(text, attempt: 1, .failed(.badOutputs(text))),
      .step("b" + text, attempt: 0, .cancelled(.failure(ofStep: text))),
      .runEnded(.failed(step: text, reason: .badOutputs(text))),
    ]
    return kinds.enumerated().map { second, kind in
      Event(
        time: Timestamp(microseconds: Int64(second) * 1_000_000), run: run, generation: 1,
        kind: kind)
    }
  }

  @Test(arguments: Hostile.all) func `no display of a run shows terminal controls`(
    _ hostile: Hostile
  ) throws {
    let style = Style(hasColour: false, hasUnicode: true)
    var log = PlainLog(style: style) { _ in .zero }
    let json = JSONLines()
    var state = RunState()
    var shown: [TerminalSafe] = []
    for event in try Self.events(naming: hostile.text) {
      shown += [log.text(for: event), json.line(for: event)]
      let silent = event.time.advanced(by: .seconds(-15))
      if let sign = log.heartbeat(at: event.time, lastWrite: silent) { shown.append(sign) }
      try state.apply(event)
      let view = TreeView(
        state: state, now: event.time, style: style, options: TreeView.Options())
      shown += view.lines(WindowSize(columns: 80, rows: 24))
    }
    let report = FailureReport(state: state, style: style).lines
    #expect(report.count > 3)
    for text in shown + report {
      #expect(!isObeyed(text.string), "\(text.string.debugDescription)")
    }
  }
}
