// The triggers of a watched workflow: the `on` key of its file.

/// The triggers of a watched workflow, with the policies for events that arrive during a run.
package struct Triggers: Sendable, Equatable {
  /// The triggers: at most one of each kind, in the order of ``kinds``.
  package var sources: [any TriggerKind] = []
  /// The policy for events that arrive during a run.
  package var whenBusy = BusyPolicy.queue
  /// Whether `restart` restarts only the steps affected by the changed files.
  package var restartsAffected = false
  /// The quiet time before files or lines start a run; the default of each kind if nil.
  package var debounce: Duration?
  /// The queue of pending events: its limit and its overflow policy.
  package var buffer = EventBuffer()

  /// Creates an empty set of triggers.
  package init() {}
}

/// A kind of trigger.
///
/// Each kind has one file here and one in `RepriseHost/Watching/Sources`, which observes its
/// events.
package protocol TriggerKind: Sendable, Equatable {
  /// Whether it can start runs after the end of standard input.
  static var canStartAfterInput: Bool { get }
  /// Descriptions of the triggers, one for each.
  var words: [String] { get }
}

extension TriggerKind {
  package static var canStartAfterInput: Bool { true }

  fileprivate func equals(_ other: any TriggerKind) -> Bool { (other as? Self) == self }
}

extension Triggers {
  /// Whether a trigger can start a run after the end of standard input.
  package var canStartWithoutInput: Bool { sources.contains { type(of: $0).canStartAfterInput } }

  /// Descriptions of all triggers.
  package var words: [String] { sources.flatMap { $0.words } }

  /// Returns whether both have the same triggers and treat events in the same way.
  package static func == (first: Triggers, second: Triggers) -> Bool {
    first.sources.elementsEqual(second.sources) { $0.equals($1) }
      && first.whenBusy == second.whenBusy && first.debounce == second.debounce
      && first.restartsAffected == second.restartsAffected && first.buffer == second.buffer
  }
}
