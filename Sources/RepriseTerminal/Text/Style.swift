// Glyphs and colours of step states, depending on the capabilities of the terminal. Pure.

import Reprise

/// The capabilities of a terminal that rendering depends on.
struct Style: Sendable, Equatable {
  /// Whether to use colours.
  var hasColour: Bool
  /// Whether to use characters beyond ASCII.
  var hasUnicode: Bool

  /// Derives the style from the environment and the kind of output.
  ///
  /// `NO_COLOR` forbids colours (https://no-color.org). Otherwise `FORCE_COLOR` and
  /// `CLICOLOR_FORCE` demand them (https://force-color.org); otherwise the output must be a terminal
  /// that is not `dumb`.
  init(environment: [String: String], isTerminal: Bool = true) {
    let term = environment["TERM"] ?? ""
    let isForced = environment.isOn("FORCE_COLOR") || environment.isOn("CLICOLOR_FORCE")
    hasColour =
      (environment["NO_COLOR"] ?? "").isEmpty
      && (isForced || isTerminal && term != "dumb" && !term.isEmpty)
    let locale =
      [environment["LC_ALL"], environment["LC_CTYPE"], environment["LANG"]]
      .compactMap { $0 }.first { !$0.isEmpty } ?? ""
    // Such as "de_DE.UTF-8" and "C.utf8@euro".
    let isUnicode = locale.lowercased().split { $0 == "." || $0 == "@" }
      .contains { $0 == "utf-8" || $0 == "utf8" }
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
    case inverse = "7"
  }

  func coloured(_ text: TerminalSafe, _ colour: Colour) -> TerminalSafe {
    hasColour && !text.isEmpty ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Returns the glyph of a state, which is unique even without colours.
  ///
  /// The glyph of a running step is a spinner that advances with `frame`.
  func plainGlyph(_ phase: StepPhase, frame: Int) -> TerminalSafe {
    let spinner = hasUnicode ? Array("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") : Array("|/-\\")
    return switch phase {
    case .pending: hasUnicode ? "·" : "."
    case .waiting: hasUnicode ? "◌" : "o"
    case .running: "\(spinner[max(0, frame) % spinner.count])"
    case .succeeded: hasUnicode ? "✔" : "+"
    case .failed: hasUnicode ? "✖" : "x"
    case .cancelled: hasUnicode ? "⊘" : "/"
    case .skipped: hasUnicode ? "○" : "s"
    }
  }

  /// Returns the colour of a state.
  func colour(_ phase: StepPhase) -> Colour {
    switch phase {
    case .pending, .waiting, .skipped: .dim
    case .running: .cyan
    case .succeeded: .green
    case .failed: .red
    case .cancelled: .yellow
    }
  }

  /// Returns the guides of a branch: for its first row, and for its other rows.
  func guides(isLast: Bool) -> (first: String, others: String) {
    if hasUnicode { return isLast ? ("└ ", "  ") : ("├ ", "│ ") }
    return isLast ? ("`-", "  ") : ("|-", "| ")
  }

  /// Returns the bracket around sequential steps: for a step's first row, and for its other rows.
  func bracket(isFirst: Bool, isLast: Bool) -> (first: String, others: String) {
    let others = guides(isLast: isLast).others
    if isFirst { return (hasUnicode ? "┌ " : ",-", others) }
    return (isLast ? guides(isLast: true).first : others, others)
  }
}

extension [String: String] {
  /// Returns whether a variable is set to something other than an empty text, `0` or `false`.
  func isOn(_ name: String) -> Bool {
    !["", "0", "false"].contains(self[name] ?? "")
  }
}
