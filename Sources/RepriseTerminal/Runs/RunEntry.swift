// A run as a row of the list of runs. Pure.

/// A run in the list of `reprise top`.
package struct RunEntry: Sendable, Equatable {
  /// How a run stands, for the colour of its row.
  package enum Standing: Sendable, Equatable {
    case waiting, running, paused, succeeded, failed, stopped
  }

  /// The id of the run.
  package let id: String
  let workflow: String
  /// The state in words, such as `awaiting approval`.
  let state: String
  let standing: Standing
  /// The latest generation, from 1.
  let generation: Int
  /// Whether an engine drives the run, or will do so when its turn comes.
  package let isLive: Bool
  /// The local time of the request.
  let requested: String
  /// How long the run took, or has taken so far; nil if it has not begun.
  let took: String?
  /// What the run is doing now.
  let activity: String

  /// Creates a row.
  ///
  /// - Parameters:
  ///   - id: The id of the run.
  ///   - workflow: The name of its workflow.
  ///   - state: Its state in words.
  ///   - standing: How it stands.
  ///   - generation: Its latest generation, from 1.
  ///   - isLive: Whether an engine drives it, or will do so.
  ///   - requested: The local time of the request.
  ///   - took: How long it took, or has taken so far.
  ///   - activity: What it is doing now.
  package init(
    id: String, workflow: String, state: String, standing: Standing, generation: Int = 1,
    isLive: Bool, requested: String, took: String?, activity: String
  ) {
    self.id = id
    self.workflow = workflow
    self.state = state
    self.standing = standing
    self.generation = generation
    self.isLive = isLive
    self.requested = requested
    self.took = took
    self.activity = activity
  }

  /// Whether one of the words that are shown contains a text; a text in small letters also finds capitals.
  func contains(_ text: String) -> Bool {
    let words = [id, workflow, state, activity]
    guard text == text.lowercased() else { return words.contains { $0.contains(text) } }
    return words.contains { $0.lowercased().contains(text) }
  }
}

extension RunEntry.Standing {
  /// The colour of a row.
  var colour: Style.Colour {
    switch self {
    case .waiting: .dim
    case .running: .cyan
    case .paused, .stopped: .yellow
    case .succeeded: .green
    case .failed: .red
    }
  }
}
