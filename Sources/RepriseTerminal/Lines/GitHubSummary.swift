// The summary of a run as Markdown, for the page of a job of GitHub Actions. Pure.

import Reprise

/// The summary of a run that has ended: its outcome, its steps, and the last lines of failures.
///
/// No value can be taken for Markdown: punctuation in names is escaped, and output is in code
/// fences that are longer than any of its runs of backticks.
struct GitHubSummary {
  /// The maximum size of all summaries of a job's step, in bytes, beyond which GitHub drops them.
  static let bytesMax = 1 << 20
  /// The maximum number of failures whose output is shown.
  private static let failuresMax = 20
  /// The maximum size of the line that counts the steps without a row, in bytes.
  private static let endBytesMax = 40
  /// The maximum length of a line of output, in characters.
  private static let lineMax = 500

  let state: RunState

  /// Returns the Markdown; steps for which there is no room are counted.
  ///
  /// - Parameter room: The maximum size in bytes.
  /// - Returns: The Markdown; empty if there is no room for a useful one.
  func markdown(room: Int) -> String {
    guard case .ended(let outcome) = state.phase, let plan = state.plan else { return "" }
    let time = elapsed(from: state.startedAt, to: state.phaseChangedAt).map { " after \($0)" } ?? ""
    let heading =
      "### \(symbol(of: outcome)) \(Self.escaped(plan.workflow)): \(word(of: outcome))\(time)\n"
    // What explains a failure is worth more than the end of a long table.
    let failures = failures(room: room / 2)
    var table = "\n| step | result | time |\n| --- | --- | ---: |\n"
    var rest = room - Self.endBytesMax
    for part in [heading, table, failures] { rest -= part.utf8.count }
    guard rest > 0 else { return "" }
    for (position, step) in state.steps.enumerated() {
      let row = row(of: step)
      guard row.utf8.count <= rest else {
        table += "\nand \(countText(state.steps.count - position, "more step"))\n"
        break
      }
      table += row
      rest -= row.utf8.count
    }
    return heading + table + failures
  }

  private func row(of step: StepState) -> String {
    let time = elapsed(from: step.startedAt, to: step.endedAt) ?? ""
    return "| \(Self.escaped(shownName(of: step))) | \(result(of: step)) | \(time) |\n"
  }

  private func shownName(of step: StepState) -> String {
    let name = state.name(of: step.id)
    return name == step.id ? state.title(of: step.id) : name
  }

  private func result(of step: StepState) -> String {
    switch step.phase {
    case .succeeded: "✅ succeeded"
    case .failed(let reason):
      "\(state.isTolerated(step.id) ? "⚠️" : "❌") " + Self.escaped(reason.description)
    case .cancelled: "🚫 " + Self.escaped(state.endText(of: step) ?? "")
    case .skipped(let reason, _): "⏭️ " + Self.escaped("skipped: \(reason)")
    case .pending, .waiting, .running: "did not end"
    }
  }

  /// Returns a section for each failed step, as many as there is room for.
  private func failures(room: Int) -> String {
    var text = ""
    let failed = state.steps.filter { if case .failed = $0.phase { true } else { false } }
    for step in failed.prefix(Self.failuresMax) {
      guard !step.output.lines.isEmpty else { continue }
      let lines = step.output.lines.map {
        TerminalSafe(String($0.text.prefix(Self.lineMax))).string
      }
      let section = "\n#### \(Self.escaped(state.name(of: step.id)))\n\n" + Self.fenced(lines)
      guard text.utf8.count + section.utf8.count <= room else { break }
      text += section
    }
    return text
  }

  private func elapsed(from start: Timestamp?, to end: Timestamp?) -> String? {
    guard let start, let end else { return nil }
    return elapsedText(end - start)
  }

  private func symbol(of outcome: RunOutcome) -> String {
    switch outcome {
    case .succeeded: "✅"
    case .skipped: "⏭️"
    case .failed, .timedOut, .abandoned: "❌"
    case .cancelled, .interrupted: "🚫"
    }
  }

  private func word(of outcome: RunOutcome) -> String {
    switch outcome {
    case .succeeded: "succeeded"
    case .skipped(let text): "skipped, " + Self.escaped(text)
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .interrupted: "interrupted"
    case .timedOut: "timed out"
    case .abandoned(let text): "abandoned, " + Self.escaped(text)
    }
  }

  /// Escapes the punctuation of a text, so that it is shown as it is.
  private static func escaped(_ text: String) -> String {
    TerminalSafe(text).string.reduce(into: "") { result, character in
      if character.isASCII, character.isPunctuation || character.isSymbol { result += "\\" }
      result.append(character)
    }
  }

  /// Returns lines as a code block.
  private static func fenced(_ lines: [String]) -> String {
    let longest = lines.map { line in
      line.split { $0 != "`" }.map(\.count).max() ?? 0
    }.max()
    let fence = String(repeating: "`", count: max(3, (longest ?? 0) + 1))
    return ([fence + "text"] + lines + [fence]).joined(separator: "\n") + "\n"
  }
}
