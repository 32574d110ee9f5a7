// How states look: glyphs and colours, by what the terminal can show. Pure.

import Reprise

/// What a terminal can show.
struct Style: Sendable, Equatable {
  /// Whether colours are wanted.
  var hasColour: Bool
  /// Whether characters beyond ASCII can be shown.
  var hasUnicode: Bool

  /// Reads the wishes of the user from the environment (https://no-color.org).
  init(environment: [String: String]) {
    let term = environment["TERM"] ?? ""
    hasColour = (environment["NO_COLOR"] ?? "").isEmpty && term != "dumb" && !term.isEmpty
    let locale =
      [environment["LC_ALL"], environment["LC_CTYPE"], environment["LANG"]]
      .compactMap { $0 }.first { !$0.isEmpty } ?? ""
    let isUnicode = locale.lowercased().contains("utf-8") || locale.lowercased().contains("utf8")
    hasUnicode = isUnicode && term != "linux" && term != "dumb"
  }

  init(hasColour: Bool, hasUnicode: Bool) {
    self.hasColour = hasColour
    self.hasUnicode = hasUnicode
  }

  enum Colour: String {
    case green = "32"
    case red = "31"
    case yellow = "33"
    case cyan = "36"
    case dim = "2"
    case bold = "1"
  }

  func coloured(_ text: TerminalSafe, _ colour: Colour) -> TerminalSafe {
    hasColour && !text.isEmpty ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// The sign of a state, which differs without colours too; that of a running step turns with
  /// `frame`.
  func plainGlyph(_ phase: StepPhase, frame: Int) -> TerminalSafe {
    let spinner = hasUnicode ? Array("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") : Array("|/-\\")
    return switch phase {
    case .pending: hasUnicode ? "·" : "."
    case .ready: hasUnicode ? "◌" : "o"
    case .running: "\(spinner[max(0, frame) % spinner.count])"
    case .succeeded: hasUnicode ? "✔" : "+"
    case .failed: hasUnicode ? "✖" : "x"
    case .cancelled: hasUnicode ? "⊘" : "/"
    case .skipped: hasUnicode ? "○" : "s"
    }
  }

  /// The colour of a state.
  func colour(_ phase: StepPhase) -> Colour {
    switch phase {
    case .pending, .ready, .skipped: .dim
    case .running: .cyan
    case .succeeded: .green
    case .failed: .red
    case .cancelled: .yellow
    }
  }

  /// The lines that lead to a branch: before its first row, before its other rows.
  func guides(isLast: Bool) -> (first: String, others: String) {
    if hasUnicode { return isLast ? ("└ ", "  ") : ("├ ", "│ ") }
    return isLast ? ("`-", "  ") : ("|-", "| ")
  }

  /// The bracket around steps that run one after the other: before a step's first row, before its other rows.
  func bracket(isFirst: Bool, isLast: Bool) -> (first: String, others: String) {
    let others = guides(isLast: isLast).others
    if isFirst { return (hasUnicode ? "┌ " : ",-", others) }
    return (isLast ? guides(isLast: true).first : others, others)
  }
}
