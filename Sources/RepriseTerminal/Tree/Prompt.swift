// What is asked on a terminal before a run begins. Pure.

/// What a key has done to a prompt.
enum PromptOutcome<Answer: Sendable & Equatable>: Sendable, Equatable {
  case editing
  case closed
  case done(Answer)
}

/// A question that is answered with keys.
protocol Prompt: Sendable {
  associatedtype Answer: Sendable & Equatable

  /// Handles a key.
  mutating func press(_ key: Key) -> PromptOutcome<Answer>

  /// Returns the rows that fit a window.
  func rows(_ size: WindowSize, _ style: Style) -> [TerminalSafe]

  /// What stays on the terminal once it is answered.
  var answers: [TerminalSafe] { get }
}
