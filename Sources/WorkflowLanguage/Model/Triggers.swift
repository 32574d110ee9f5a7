// What starts runs of a watched workflow, as its file declares it under `on`.

/// What starts runs of a workflow while it is watched, and what happens to events that come while one
/// is under way.
public struct Triggers: Sendable, Equatable {
  /// What starts them: at most one of each kind, in the order of ``kinds``.
  package var sources: [any TriggerKind] = []
  /// What happens to an event that comes while a run is under way.
  public var whenBusy = BusyPolicy.queue
  /// Whether `restart` takes only the steps again that changed files matter to.
  public var restartsAffected = false
  /// How long it has to be quiet before files or lines start something; what suits them when nil.
  public var debounce: Duration?
  /// How many events may wait, and what happens to more.
  public var buffer = EventBuffer()

  /// Nothing that starts runs.
  public init() {}
}

/// One way to start runs.
///
/// A kind is one file here, and one in `RepriseHost/Watching/Sources`, which listens for its events.
package protocol TriggerKind: Sendable, Equatable {
  /// Whether it may start runs after standard input has come to its end.
  static var outlivesInput: Bool { get }
  /// What starts runs, in words; one for each thing.
  var words: [String] { get }
}

extension TriggerKind {
  package static var outlivesInput: Bool { true }

  fileprivate func equals(_ other: any TriggerKind) -> Bool { (other as? Self) == self }
}

extension Triggers {
  /// Whether something may start a run when standard input is over.
  package var goesOnWithoutInput: Bool { sources.contains { type(of: $0).outlivesInput } }

  /// What starts runs, in words.
  package var words: [String] { sources.flatMap { $0.words } }

  /// Whether two files start runs by the same, and do the same with events.
  public static func == (first: Triggers, second: Triggers) -> Bool {
    first.sources.elementsEqual(second.sources) { $0.equals($1) }
      && first.whenBusy == second.whenBusy && first.debounce == second.debounce
      && first.restartsAffected == second.restartsAffected && first.buffer == second.buffer
  }
}
